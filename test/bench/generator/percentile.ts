/** The smallest of them that at least this share is not above; NaN of none. */
export function percentile(sorted: Readonly<ArrayLike<number>>, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
