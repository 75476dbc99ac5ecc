import {
  type BertKernels,
  bestBuild,
  type KernelBuild,
  loadKernels,
} from "./bert_kernels.ts";
import { expect } from "./graph_matcher.ts";
import type {
  BertLayer,
  BertWeights,
  EmbeddingTable,
  LinearWeights,
  NormWeights,
} from "./weights.ts";

const PAGE_BYTES = 65536;
/** Every block starts at a cache line. */
const LINE_BYTES = 64;
/** The kernels work on this many rows at a time. */
const BLOCK_ROWS = 4;
/** Rows of more values could overflow the int32 sums of the kernels. */
const INPUTS_MAX = 2047;

/** Options for {@linkcode BertEncoder}. */
export interface BertEncoderOptions {
  /** Most tokens of a text. */
  readonly windowTokens: number;
  /** Which kernels to run; default the fastest the runtime can. */
  readonly build?: KernelBuild;
}

/** Linear layers side by side that take the same input, in memory. */
interface Linear {
  readonly inputs: number;
  readonly outputs: number;
  readonly packed: number;
  readonly params: number;
}

interface Norm {
  readonly weight: number;
  readonly bias: number;
  readonly epsilon: number;
}

interface Table extends Omit<EmbeddingTable, "codes"> {
  readonly codes: number;
}

interface Layer {
  readonly qkv: Linear;
  readonly attentionOutput: Linear;
  readonly attentionNorm: Norm;
  readonly intermediate: Linear;
  readonly output: Linear;
  readonly outputNorm: Norm;
}

/** Addresses of what one text is computed in. */
interface Buffers {
  /** The tokens' vectors. */
  readonly x: number;
  /** Queries, keys and values; then the intermediate values of the feed-forward network. */
  readonly wide: number;
  /** What a block adds to `x`. */
  readonly delta: number;
  readonly quantized: number;
  readonly scales: number;
  readonly scratch: number;
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

/**
 * Runs a BERT encoder in WebAssembly, one text at a time and without padding.
 *
 * Activations are rounded to 14 bits a token and multiplied with the model's int8 weights exactly;
 * the rest is float32. So a vector is that of the model with its weights as float32, but for some
 * 1e-6 of cosine, and the same on every CPU; see docs/decisions/0011-encoder.md.
 */
export class BertEncoder {
  readonly #memory: WebAssembly.Memory = new WebAssembly.Memory({ initial: 1 });
  readonly #kernels: BertKernels;
  readonly #dims: number;
  readonly #heads: number;
  readonly #windowTokens: number;
  readonly #words: Table;
  readonly #positions: Table;
  readonly #types: Table;
  readonly #embeddingNorm: Norm;
  readonly #layers: readonly Layer[];
  readonly #buffers: Buffers;
  /** End of what is allocated. */
  #end = 0;

  /**
   * Copies the weights into memory of its own, repacked. Blocks for some 30 ms.
   *
   * @throws {TypeError} If the kernels cannot run a model of this shape.
   */
  constructor(weights: BertWeights, options: BertEncoderOptions) {
    const { dims, heads, layers } = weights;
    const hidden = Math.max(
      ...layers.map(({ intermediate }) => intermediate.outputs),
    );
    expect(
      dims % 16 === 0 && hidden % 16 === 0 && dims / heads % 8 === 0 &&
        Math.max(dims, hidden) <= INPUTS_MAX,
      `${heads} heads of ${dims / heads} and ${hidden} hidden values`,
    );
    expect(
      options.windowTokens <= weights.positions.rows,
      `it has ${weights.positions.rows} positions`,
    );
    this.#kernels = loadKernels(this.#memory, options.build ?? bestBuild());
    this.#dims = dims;
    this.#heads = heads;
    this.#windowTokens = options.windowTokens;
    this.#buffers = this.#makeBuffers(hidden);
    this.#words = this.#storeTable(weights.words);
    this.#positions = this.#storeTable(weights.positions);
    this.#types = this.#storeTable(weights.types);
    this.#embeddingNorm = this.#storeNorm(weights.embeddingNorm);
    this.#layers = layers.map((layer) => this.#storeLayer(layer));
  }

