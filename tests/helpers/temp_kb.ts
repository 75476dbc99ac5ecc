import { mkdirSync, realpathSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Measure } from "../../lib/ingest/mod.ts";
import { Kb, type OpenKbOptions } from "../../lib/kb/mod.ts";
import { openStore } from "../../lib/store/mod.ts";
import { type FakeEmbedder, fakeEmbedder } from "./fake_embedder.ts";
import { makeTempDir } from "./temp_store.ts";

/** Files by path relative to their folder. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** Measures chunks by words, so that a test needs no model. */
export const WORDS: Measure = {
  countTokens: (text) => text.match(/\S+/gu)?.length ?? 0,
  windowTokens: 512,
};

/** When the files of {@linkcode writeTree} were last changed: long before any test. */
const WRITTEN_AT = new Date("2020-01-01T00:00:00.000Z");

/** Writes files, and the folders they need, as if long ago. */
export function writeTree(root: string, files: Tree): void {
  mkdirSync(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, WRITTEN_AT, WRITTEN_AT);
  }
}

/** A base for one test. */
export interface TempKb extends AsyncDisposable {
  /** The base. */
  readonly kb: Kb;
  /** Its directory. */
  readonly dir: string;
  /** What makes its vectors, unless a model was asked for. */
  readonly embedder: FakeEmbedder;
  /** Writes a tree into a folder of its own and answers the folder's real path. */
  folder(files: Tree): string;
  /** Lets the database grow no more, as on a full disk, or lets it grow again. */
  setDiskFull(isFull: boolean): void;
}

/** How to open a base for one test. */
export interface TempKbOptions extends Partial<OpenKbOptions> {
  /** Makes the vectors; a fake embedder of its own unless `model` is given. */
  readonly embedder?: FakeEmbedder;
  /** How long another writer is waited for. */
  readonly busyTimeoutMs?: number;
}

/** Opens a base in a temporary directory; it is closed and removed at the end of the scope. */
export function openTempKb(options: TempKbOptions = {}): TempKb {
  const temp = makeTempDir();
  const root = realpathSync(temp.path);
  const { dir = join(root, ".kbdb"), embedder = fakeEmbedder() } = options;
  const isFake = options.model === undefined;
  const { now, busyTimeoutMs } = options;
  const store = openStore(join(dir, "kb.db"), {
    ...(now === undefined ? {} : { now }),
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
  });
  const kb = new Kb(store, {
    ...options,
    ...(isFake ? { embedder } : {}),
    dir,
  });
  let folders = 0;
  return {
    kb,
    dir,
    embedder,
    folder(files): string {
      const path = join(root, `folder-${++folders}`);
      writeTree(path, files);
      return path;
    },
    setDiskFull(isFull): void {
      // SQLite takes the size the file has for the least limit.
      store.get(`PRAGMA max_page_count = ${isFull ? 1 : 1_073_741_823}`);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await kb.close();
      temp[Symbol.dispose]();
    },
  };
}
