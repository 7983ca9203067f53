import type { Filters } from './search.ts'

const hourMs = 3_600_000

/** Spans that end now, by their name in the address. */
export const spans = {
  '1h': { label: 'Last hour', ms: hourMs },
  '24h': { label: 'Last 24 hours', ms: 24 * hourMs },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * hourMs },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * hourMs },
  '90d': { label: 'Last 90 days', ms: 90 * 24 * hourMs },
} as const

export type SpanName = keyof typeof spans

export interface Span {
  readonly from?: string
  readonly to?: string
}

/** Relative spans begin at a whole minute, so that one screen asks for one span. */
const minuteMs = 60_000

/** The span that the address names: by `span`, or by `from` and `to`. */
export function spanOf({ span, from, to }: Filters, nowMs: number): Span {
  if (span !== undefined && span in spans) {
    const { ms } = spans[span as SpanName]
    return { from: new Date(Math.floor((nowMs - ms) / minuteMs) * minuteMs).toISOString() }
  }
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) }
}

/** The length of the span, in milliseconds. Without a beginning it is the default of the API. */
export function lengthOf({ from, to }: Span, nowMs: number): number {
  if (!from) return spans['30d'].ms
  return (to ? Date.parse(to) : nowMs) - Date.parse(from)
}
