import { createServer } from "node:net";
import { isLoopback, parseKeys } from "../../http/mod.ts";
import { listModels, openApiKeys, verifyModel } from "../../kb/mod.ts";
import { hasBase, modelsCacheDir } from "../base_dir.ts";
import type { CliIo } from "../io.ts";
import { readModelRunner } from "../model_runner.ts";
import { readModelOptions } from "../session.ts";
import { readSources, type Sources } from "../settings/resolve.ts";
import {
  API_KEYS,
  HOST,
  MCP_API_KEYS,
  MCP_PORT,
  PORT,
  SETTINGS,
} from "../settings/table.ts";
import { fail, type Finding, ok, toText, warn } from "./finding.ts";

/** Characters below which a key can be guessed. */
const KEY_CHARS_GOOD = 20;
/** How long a server may take to say that it lives. */
const HEALTH_MS = 2_000;

/** Checks the settings: `config.jsonc` and every variable. */
export async function checkSettings(
  io: CliIo,
  dir: string,
): Promise<{ findings: Finding[]; sources: Sources | undefined }> {
  let sources: Sources;
  try {
    sources = await readSources(io, dir);
  } catch (error) {
    const finding = fail("settings", toText(error), "Correct the file");
    return { findings: [finding], sources: undefined };
  }
  const wrong = SETTINGS.flatMap((setting) => {
    try {
      sources.get(setting);
      return [];
    } catch (error) {
      return [fail("settings", toText(error), "Correct or unset the variable")];
    }
  });
  const { configPath, hasConfig } = sources;
  return wrong.length > 0 ? { findings: wrong, sources: undefined } : {
    findings: [
      ok(
        "settings",
        hasConfig ? `${configPath} is right` : `there is no ${configPath}`,
      ),
    ],
    sources,
  };
}

/** Checks what makes the vectors: the files of the model, or an endpoint by one text. */
export async function checkModel(io: CliIo, dir: string): Promise<Finding[]> {
  try {
    const { embedder } = await readModelRunner(io, dir);
    if (embedder !== undefined) {
      await using endpoint = embedder;
      await endpoint.embed(["kbdb doctor"], { role: "query" });
      return [ok("model", `the endpoint answers as ${endpoint.modelId}`)];
    }
    const options = await readModelOptions(io, dir);
    const { id, location } = await verifyModel(options);
    return [ok("model", `${id} is whole, in ${location}`)];
  } catch (error) {
    const here = listModels({ modelsDirs: [modelsCacheDir(io)] })
      .filter(({ available }) => available).map(({ id }) => id);
    return [fail(
      "model",
      toText(error),
      here.length === 0
        ? "Search goes on by word; get a model with: kbdb model pull NAME"
        : `Search goes on by word; of others there is: ${here.join(", ")}`,
    )];
  }
}

/** Checks the keys of `kbdb serve`. */
export function checkKeys(dir: string, sources: Sources): Finding[] {
  const findings: Finding[] = [];
  const given = [API_KEYS, MCP_API_KEYS].flatMap((setting) => {
    const { value, from } = sources.get(setting);
    try {
      parseKeys(value.join(","), from);
    } catch (error) {
      findings.push(fail("keys", toText(error), "Choose a longer key"));
    }
    return value;
  });
  const weak = given.filter((key) =>
    key.replace(/:(read|write|admin)$/, "").length < KEY_CHARS_GOOD
  );
  if (weak.length > 0) {
    findings.push(warn(
      "keys",
      `${weak.length} of ${given.length} keys of the settings have fewer than ${KEY_CHARS_GOOD} characters and could be guessed`,
      "Use long random keys, or named ones: kbdb key create NAME",
    ));
  }
  const named = countNamed(dir);
  const host = sources.get(HOST).value;
  if (given.length + named === 0 && !isLoopback(host)) {
    findings.push(fail(
      "keys",
      `kbdb serve is to listen on ${host}, and there is no key`,
      "kbdb key create NAME, or listen on 127.0.0.1",
    ));
  }
  return findings.length > 0 ? findings : [
    ok(
      "keys",
      given.length + named === 0
        ? "no keys; kbdb serve listens on this machine only"
        : `${given.length} in the settings, ${named} named`,
    ),
  ];
}

function countNamed(dir: string): number {
  if (!hasBase(dir)) return 0;
  try {
    using keys = openApiKeys(dir);
    return keys.list().length;
  } catch {
    // What is wrong with the base is said by its own check.
    return 0;
  }
}

/** Checks whether `kbdb serve` could have its ports, or has them. */
export async function checkPorts(sources: Sources): Promise<Finding[]> {
  const host = sources.get(HOST).value;
  const ports = [sources.get(PORT).value, sources.get(MCP_PORT).value]
    .flatMap((port) => port === undefined || port === 0 ? [] : [port]);
  return await Promise.all(ports.map((port) => checkPort(host, port)));
}

async function checkPort(host: string, port: number): Promise<Finding> {
  const problem = await tryPort(host, port);
  if (problem === undefined) return ok("port", `${port} is free`);
  if (problem !== "EADDRINUSE") {
    return warn(
      "port",
      `${port} on ${host} cannot be had: ${problem}`,
      "Choose another with the settings host and port",
    );
  }
  return await isKbdb(host, port)
    ? ok("port", `a kbdb serve answers at ${port}`)
    : warn(
      "port",
      `another program has port ${port}`,
      "Stop it, or choose another port with the setting port",
    );
}

/** Listens for a moment; gives the reason if that cannot be. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: Error & { code?: string }) => {
      resolve(error.code ?? error.message);
    });
    try {
      server.listen(port, host, () => server.close(() => resolve(undefined)));
    } catch (error) {
      resolve(toText(error));
    }
  });
}

async function isKbdb(host: string, port: number): Promise<boolean> {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const address = name.includes(":") ? `[${name}]` : name;
  try {
    const answer = await fetch(`http://${address}:${port}/health`, {
      signal: AbortSignal.timeout(HEALTH_MS),
    });
    const { status } = await answer.json();
    return status === "ok";
  } catch {
    return false;
  }
}
