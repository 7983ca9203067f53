const integers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** Shows what has no value, for example the latency of a request that was not sent on. */
const dash = '–'

/** An integer with separators, never shortened: 1,234,567. */
export function integer(value: number): string {
  return integers.format(value)
}

/** A number of credits in a sentence: 1 credit, 1,234 credits. */
export function creditsText(count: number): string {
  return `${integer(count)} ${Math.abs(count) === 1 ? 'credit' : 'credits'}`
}

/** A round number of an axis, short where there are many digits: 500, 1.5K, 20M. */
export function compact(value: number): string {
  return short.format(value)
}

/** A share of 1 as percent: 0.9934 → 99.3 %. Rounding never makes a failure invisible. */
export function percent(share: number): string {
  const rounded = Math.round(share * 1000) / 10
  const shown = share < 1 && rounded === 100 ? 99.9 : share > 0 && rounded === 0 ? 0.1 : rounded
  return `${tenths.format(shown)} %`
}

/** Milliseconds as they were measured; a dash for null. */
export function duration(ms: number | null): string {
  return ms === null ? dash : `${integer(ms)} ms`
}

/** Milliseconds of a percentile, which is approximate, with two digits: 1234 → ≈ 1,200 ms. */
export function approximateDuration(ms: number | null): string {
  return ms === null ? dash : `≈ ${integer(Number(ms.toPrecision(2)))} ms`
}

export interface Price {
  /** In the smallest unit of the currency. */
  readonly cents: number
  /** ISO 4217. */
  readonly currency: string
}

/** An amount of money: $1,234.50. */
export function money({ cents, currency }: Price): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(cents / 10 ** digits)
}
