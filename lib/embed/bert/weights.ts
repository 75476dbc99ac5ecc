/** A linear layer: `x * weights * scales + bias`. */
export interface LinearWeights {
  /** Row-major, `inputs` rows of `outputs` columns. */
  readonly weights: Int8Array;
  /** Values it takes. */
  readonly inputs: number;
  /** Values it gives. */
  readonly outputs: number;
  /** One for each column. */
  readonly scales: Float32Array;
  /** One for each column. */
  readonly bias: Float32Array;
}

/** A layer normalisation. */
export interface NormWeights {
  /** Factor of each value. */
  readonly weight: Float32Array;
  /** Added to each value. */
  readonly bias: Float32Array;
  /** Added to the variance. */
  readonly epsilon: number;
}

/** A table of vectors: `(codes - zeroPoint) * scale`. */
export interface EmbeddingTable {
  /** Row-major. */
  readonly codes: Uint8Array;
  /** Number of vectors. */
  readonly rows: number;
  /** The code of 0. */
  readonly zeroPoint: number;
  /** Difference of two codes. */
  readonly scale: number;
}

/** One layer of the encoder. */
export interface BertLayer {
  /** Inputs of attention. */
  readonly query: LinearWeights;
  readonly key: LinearWeights;
  readonly value: LinearWeights;
  /** What follows attention. */
  readonly attentionOutput: LinearWeights;
  readonly attentionNorm: NormWeights;
  /** The two halves of the feed-forward network. */
  readonly intermediate: LinearWeights;
  readonly output: LinearWeights;
  readonly outputNorm: NormWeights;
}

/** Everything a BERT encoder is made of. */
export interface BertWeights {
  /** Values of a token's vector. */
  readonly dims: number;
  /** Heads of attention; divides `dims`. */
  readonly heads: number;
  readonly words: EmbeddingTable;
  readonly positions: EmbeddingTable;
  readonly types: EmbeddingTable;
  readonly embeddingNorm: NormWeights;
  /** First layer first. */
  readonly layers: readonly BertLayer[];
}
