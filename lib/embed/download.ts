import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { KbError } from "../core/mod.ts";
import {
  findSpec,
  type ModelFile,
  type ModelSpec,
  modelUnavailable,
} from "./registry.ts";

/** Where models are downloaded from unless said otherwise. */
export const MODEL_HUB = "https://huggingface.co";

/** How to download a model. */
export interface PullModelOptions {
  /** Folder of models; the model gets a folder in it. */
  readonly modelsDir: string;
  /** Address of the model hub; default {@linkcode MODEL_HUB}. */
  readonly endpoint?: string;
  /** Whether nothing may be downloaded. */
  readonly offline?: boolean;
  /** Stops it; what is downloaded so far stays, to go on from. */
  readonly signal?: AbortSignal;
  /** Called as bytes come. */
  readonly onProgress?: (progress: PullProgress) => void;
  /** Pause before the second try in ms, doubled for each after; default 1000. */
  readonly retryMs?: number;
  /** Longest time without a byte in ms; default 30,000. */
  readonly idleMs?: number;
}

/** Where a download stands. */
export interface PullProgress {
  /** File that is downloaded. */
  readonly file: string;
  /** Bytes that are here. */
  readonly doneBytes: number;
  /** Bytes in all. */
  readonly totalBytes: number;
}

/** What a download came to. */
export interface PullReport {
  /** Registry id. */
  readonly id: string;
  /** Folder of the model. */
  readonly location: string;
  /** Bytes that were downloaded; 0 if all was here. */
  readonly downloadedBytes: number;
}

const TRIES = 4;
const RETRY_MS = 1_000;
const IDLE_MS = 30_000;
/** Bytes in which a web page shows itself. */
const PEEK_BYTES = 64;

/** A failure after which trying again may help. */
class Interrupted extends Error {}

/**
 * Downloads the files of a model that are not here or not whole, and checks their size and SHA-256. A file gets
 * its name only then. One that broke off is gone on with.
 *
 * @param name Registry id, with or without `@n`.
 * @throws {KbError} `model_unavailable` if there is no such model, downloading is off, the hub cannot be reached, or
 * it does not give what is pinned; `cancelled` if `signal` aborts.
 */
export async function pullModel(
  name: string,
  options: PullModelOptions,
): Promise<PullReport> {
  const spec = findSpec(name);
  if (spec === undefined) {
    throw modelUnavailable(
      name,
      "no such model in the registry; see: kbdb model list",
    );
  }
  const location = join(options.modelsDir, spec.folder);
  let downloadedBytes = 0;
  for (const file of [spec.tokenizer, spec.weights]) {
    const path = join(location, file.name);
    if (await isWhole(path, file)) continue;
    if (options.offline === true) {
      throw modelUnavailable(
        spec.id,
        `${path} is not here or not whole, and HF_HUB_OFFLINE forbids to download it. Unset HF_HUB_OFFLINE, or put the file there`,
      );
    }
    await mkdir(location, { recursive: true, mode: 0o700 });
    downloadedBytes += await pullFile(spec, file, path, options);
  }
  return { id: spec.id, location, downloadedBytes };
}

async function isWhole(path: string, file: ModelFile): Promise<boolean> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size === file.sizeBytes && await hashOf(path) === file.sha256;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest("hex");
}

/** Downloads one file in as many tries as it takes; gives the bytes that came. */
async function pullFile(
  spec: ModelSpec,
  file: ModelFile,
  path: string,
  options: PullModelOptions,
): Promise<number> {
  const part = `${path}.part`;
  let came = 0;
  for (let attempt = 1;; attempt++) {
    try {
      came += await fetchRest(spec, file, part, options);
      break;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (attempt === TRIES) {
        throw modelUnavailable(
          spec.id,
          `${error.message}. Run again to go on from there: kbdb model pull ${spec.folder}`,
          error,
        );
      }
      await pause(
        (options.retryMs ?? RETRY_MS) * 2 ** (attempt - 1),
        options.signal,
      );
    }
  }
  const actual = await hashOf(part);
  if (actual !== file.sha256) {
    await rm(part, { force: true });
    throw modelUnavailable(
      spec.id,
      `the hub gave other bytes for ${file.name} than are pinned (SHA-256 ${actual}, expected ${file.sha256}); they were not kept. Try another HF_ENDPOINT`,
    );
  }
  await rename(part, path);
  return came;
}