  /**
   * Computes the vectors of a text's tokens.
   *
   * @param ids Token ids, 1 to the window.
   * @param options `firstOnly`: only the first token's vector is wanted, which saves most of the last layer.
   * @returns One row of `dims` values for each token, or one row.
   * @throws {RangeError} If there are too few or too many ids, or one is not in the vocabulary.
   */
  run(ids: Int32Array, options: { firstOnly?: boolean } = {}): Float32Array {
    const tokens = ids.length;
    if (tokens < 1 || tokens > this.#windowTokens) {
      throw new RangeError(
        `Cannot encode ${tokens} tokens: must be 1 to ${this.#windowTokens}`,
      );
    }
    const { x } = this.#buffers;
    const firstOnly = options.firstOnly ?? false;
    this.#embed(ids);
    const last = this.#layers.length - 1;
    for (const [index, layer] of this.#layers.entries()) {
      const rows = firstOnly && index === last
        ? BLOCK_ROWS
        : roundUp(tokens, BLOCK_ROWS);
      this.#attend(layer, tokens, rows);
      this.#feedForward(layer, rows);
    }
    const length = (firstOnly ? 1 : tokens) * this.#dims;
    return new Float32Array(this.#memory.buffer, x, length).slice();
  }

  /** Writes the normalised sum of word, type and position of every token to `x`. */
  #embed(ids: Int32Array): void {
    const { x } = this.#buffers;
    const dims = this.#dims;
    const rows = roundUp(ids.length, BLOCK_ROWS);
    new Float32Array(this.#memory.buffer, x, rows * dims).fill(0);
    const add = (table: Table, index: number, out: number) => {
      if (!(index >= 0 && index < table.rows)) {
        throw new RangeError(`Cannot encode: no row ${index} in its table`);
      }
      const codes = table.codes + index * dims;
      this.#kernels.addCodes(codes, table.zeroPoint, table.scale, dims, out);
    };
    for (const [position, id] of ids.entries()) {
      const out = x + 4 * dims * position;
      add(this.#words, id, out);
      add(this.#types, 0, out);
      add(this.#positions, position, out);
    }
    this.#normalise(x, 0, this.#embeddingNorm, rows);
  }

  /** Adds to the first `rows` of `x` what they find in all tokens, and normalises. */
  #attend(layer: Layer, tokens: number, rows: number): void {
    const { x, wide, delta, scratch } = this.#buffers;
    const dims = this.#dims;
    const { qkv } = layer;
    const all = roundUp(tokens, BLOCK_ROWS);
    this.#quantize(x, all, dims);
    if (rows === all) this.#multiply(qkv, all, wide);
    else {
      this.#multiply(qkv, rows, wide, 0, dims);
      this.#multiply(qkv, all, wide, dims);
    }
    this.#kernels.attention(
      wide,
      tokens,
      rows,
      this.#heads,
      dims / this.#heads,
      scratch,
      delta,
    );
    this.#quantize(delta, rows, dims);
    this.#multiply(layer.attentionOutput, rows, delta);
    this.#normalise(delta, x, layer.attentionNorm, rows);
  }

  /** Adds to each row what the feed-forward network makes of it, and normalises. */
  #feedForward(layer: Layer, rows: number): void {
    const { x, wide, delta } = this.#buffers;
    const { outputs: hidden } = layer.intermediate;
    this.#quantize(x, rows, this.#dims);
    this.#multiply(layer.intermediate, rows, wide);
    this.#kernels.gelu(wide, rows * hidden);
    this.#quantize(wide, rows, hidden);
    this.#multiply(layer.output, rows, delta);
    this.#normalise(delta, x, layer.outputNorm, rows);
  }

  #quantize(values: number, rows: number, dims: number): void {
    const { quantized, scales } = this.#buffers;
    this.#kernels.quantize(values, rows, dims, quantized, scales);
  }

