/** Tries the built package as its users will: installed in an empty folder, under Node 22. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { READER_SAMPLES } from "../tests/helpers/reader_samples.ts";

const NODE = "node@22";
const TYPES = ["typescript@5.9.3", "@types/node@22"];

const FIXTURES = fileURLToPath(new URL("../tests/fixtures/", import.meta.url));
/** Uses the library: JavaScript that Node runs, and TypeScript that must be right. */
const PROGRAM = `
import { openKb } from "@dikolab/kbdb";
const kb = openKb({ dir: "base" });
await kb.add("trip.md");
await kb.embed();
const { hits, degraded } = await kb.search("when does the ship sail", { limit: 1 });
console.log(JSON.stringify({ title: hits[0]?.documentTitle, degraded }));
await kb.close();
`;
const TYPED = `
import { KbError, openKb } from "@dikolab/kbdb";
const kb = openKb({ dir: "base" });
const { hits } = await kb.search("ship", { limit: 1 });
export const title: string | null | undefined = hits[0]?.title;
// @ts-expect-error A title is text.
export const wrong: number = hits[0]?.title;
export const code: string = new KbError("busy", "Wait").code;
`;
const HELLO = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "smoke", version: "0" },
  },
});

/**
 * Installs the package and runs its command, its MCP server and its library.
 *
 * @param tarball Path of the packed package.
 * @returns Lines that say what was seen.
 * @throws {Error} If anything is not as it should be.
 */
export function smoke(tarball: string): string {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-smoke-"));
  const seen: string[] = [];
  const run = (args: readonly string[], input = ""): string => {
    const { status, stdout, stderr } = spawnSync(
      "npx",
      ["--no", "--", ...args],
      {
        cwd: dir,
        encoding: "utf8",
        input,
        env: {
          ...process.env,
          NODE_OPTIONS: "",
          KBDB_DIR: "",
          KBDB_DAEMON: "false",
        },
      },
    );
    if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
    if (/Warning/.test(stderr)) {
      throw new Error(`${args.join(" ")} warned: ${stderr}`);
    }
    return stdout;
  };
  const expect = (what: string, text: string, pattern: RegExp): void => {
    if (!pattern.test(text)) throw new Error(`${what} answered ${text}`);
    seen.push(`ok  ${what}`);
  };
  try {
    writeFileSync(join(dir, "package.json"), `{"type":"module"}`);
    writeFileSync(
      join(dir, "trip.md"),
      "# Boats\n\nThe ferry to Naxos leaves at seven.\n",
    );
    const { status, stderr } = spawnSync(
      "npm",
      [
        "install",
        "--no-audit",
        "--no-fund",
        "--silent",
        tarball,
        NODE,
        ...TYPES,
      ],
      { cwd: dir, encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`npm install failed: ${stderr}`);
    expect("node", run(["node", "--version"]), /^v22\./);
    expect("kbdb --version", run(["kbdb", "--version"]), /\d+\.\d+\.\d+/);
    run(["kbdb", "--db", "other", "add", "trip.md"]);
    const search = ["kbdb", "--db", "other", "search", "when does it sail"];
    expect("kbdb search", run(search), /trip\.md:1/);
    for (const [file, query, place] of READER_SAMPLES) {
      const name = basename(file);
      cpSync(join(FIXTURES, file), join(dir, name));
      run(["kbdb", "--db", "files", "add", name]);
      const asked = ["--db", "files", "search", "--fts-only", query];
      expect(`kbdb search in ${name}`, run(["kbdb", ...asked]), place);
    }
    const mcp = ["kbdb", "mcp", "--db", "other"];
    expect(
      "kbdb mcp",
      run(mcp, `${HELLO}\n`),
      /"protocolVersion":"2025-11-25"/,
    );
    writeFileSync(join(dir, "program.mjs"), PROGRAM);
    expect(
      "openKb()",
      run(["node", "--no-warnings", "program.mjs"]),
      /"title":"Boats","degraded":\[\]/,
    );
    writeFileSync(join(dir, "typed.ts"), TYPED);
    run([
      "tsc",
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "typed.ts",
    ]);
    seen.push("ok  types");
    return seen.map((line) => `${line}\n`).join("");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
