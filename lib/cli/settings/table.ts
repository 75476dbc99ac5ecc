import { LIMITS } from "../../core/mod.ts";
import { bytes, choice, flag, type Kind, list, number, text } from "./kinds.ts";
import {
  DEVICE,
  EMBEDDINGS_DIMS,
  EMBEDDINGS_KEY,
  EMBEDDINGS_MODEL,
  EMBEDDINGS_URL,
  MODEL_HUB,
  OFFLINE,
} from "./model_settings.ts";

/** One setting: all that the command, `kbdb config` and the documents know of it. */
export interface Setting<T, D extends T | undefined = T> {
  /** Key in `config.jsonc`; also the name. */
  readonly name: string;
  /** Values it takes. */
  readonly kind: Kind<T>;
  /** Value where nothing else says one. */
  readonly byDefault: D;
  /** What the default comes to, where it is not a value. */
  readonly defaultMeaning?: string;
  /** Environment variables, the first that is set counts. */
  readonly env: readonly string[];
  /** Options of the command that set it, in words. */
  readonly flags: readonly string[];
  /** Whether `config.jsonc` may hold it. */
  readonly inConfig: boolean;
  /** Whether its value is never shown. */
  readonly isSecret: boolean;
  /** What it is for. */
  readonly about: string;
}

const PLAIN = { inConfig: true, isSecret: false } as const;

/** Directory of the base; it cannot stand in the base itself. */
export const BASE_DIR: Setting<string, undefined> = {
  ...PLAIN,
  name: "base",
  kind: text("a directory"),
  byDefault: undefined,
  defaultMeaning: "the nearest `.kbdb` up the tree, else the personal base",
  env: ["KBDB_DIR", "KB_DATA_PATH"],
  flags: ["--db"],
  inConfig: false,
  about: "directory of the base",
};

/** Engine elsewhere. */
export const ENGINE_URL: Setting<string, undefined> = {
  ...PLAIN,
  name: "engineUrl",
  kind: text("a URL such as http://localhost:8000"),
  byDefault: undefined,
  defaultMeaning: "none: the base is on this machine",
  env: ["KB_ENGINE_URL"],
  flags: ["--url"],
  about: "engine that has the base, in place of one on this machine",
};

/** Key for an engine elsewhere. */
export const ENGINE_KEY: Setting<string, undefined> = {
  ...PLAIN,
  name: "engineKey",
  kind: text("a key"),
  byDefault: undefined,
  defaultMeaning: "no key",
  env: ["KB_API_KEY"],
  flags: [],
  isSecret: true,
  about: "key for the engine at `engineUrl`; of several the first is taken",
};

/** Whether daemons are used. */
export const DAEMON: Setting<boolean> = {
  ...PLAIN,
  name: "daemon",
  kind: flag(),
  byDefault: true,
  env: ["KBDB_DAEMON"],
  flags: ["--no-daemon"],
  about:
    "whether a command that needs the model uses a daemon that has it loaded, and starts one in the background",
};

/** When a daemon ends. */
export const DAEMON_IDLE_MINUTES: Setting<number> = {
  ...PLAIN,
  name: "daemonIdleMinutes",
  kind: number({ min: 0.01, max: 10_080, isWhole: false }),
  byDefault: 15,
  env: ["KBDB_DAEMON_IDLE_MINUTES"],
  flags: [],
  about: "minutes without a call after which a daemon ends",
};

/** Embedding model. */
export const MODEL: Setting<string, undefined> = {
  ...PLAIN,
  name: "model",
  kind: text("the id of a model, or the path of its folder"),
  byDefault: undefined,
  defaultMeaning: "the model that ships with kbdb",
  env: ["KB_MODEL"],
  flags: [],
  about: "embedding model",
};

/** Least score. */
export const SEARCH_THRESHOLD: Setting<number, undefined> = {
  ...PLAIN,
  name: "searchThreshold",
  kind: number({ min: 0, max: 1, isWhole: false }),
  byDefault: undefined,
  defaultMeaning: "every hit",
  env: ["KB_SEARCH_THRESHOLD"],
  flags: ["search --threshold"],
  about:
    "least score of a hit, in `kbdb search` and in REST searches that name none",
};

/** Address to listen on. */
export const HOST: Setting<string> = {
  ...PLAIN,
  name: "host",
  kind: text("an address"),
  byDefault: "127.0.0.1",
  env: [],
  flags: ["serve --host"],
  about: "address `kbdb serve` listens on",
};

/** Port to listen on. */
export const PORT: Setting<number> = {
  ...PLAIN,
  name: "port",
  kind: number({ min: 0, max: 65_535, isWhole: true }),
  byDefault: 8000,
  env: [],
  flags: ["serve --port"],
  about:
    "port `kbdb serve` listens on; 0 takes any; in front of another engine the default is `mcpPort`, else 3000",
};

