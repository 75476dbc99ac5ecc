import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Machine, readMachine } from "./machine.ts";
import { headerLine, type Report, type Row, rowLine } from "./table.ts";

/** What was measured, and on what. */
export interface Measured {
  /** The machine, before. */
  readonly machine: Machine;
  /** In the order they were measured. */
  readonly rows: readonly Row[];
}

/** Writes a line to standard output. */
export function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Measures in a temporary folder that is removed afterwards.
 *
 * @param name Begins the folder's name.
 * @param json Whether nothing is printed; else each row is, as it comes.
 * @param measure Measures.
 */
export async function reportRows(
  name: string,
  json: boolean,
  measure: (dir: string, report: Report) => Promise<void>,
): Promise<Measured> {
  const machine = readMachine();
  const rows: Row[] = [];
  if (!json) {
    for (const [name, value] of Object.entries(machine)) {
      writeLine(`${name.padEnd(9)} ${value}`);
    }
    writeLine(headerLine());
  }
  const dir = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    await measure(dir, (row) => {
      rows.push(row);
      if (!json) writeLine(rowLine(row));
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
  return { machine, rows };
}
