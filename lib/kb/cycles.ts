/** A node that is being looked at, with the edges still to follow. */
interface Step {
  readonly node: number;
  readonly next: Iterator<number>;
}

/** A circle in a graph. */
export interface Cycle {
  /** Its first nodes in order. */
  readonly nodes: readonly number[];
  /** How many it has. */
  readonly length: number;
}

/**
 * Finds circles in a directed graph, in time that grows with its edges.
 *
 * Every edge that leads back to a node on the way closes one circle. A graph can have far more
 * circles than edges, so some are left out where several run through the same nodes; breaking those
 * that were found and looking again finds them.
 *
 * @param edges Nodes with those they lead to; a node may lead to itself.
 * @param maxNodes Most nodes given of one circle, as a long one may be closed by many edges.
 * @returns Each circle once, beginning with the node that was met first.
 *
 * @example Two nodes that lead to each other
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const edges = new Map([[1, [2]], [2, [1, 3]], [3, []]]);
 * assert.deepEqual([...findCycles(edges, 9)], [{ nodes: [1, 2], length: 2 }]);
 * ```
 */
export function* findCycles(
  edges: ReadonlyMap<number, Iterable<number>>,
  maxNodes: number,
): Generator<Cycle> {
  /** Place on the way; -1 once all edges of the node were followed. */
  const places = new Map<number, number>();
  const way: Step[] = [];
  function enter(node: number): void {
    places.set(node, way.length);
    way.push({ node, next: (edges.get(node) ?? [])[Symbol.iterator]() });
  }
  for (const root of edges.keys()) {
    if (places.has(root)) continue;
    enter(root);
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const { done, value } = step.next.next();
      if (done === true) {
        places.set(step.node, -1);
        way.pop();
        continue;
      }
      const place = places.get(value);
      if (place === undefined) enter(value);
      else if (place >= 0) {
        const nodes = way.slice(place, place + maxNodes).map((it) => it.node);
        yield { nodes, length: way.length - place };
      }
    }
  }
}