/** Port for MCP alone. */
export const MCP_PORT: Setting<number, undefined> = {
  ...PLAIN,
  name: "mcpPort",
  kind: number({ min: 0, max: 65_535, isWhole: true }),
  byDefault: undefined,
  defaultMeaning: "none: `/mcp` is at `port` only",
  env: ["KB_MCP_PORT"],
  flags: ["serve --mcp-port"],
  about:
    "port at which `kbdb serve` answers `/mcp` and `/health` and nothing else; 0 takes any",
};

/** Keys of the API. */
export const API_KEYS: Setting<readonly string[]> = {
  ...PLAIN,
  name: "apiKeys",
  kind: list("keys, each KEY or KEY:read, KEY:write, KEY:admin"),
  byDefault: [],
  env: ["KB_API_KEY"],
  flags: [],
  isSecret: true,
  about: "keys of `kbdb serve`; a key without scope may do everything",
};

/** Keys of MCP. */
export const MCP_API_KEYS: Setting<readonly string[]> = {
  ...PLAIN,
  name: "mcpApiKeys",
  kind: list("keys, each KEY or KEY:read, KEY:write, KEY:admin"),
  byDefault: [],
  defaultMeaning: "those of `apiKeys`",
  env: ["KB_MCP_API_KEY"],
  flags: [],
  isSecret: true,
  about: "keys of `/mcp`, in place of those of `apiKeys`",
};

/** Largest upload. */
export const MAX_UPLOAD: Setting<number> = {
  ...PLAIN,
  name: "maxUploadBytes",
  kind: bytes({ min: 1, max: LIMITS.uploadBytes }),
  byDefault: LIMITS.fileBytes,
  env: ["KB_MAX_UPLOAD_BYTES"],
  flags: ["serve --max-upload"],
  about:
    `largest upload \`kbdb serve\` takes; files above ${LIMITS.fileBytes} bytes are not indexed`,
};

/** MCP tools. */
export const TOOLS: Setting<"kbdb" | "kb" | "all", undefined> = {
  ...PLAIN,
  name: "tools",
  kind: choice(["kbdb", "kb", "all"]),
  byDefault: undefined,
  defaultMeaning: "`kb` for `kbdb serve`, `kbdb` for `kbdb mcp`",
  env: [],
  flags: ["serve --tools", "mcp --tools"],
  about: "MCP tools: the 18 of kbdb, the nine `kb_` ones, or all",
};

/** Hosts besides loopback. */
export const ALLOWED_HOSTS: Setting<readonly string[]> = {
  ...PLAIN,
  name: "allowedHosts",
  kind: list("host names or addresses, without scheme and port"),
  byDefault: [],
  env: ["KB_MCP_ALLOWED_HOSTS"],
  flags: [],
  about: "hosts that requests to `kbdb serve` may name besides loopback",
};

/** Whether a server refuses to write. */
export const READ_ONLY: Setting<boolean> = {
  ...PLAIN,
  name: "readOnly",
  kind: flag(),
  byDefault: false,
  env: [],
  flags: ["serve --read-only"],
  about: "whether `kbdb serve` refuses everything that writes",
};

/** Whether requests are logged. */
export const LOG_REQUESTS: Setting<boolean> = {
  ...PLAIN,
  name: "logRequests",
  kind: flag(),
  byDefault: true,
  env: [],
  flags: ["serve --no-log"],
  about: "whether `kbdb serve` logs each request",
};

/** Whether queries are logged. */
export const LOG_QUERIES: Setting<boolean> = {
  ...PLAIN,
  name: "logQueries",
  kind: flag(),
  byDefault: false,
  env: [],
  flags: ["serve --log-queries"],
  about: "whether `kbdb serve` logs the text of each query",
};

/** A setting of any type. */
export type AnySetting = Setting<unknown, unknown>;

/** Every setting, in the order they are shown. */
export const SETTINGS: readonly AnySetting[] = [
  BASE_DIR,
  ENGINE_URL,
  ENGINE_KEY,
  DAEMON,
  DAEMON_IDLE_MINUTES,
  MODEL,
  DEVICE,
  MODEL_HUB,
  OFFLINE,
  EMBEDDINGS_URL,
  EMBEDDINGS_MODEL,
  EMBEDDINGS_DIMS,
  EMBEDDINGS_KEY,
  SEARCH_THRESHOLD,
  HOST,
  PORT,
  MCP_PORT,
  API_KEYS,
  MCP_API_KEYS,
  ALLOWED_HOSTS,
  MAX_UPLOAD,
  TOOLS,
  READ_ONLY,
  LOG_REQUESTS,
  LOG_QUERIES,
];