/** Asks for what is missing of a file and appends it. */
async function fetchRest(
  spec: ModelSpec,
  file: ModelFile,
  part: string,
  options: PullModelOptions,
): Promise<number> {
  const { endpoint = MODEL_HUB, idleMs = IDLE_MS } = options;
  const url = `${endpoint.replace(/\/+$/, "")}/${file.source}`;
  const held = statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  if (held === file.sizeBytes) return 0;
  const idle = new AbortController();
  let timer = setTimeout(() => idle.abort(), idleMs);
  const signal = AbortSignal.any([
    idle.signal,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  try {
    const answer = await fetch(url, {
      signal,
      headers: held > 0 && held < file.sizeBytes
        ? { Range: `bytes=${held}-` }
        : {},
    });
    const from = checkAnswer(answer, spec, url, held);
    const out = await open(part, from > 0 ? "a" : "w", 0o600);
    try {
      return await receive(answer, out, from, file, {
        ...options,
        onBytes: () => {
          clearTimeout(timer);
          timer = setTimeout(() => idle.abort(), idleMs);
        },
      });
    } finally {
      await out.close();
    }
  } catch (error) {
    throw await explain(error, spec, { url, part, options });
  } finally {
    clearTimeout(timer);
  }
}

/** Where the bytes of an answer belong: behind those that are here, or at the start. */
function checkAnswer(
  answer: Response,
  spec: ModelSpec,
  url: string,
  held: number,
): number {
  const { status } = answer;
  if (status === 206) {
    const range = answer.headers.get("content-range") ?? "";
    if (range.startsWith(`bytes ${held}-`)) return held;
    throw modelUnavailable(spec.id, `${url} gave another part than asked for`);
  }
  if (status === 200) {
    if (/^text\/html/i.test(answer.headers.get("content-type") ?? "")) {
      throw webPage(spec, url);
    }
    return 0;
  }
  if (status === 429 || status >= 500 || status === 408) {
    throw new Interrupted(`${url} answered ${status}`);
  }
  throw modelUnavailable(
    spec.id,
    `${url} answered ${status}${
      status === 401 || status === 403
        ? ", it wants a login"
        : status === 404
        ? ", it is not there"
        : ""
    }. Check HF_ENDPOINT`,
  );
}

function webPage(spec: ModelSpec, url: string): KbError {
  return modelUnavailable(
    spec.id,
    `${url} gave a web page and not the file, as a login page or a proxy does; nothing was kept. Open it in a browser to see what it wants`,
  );
}

async function receive(
  answer: Response,
  out: FileHandle,
  from: number,
  file: ModelFile,
  { onProgress, onBytes }: PullModelOptions & { readonly onBytes: () => void },
): Promise<number> {
  let done = from;
  for await (const bytes of answer.body ?? []) {
    onBytes();
    if (done === 0 && looksLikePage(bytes)) throw new NotTheFile("page");
    done += bytes.length;
    if (done > file.sizeBytes) throw new NotTheFile("size");
    await out.writeFile(bytes);
    onProgress?.({
      file: file.name,
      doneBytes: done,
      totalBytes: file.sizeBytes,
    });
  }
  await out.sync();
  if (done === file.sizeBytes) return done - from;
  throw new Interrupted(
    `${file.name} broke off at ${done} of ${file.sizeBytes} bytes`,
  );
}

/** Bytes that are not those of the file. */
class NotTheFile extends Error {}

function looksLikePage(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, PEEK_BYTES));
  return /^\s*<(!doctype|html)/i.test(text);
}

/** Says what went wrong, and leaves no bytes that are of no use. */
async function explain(
  error: unknown,
  spec: ModelSpec,
  { url, part, options }: {
    readonly url: string;
    readonly part: string;
    readonly options: PullModelOptions;
  },
): Promise<unknown> {
  if (options.signal?.aborted === true) {
    return new KbError(
      "cancelled",
      "Downloading was stopped; what is here stays, pull again to go on",
    );
  }
  if (error instanceof NotTheFile) {
    await rm(part, { force: true });
    return error.message === "page" ? webPage(spec, url) : modelUnavailable(
      spec.id,
      `${url} gave more bytes than the file has; nothing was kept. Try another HF_ENDPOINT`,
    );
  }
  if (error instanceof KbError || error instanceof Interrupted) return error;
  if (!(error instanceof Error)) return error;
  if (error.name === "NotCapable" || error.name === "PermissionDenied") {
    return modelUnavailable(
      spec.id,
      `this process may not reach ${
        new URL(url).host
      }; run the command with deno run --allow-all`,
      error,
    );
  }
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EACCES")) {
    return modelUnavailable(spec.id, error.message, error);
  }
  // Whatever fetch() says: no network, no such host, a connection that broke.
  return new Interrupted(
    error.name === "AbortError"
      ? `${url} sent nothing for too long`
      : `${url} cannot be reached (${error.message})`,
  );
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new KbError("cancelled", "Downloading was stopped"));
    }, { once: true });
  });
}
