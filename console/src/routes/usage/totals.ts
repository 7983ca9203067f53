import type { UsagePoint } from 'credit-gateway-sdk'

export interface Total {
  readonly name: string
  readonly requests: number
  readonly credits: number
  /** A share of 1; null without requests. */
  readonly success: number | null
  /** Milliseconds, in the busiest hour or day of the part; null without requests. */
  readonly p50: number | null
  /** Milliseconds: the highest of an hour or day. */
  readonly p95: number | null
}

/** The totals of a span, together and by part, the most expensive part first. */
export function totalsOf(
  points: readonly UsagePoint[],
  partOf: (point: UsagePoint) => string,
): { readonly all: Total; readonly parts: readonly Total[] } {
  const used = points.filter(({ requests }) => requests > 0)
  const parts = [...Map.groupBy(used, partOf)].map(([name, own]) => total(name, own))
  parts.sort((one, other) => other.credits - one.credits || other.requests - one.requests)
  return { all: total('All', used), parts }
}

function total(name: string, points: readonly UsagePoint[]): Total {
  const requests = sum(points, (point) => point.requests)
  const succeeded = sum(points, (point) => point.success_rate * point.requests)
  return {
    ...{ name, requests, credits: sum(points, (point) => point.credits) },
    success: requests === 0 ? null : succeeded / requests,
    p50: weightedMedian(points),
    p95: points.reduce<number | null>((most, { latency_p95_ms: ms }) => larger(most, ms), null),
  }
}

function sum(points: readonly UsagePoint[], countOf: (point: UsagePoint) => number): number {
  return points.reduce((all, point) => all + countOf(point), 0)
}

function larger(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.max(one, other)
}

/** The median of the medians, weighted by their requests. */
function weightedMedian(points: readonly UsagePoint[]): number | null {
  const known = points
    .flatMap(({ latency_p50_ms: ms, requests }) => (ms === null ? [] : [{ ms, requests }]))
    .sort((one, other) => one.ms - other.ms)
  const half = known.reduce((all, { requests }) => all + requests, 0) / 2
  let seen = 0
  for (const { ms, requests } of known) {
    seen += requests
    if (seen >= half) return ms
  }
  return null
}
