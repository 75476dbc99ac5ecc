import type { EmbeddingBatch, FailedRow } from "./types.ts";

/** One text on its way to a worker. */
export interface EmbeddingTask {
  /** Batch it belongs to. */
  readonly batch: PendingBatch;
  /** Its row there, from 0. */
  readonly row: number;
  /** The text. */
  readonly text: string;
  /** Chooses the prefix. */
  readonly role: "query" | "passage";
  /** Workers that stopped while they had it. */
  tries: number;
}

/** A batch that is being embedded, row by row and in any order. */
export class PendingBatch {
  /** Settles when every row is done, or the batch is rejected. */
  readonly done: Promise<EmbeddingBatch>;
  readonly #batch: EmbeddingBatch & {
    cutRows: number[];
    failedRows: FailedRow[];
  };
  #missing: number;
  #settled = false;
  #resolve: (batch: EmbeddingBatch) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** Makes room for `rows` vectors of `dims` numbers. */
  constructor(rows: number, dims: number, modelId: string) {
    this.#batch = {
      data: new Float32Array(rows * dims),
      rows,
      dims,
      cutRows: [],
      failedRows: [],
      modelId,
    };
    this.#missing = rows;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether nothing more is wanted. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Puts a row's vector. */
  set(row: number, vector: Float32Array, cut: boolean): void {
    this.#batch.data.set(vector, row * this.#batch.dims);
    if (cut) this.#batch.cutRows.push(row);
    this.#finishRow();
  }

  /** Notes that a row has no vector. */
  fail(row: number, message: string): void {
    this.#batch.failedRows.push({ row, message });
    this.#finishRow();
  }

  /** Ends the batch with an error, unless it has ended. */
  reject(error: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reject(error);
  }

  #finishRow(): void {
    this.#missing--;
    if (this.#missing > 0 || this.#settled) return;
    this.#settled = true;
    this.#batch.cutRows.sort((a, b) => a - b);
    this.#batch.failedRows.sort((a, b) => a.row - b.row);
    this.#resolve(this.#batch);
  }
}
