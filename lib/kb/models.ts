import { KbError } from "../core/mod.ts";
import {
  type Embedder,
  modelIdentity,
  type ModelSpec,
  openEmbedder,
  type ResolvedModel,
  resolveModel,
  specOf,
} from "../embed/mod.ts";
import {
  CHUNKER_VERSION,
  type Measure,
  type MeasureSource,
  openMeasure,
} from "../ingest/mod.ts";
import {
  findModel,
  type ModelRow,
  putModel,
  type Store,
} from "../store/mod.ts";
import { toDefined } from "./known_models.ts";
import type { OpenKbOptions } from "./types.ts";

const FALLBACK_WINDOW_TOKENS = 256;

/**
 * The embedding model a base uses. Loads each part when it is first needed, and keeps a base
 * usable by word when the model cannot be had.
 */
export class BaseModel implements AsyncDisposable {
  readonly #options: OpenKbOptions;
  readonly #spec: ModelSpec | undefined;
  #resolved: ResolvedModel | undefined;
  #embedder: Embedder | undefined;
  #measure: Measure | undefined;

  /** Takes the options of the base; nothing is read yet. */
  constructor(options: OpenKbOptions) {
    this.#options = options;
    this.#embedder = options.embedder;
    this.#spec = specOf(options.model);
  }

  /** Registry id, or what was asked for if the registry does not have it. */
  get id(): string {
    return this.#options.embedder?.modelId ?? this.#spec?.id ??
      this.#options.model ?? "";
  }

  /** Numbers per vector. */
  get dims(): number {
    return this.#options.embedder?.dims ?? this.#spec?.dims ?? 0;
  }

  /** Names everything that decides a vector; `undefined` for an unknown model. */
  get identity(): string | undefined {
    if (this.#options.embedder !== undefined) {
      return `${this.id}:${CHUNKER_VERSION}`;
    }
    return this.#spec === undefined
      ? undefined
      : modelIdentity(this.#spec, CHUNKER_VERSION);
  }

  /** What is wrong with the model's files; `undefined` if nothing is. */
  get problem(): string | undefined {
    if (this.#options.embedder !== undefined) return undefined;
    try {
      this.#resolve();
      return undefined;
    } catch (error) {
      if (error instanceof KbError) return error.message;
      throw error;
    }
  }

  /**
   * Gives the embedder, opened once.
   *
   * @throws {KbError} `model_unavailable` if the model's files cannot be had.
   */
  embedder(): Embedder {
    const { workers, device } = this.#options;
    this.#embedder ??= openEmbedder(this.#resolve(), {
      ...(workers === undefined ? {} : { workers }),
      ...(device === undefined ? {} : { device }),
    });
    return this.#embedder;
  }

  /** Says how chunks are measured: by the model's tokenizer, or by length if it cannot be had. */
  measure(): Measure {
    this.#measure ??= openMeasure(this.measureSource());
    return this.#measure;
  }

  /** What {@linkcode BaseModel.measure} is made of. */
  measureSource(): MeasureSource {
    const windowTokens = this.#options.embedder?.windowTokens ??
      this.#spec?.windowTokens ?? FALLBACK_WINDOW_TOKENS;
    return { model: this.#find(), windowTokens };
  }

  /** Releases the model. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#embedder?.close();
  }

  /** The model's files, or `undefined` if they cannot be had. */
  #find(): ResolvedModel | undefined {
    try {
      return this.#resolve();
    } catch (error) {
      if (error instanceof KbError) return undefined;
      throw error;
    }
  }

  #resolve(): ResolvedModel {
    this.#resolved ??= resolveModel(toDefined(this.#options));
    return this.#resolved;
  }
}

/** Finds the row of a base's model, if the base has had vectors of it. */
export function findModelOf(
  store: Store,
  { identity }: BaseModel,
): ModelRow | undefined {
  return identity === undefined ? undefined : findModel(store, identity);
}

/**
 * Gives the row of a base's model, stored when it is first needed.
 *
 * @throws {KbError} `model_unavailable` if the model is unknown.
 */
export function putModelOf(store: Store, model: BaseModel): ModelRow {
  const { identity, id, dims } = model;
  if (identity === undefined) {
    throw new KbError(
      "model_unavailable",
      model.problem ?? `Unknown model "${id}"`,
    );
  }
  return putModel(store, { identity, modelKey: id, dims });
}
