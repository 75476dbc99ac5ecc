import { resolveModel } from "../../lib/embed/mod.ts";
import type { Embedder, EmbeddingBatch } from "../../lib/embed/mod.ts";
import { Random } from "./random.ts";

/** Id of the model that generated vectors are stored under. */
export const BENCH_MODEL = "bench@1";

const CLUSTER_SIZE = 50;
/** Length of the noise beside a centre of length 1: cosines of about 0.7 inside a cluster. */
const SPREAD = 0.65;
const QUERY_SPREAD = 0.4;

/** Scales a vector to length 1. */
function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** Adds noise of about the given length to a vector, and scales the sum to length 1. */
function addNoise(
  vector: Float32Array,
  random: Random,
  length: number,
): Float32Array {
  const deviation = length / Math.sqrt(vector.length);
  return toUnitLength(
    vector.map((value) => value + deviation * random.normal()),
  );
}

/** Unit vectors in clusters, as many as asked for, each made when it is needed. */
export class ClusteredVectors {
  /** Numbers per vector. */
  readonly dims: number = resolveModel().spec.dims;
  readonly #count: number;
  readonly #centres = new Map<number, Float32Array>();

  /** Plans `count` vectors. */
  constructor(count: number) {
    this.#count = count;
  }

  /** One vector, by index from 0. */
  at(index: number): Float32Array {
    const clusters = Math.ceil(this.#count / CLUSTER_SIZE);
    return addNoise(
      this.#centre(index % clusters),
      new Random(index),
      SPREAD,
    );
  }

  /** A query near a vector of the base. */
  query(random: Random): Float32Array {
    const index = random.integer(0, this.#count - 1);
    return addNoise(this.at(index), random, QUERY_SPREAD);
  }

  #centre(cluster: number): Float32Array {
    let centre = this.#centres.get(cluster);
    if (centre === undefined) {
      const random = new Random(-cluster - 2);
      centre = toUnitLength(
        new Float32Array(this.dims).map(() => random.normal()),
      );
      this.#centres.set(cluster, centre);
    }
    return centre;
  }
}

/** An embedder that takes no time: each text gets the next of the prepared vectors. */
export function preparedEmbedder(
  vectors: readonly Float32Array[],
): Embedder {
  const { dims, windowTokens } = resolveModel().spec;
  let next = 0;
  return {
    dims,
    modelId: BENCH_MODEL,
    windowTokens,
    embed(texts): Promise<EmbeddingBatch> {
      const data = new Float32Array(texts.length * dims);
      for (let row = 0; row < texts.length; row++) {
        const vector = vectors[next++ % vectors.length];
        if (vector !== undefined) data.set(vector, row * dims);
      }
      return Promise.resolve({
        data,
        rows: texts.length,
        dims,
        cutRows: [],
        modelId: BENCH_MODEL,
      });
    },
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
