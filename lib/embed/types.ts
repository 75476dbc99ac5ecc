/** What runs a model: the processor, a graphics card, or whatever suits the model and is there. */
export type Device = "auto" | "cpu" | "webgpu";

/** A row that could not be embedded; its vector is all zeros. */
export interface FailedRow {
  /** Row number, counted from 0. */
  readonly row: number;
  /** What the model run said. */
  readonly message: string;
}

/** Vectors of one batch, row-major: row `i` is `data.subarray(i * dims, (i + 1) * dims)`. */
export interface EmbeddingBatch {
  /** Unit-length float32 rows; `data.length === rows * dims`. */
  readonly data: Float32Array;
  /** Number of texts embedded. */
  readonly rows: number;
  /** Numbers per vector, e.g. 384. */
  readonly dims: number;
  /** Row numbers whose text was longer than the model's window and was cut. */
  readonly cutRows: readonly number[];
  /** Rows the model failed on, in rising order; absent when there are none. */
  readonly failedRows?: readonly FailedRow[];
  /** Registry id, e.g. `"bge-small-en-v1.5@1"`; stored beside every vector. */
  readonly modelId: string;
}

/** Options for {@linkcode Embedder.embed}. */
export interface EmbedOptions {
  /** Chooses the prefix the model was trained with. */
  readonly role: "query" | "passage";
  /** Drops the batch from the queue, or discards its result once running. */
  readonly signal?: AbortSignal;
}

/** Turns texts into vectors. The worker client and the test fake both implement it. */
export interface Embedder extends AsyncDisposable {
  /** Numbers per vector. */
  readonly dims: number;
  /** Registry id of the model, e.g. `"bge-small-en-v1.5@1"`. */
  readonly modelId: string;
  /** Longest text the model reads, in tokens, its start and end marks included. */
  readonly windowTokens: number;

  /**
   * Embeds a batch off the calling thread.
   *
   * @param texts 1 to 64 non-empty texts.
   * @param options Role and cancellation.
   * @returns One unit-length row per text, in the order given. A text the model
   * fails on has a zero row and an entry in `failedRows`; the others are whole.
   * @throws {RangeError} If `texts` holds 0 or more than 64 entries, or an empty one.
   * @throws {KbError} `model_unavailable` if the model cannot be loaded; `cancelled` if
   * `signal` aborts or the embedder is closed first.
   */
  embed(
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<EmbeddingBatch>;

  /** Releases the model; what is in flight ends as `cancelled`. Safe to call twice. */
  close(): Promise<void>;
}
