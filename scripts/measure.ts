/**
 * Value below which a share of the values lies.
 *
 * @param values At least one number, in any order.
 * @param share 0 to 1, e.g. 0.5 for the median.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[
    Math.min(sorted.length - 1, Math.floor(share * sorted.length))
  ] ?? NaN;
}
