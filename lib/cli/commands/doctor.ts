import { findBaseDir } from "../base_dir.ts";
import { checkBase, checkDaemon } from "../doctor/base.ts";
import { checkEngine } from "../doctor/engine.ts";
import { fail, type Finding, toText } from "../doctor/finding.ts";
import { checkDirectory, checkRuntime } from "../doctor/machine.ts";
import {
  checkKeys,
  checkModel,
  checkPorts,
  checkSettings,
} from "../doctor/setup.ts";
import { EXIT_UNHEALTHY } from "../exit_codes.ts";
import { toPrintable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { VERSION } from "../version.ts";

/** Checks everything kbdb needs, and says what to do about what is wrong. */
export async function doctor(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const findings = await findAll(io, options);
  const isWell = findings.every(({ state }) => state !== "fail");
  if (options.format === "json") {
    writeJson(io, { ok: isWell, version: VERSION, findings });
  } else {
    writeLines(io.out, [
      `kbdb ${VERSION}`,
      ...findings.flatMap(({ name, state, message, action }) => [
        `${state.padEnd(4)}  ${name.padEnd(11)}  ${toPrintable(message)}`,
        ...(action === undefined ? [] : [`${" ".repeat(19)}-> ${action}`]),
      ]),
    ]);
  }
  return isWell ? 0 : EXIT_UNHEALTHY;
}

async function findAll(
  io: CliIo,
  options: GlobalOptions,
): Promise<Finding[]> {
  const findings = checkRuntime();
  let dir: string;
  try {
    dir = findBaseDir(io, options.db);
  } catch (error) {
    return [
      ...findings,
      fail("settings", toText(error), "Correct or unset the variable"),
    ];
  }
  const { findings: settings, sources } = await checkSettings(io, dir);
  const engine = sources && await checkEngine(io, options);
  // What commands do not work on would only be in the way.
  if (engine !== undefined) {
    return [...findings, ...settings, engine, ...await checkModel(io, dir)];
  }
  findings.push(...checkDirectory(io, dir), ...settings);
  // Without settings that can be read nothing that depends on them can be told.
  if (sources === undefined) return findings;
  return [
    ...findings,
    ...await checkModel(io, dir),
    ...await checkBase(io, dir),
    ...checkKeys(dir, sources),
    ...await checkPorts(sources),
    ...await checkDaemon(io, dir),
  ];
}