  /** Multiplies the quantised rows with the columns of a layer from `first` to `end`. */
  #multiply(
    { inputs, outputs, packed, params }: Linear,
    rows: number,
    out: number,
    first = 0,
    end: number = outputs,
  ): void {
    const { quantized, scales } = this.#buffers;
    this.#kernels.linear(
      quantized,
      scales,
      rows,
      inputs,
      packed + first * inputs,
      params + 4 * first,
      outputs,
      end - first,
      out + 4 * first,
      4 * outputs,
    );
  }

  /** Writes the normalised sum of `values` and `residual` to `x`. */
  #normalise(
    values: number,
    residual: number,
    { weight, bias, epsilon }: Norm,
    rows: number,
  ): void {
    this.#kernels.layerNorm(
      values,
      residual,
      weight,
      bias,
      epsilon,
      rows,
      this.#dims,
      this.#buffers.x,
    );
  }

  /** Takes bytes from the end of the memory. */
  #allocate(bytes: number): number {
    const start = this.#end;
    this.#end = roundUp(start + bytes, LINE_BYTES);
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    return start;
  }

  #makeBuffers(hidden: number): Buffers {
    const dims = this.#dims;
    const rows = roundUp(this.#windowTokens, 8);
    const wide = Math.max(3 * dims, hidden);
    const headDims = dims / this.#heads;
    // Address 0 stands for "none" in the kernels.
    this.#allocate(LINE_BYTES);
    return {
      x: this.#allocate(4 * rows * dims),
      // Also where a matrix waits to be packed.
      wide: this.#allocate(Math.max(4 * rows * wide, dims * hidden)),
      delta: this.#allocate(4 * rows * dims),
      quantized: this.#allocate(2 * rows * Math.max(dims, hidden)),
      scales: this.#allocate(4 * rows),
      scratch: this.#allocate(4 * rows * (2 * headDims + BLOCK_ROWS)),
    };
  }

  #storeBytes(bytes: Uint8Array | Int8Array): number {
    const at = this.#allocate(bytes.length);
    new Uint8Array(this.#memory.buffer).set(bytes, at);
    return at;
  }

  #storeFloats(values: Float32Array): number {
    const at = this.#allocate(4 * values.length);
    new Float32Array(this.#memory.buffer, at).set(values);
    return at;
  }

  #storeTable({ codes, rows, zeroPoint, scale }: EmbeddingTable): Table {
    return { codes: this.#storeBytes(codes), rows, zeroPoint, scale };
  }

  #storeNorm({ weight, bias, epsilon }: NormWeights): Norm {
    return {
      weight: this.#storeFloats(weight),
      bias: this.#storeFloats(bias),
      epsilon,
    };
  }

  #storeLayer(layer: BertLayer): Layer {
    const { query, key, value, intermediate, output } = layer;
    // Scores are divided by the root of a head's dimensions: done once, in the weights.
    const factor = 1 / Math.sqrt(this.#dims / this.#heads);
    const scaledQuery = {
      ...query,
      scales: query.scales.map((scale) => scale * factor),
      bias: query.bias.map((bias) => bias * factor),
    };
    return {
      qkv: this.#storeLinear([scaledQuery, key, value]),
      attentionOutput: this.#storeLinear([layer.attentionOutput]),
      attentionNorm: this.#storeNorm(layer.attentionNorm),
      intermediate: this.#storeLinear([intermediate]),
      output: this.#storeLinear([output]),
      outputNorm: this.#storeNorm(layer.outputNorm),
    };
  }

  /** Packs layers of the same input side by side. */
  #storeLinear(parts: readonly LinearWeights[]): Linear {
    const inputs = parts[0]?.inputs ?? 0;
    const outputs = parts.reduce((sum, part) => sum + part.outputs, 0);
    const packed = this.#allocate(inputs * outputs);
    const params = this.#allocate(12 * outputs);
    const staging = this.#buffers.wide;
    let first = 0;
    for (const { weights, outputs: columns, scales, bias } of parts) {
      const { buffer } = this.#memory;
      new Int8Array(buffer, staging, weights.length).set(weights);
      const at = params + 4 * first;
      this.#kernels.pack(
        staging,
        inputs,
        columns,
        packed + first * inputs,
        at,
      );
      new Float32Array(buffer, at + 4 * outputs, columns).set(scales);
      new Float32Array(buffer, at + 8 * outputs, columns).set(bias);
      first += columns;
    }
    return { inputs, outputs, packed, params };
  }
}
