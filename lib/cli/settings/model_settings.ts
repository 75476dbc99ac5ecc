import { choice, flag, number, text } from "./kinds.ts";
import type { Setting } from "./table.ts";

const PLAIN = { inConfig: true, isSecret: false, flags: [] } as const;

/** What runs the model. */
export const DEVICE: Setting<string> = {
  ...PLAIN,
  name: "device",
  kind: choice(["auto", "cpu", "webgpu"]),
  byDefault: "auto",
  env: ["KB_DEVICE"],
  about:
    "what runs the model: `cpu`; `webgpu`, which fails where there is none; `auto`, which takes the processor for the models kbdb knows and a graphics card for others, where it can",
};

/** Where models are downloaded from. */
export const MODEL_HUB: Setting<string, undefined> = {
  ...PLAIN,
  name: "modelHub",
  kind: text("an address such as https://hub.example.com"),
  byDefault: undefined,
  defaultMeaning: "the public hub",
  env: ["HF_ENDPOINT"],
  about: "where `kbdb model pull` downloads from",
};

/** Whether nothing is downloaded. */
export const OFFLINE: Setting<boolean> = {
  ...PLAIN,
  name: "offline",
  kind: flag(),
  byDefault: false,
  env: ["HF_HUB_OFFLINE"],
  about: "whether `kbdb model pull` refuses to download",
};

/** Endpoint that makes the vectors. */
export const EMBEDDINGS_URL: Setting<string, undefined> = {
  ...PLAIN,
  name: "embeddingsUrl",
  kind: text("an address such as http://localhost:11434/v1"),
  byDefault: undefined,
  defaultMeaning: "none: vectors are made on this machine",
  env: ["KB_EMBEDDINGS_URL"],
  about:
    "endpoint with `/embeddings` as OpenAI has it that makes the vectors; **texts and queries are sent there**",
};

/** Model of the endpoint. */
export const EMBEDDINGS_MODEL: Setting<string, undefined> = {
  ...PLAIN,
  name: "embeddingsModel",
  kind: text("the name of a model"),
  byDefault: undefined,
  defaultMeaning: "none",
  env: ["KB_EMBEDDINGS_MODEL"],
  about: "model of `embeddingsUrl`",
};

/** Size of the endpoint's vectors. */
export const EMBEDDINGS_DIMS: Setting<number, undefined> = {
  ...PLAIN,
  name: "embeddingsDims",
  kind: number({ min: 16, max: 8_192, isWhole: true }),
  byDefault: undefined,
  defaultMeaning: "none",
  env: ["KB_EMBEDDINGS_DIMS"],
  about: "numbers in a vector of `embeddingsModel`; a multiple of 16",
};

/** Key of the endpoint. */
export const EMBEDDINGS_KEY: Setting<string, undefined> = {
  ...PLAIN,
  name: "embeddingsKey",
  kind: text("a key"),
  byDefault: undefined,
  defaultMeaning: "none",
  env: ["KB_EMBEDDINGS_KEY"],
  inConfig: false,
  isSecret: true,
  about: "key of `embeddingsUrl`",
};
