/** A random source that gives the same numbers, 0 to 1, for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A vector of unit length whose directions are about evenly spread. */
export function randomUnitVector(
  random: () => number,
  dims: number,
): Float32Array {
  // A sum of uniform numbers is near enough to a normal one.
  const values = Array.from(
    { length: dims },
    () => random() + random() + random() - 1.5,
  );
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}
