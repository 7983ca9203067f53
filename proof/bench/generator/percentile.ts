/** The smallest value that at least this share of the values does not exceed; NaN for an empty list. */
export function percentile(sorted: Readonly<ArrayLike<number>>, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
