import { SCAN_WASM } from "./kernels/scan_wasm.ts";

/** Bytes of a page of WebAssembly memory. */
export const PAGE_BYTES = 65536;
/** Most pages a memory can have. */
export const PAGES_MAX = 65536;

/** What scan.ts exports; addresses are bytes into the imported memory. */
export interface Kernel {
  /** Cosines of `count` rows with the query. */
  score(
    rows: number,
    factors: number,
    count: number,
    dims: number,
    query: number,
    queryFactor: number,
    out: number,
  ): void;
  /** Replaces each of `count` row numbers by the row's cosine with the query. */
  scoreSome(
    rows: number,
    factors: number,
    list: number,
    count: number,
    dims: number,
    query: number,
    queryFactor: number,
  ): void;
  /** Sum of the squares of a row's values. */
  squares(row: number, dims: number): number;
  /** Writes which values of a row are above a centre. */
  sketchRow(
    row: number,
    length: number,
    centre: number,
    groups: number,
    block: number,
    lane: number,
  ): void;
  /** Estimates how near the rows of some blocks are. */
  estimate(
    block: number,
    blocks: number,
    groups: number,
    tables: number,
    out: number,
  ): void;
}

const MODULE = new WebAssembly.Module(
  Uint8Array.from(atob(SCAN_WASM), (c) => c.charCodeAt(0)),
);

/** Makes a kernel that works on a memory. */
export function openKernel(memory: WebAssembly.Memory): Kernel {
  const { exports } = new WebAssembly.Instance(MODULE, { env: { memory } });
  // The only place that knows both sides: what scan.ts exports has no type here.
  return exports as unknown as Kernel;
}
