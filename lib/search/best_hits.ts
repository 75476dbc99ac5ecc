/** One row a scan found. */
export interface VectorHit {
  /** The id the vector was set under. */
  readonly id: number;
  /** Cosine of the stored vector and the query, -1 to 1. */
  readonly score: number;
}

/** Orders hits best first: the higher score, then the smaller id. */
function compareHits(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.id - b.id;
}

/** The best hits seen so far, as a binary heap whose root is the worst of them. */
export class BestHits {
  readonly #limit: number;
  readonly #heap: VectorHit[] = [];
  /** Score a further hit has to reach; `-Infinity` until `limit` hits are held. */
  scoreMin = -Infinity;

  /** Keeps the best `limit` hits, an integer >= 1. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a hit in if it is among the best. */
  offer(id: number, score: number): void {
    const hit: VectorHit = { id, score };
    const heap = this.#heap;
    if (heap.length < this.#limit) this.#siftUp(hit);
    else if (heap[0] !== undefined && compareHits(hit, heap[0]) < 0) {
      this.#siftDown(hit);
    }
    if (heap.length === this.#limit) {
      this.scoreMin = heap[0]?.score ?? -Infinity;
    }
  }

  /** All held hits, best first. Call once, at the end: it sorts the heap itself. */
  take(): VectorHit[] {
    return this.#heap.sort(compareHits);
  }

  /** Adds a hit at the end and moves better parents below it. */
  #siftUp(hit: VectorHit): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || compareHits(parent, hit) > 0) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = hit;
  }

  /** Puts a hit in the root's place and moves worse children above it. */
  #siftDown(hit: VectorHit): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      let child = heap[childAt];
      const right = heap[childAt + 1];
      if (child === undefined) break;
      if (right !== undefined && compareHits(right, child) > 0) {
        child = right;
        childAt++;
      }
      if (compareHits(child, hit) < 0) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = hit;
  }
}
