/**
 * The value of a step of latencies, in ms: it differs from every latency of the step by at most a
 * tenth. The steps are those of `usage.latency_class`: each is 15 % wider than the one before, and
 * -1 is less than a millisecond.
 */
export function latencyMsOfStep(step: number): number {
  return step < 0 ? 0 : Math.round(1.15 ** (step + 0.5))
}

/** Requests by step, from `step:requests,…`: in any order, and a step may occur several times. */
export function readSteps(text: string): Map<number, number> {
  const requestsOf = new Map<number, number>()
  for (const part of text.split(',')) {
    const [step = Number.NaN, requests = Number.NaN] = part.split(':').map(Number)
    requestsOf.set(step, (requestsOf.get(step) ?? 0) + requests)
  }
  return requestsOf
}

/**
 * For each percentage, the lowest latency, in ms, that this share of the requests does not exceed.
 */
export function latencyPercentilesMs(
  requestsOf: ReadonlyMap<number, number>,
  percentages: readonly number[],
): number[] {
  const steps = [...requestsOf].sort(([one], [other]) => one - other)
  const whole = steps.reduce((sum, [, requests]) => sum + requests, 0)
  return percentages.map((percentage) => {
    let soFar = 0
    for (const [step, requests] of steps) {
      soFar += requests
      // Whole numbers: 0.95 × 20 need not be 19.
      if (soFar * 100 >= percentage * whole) return latencyMsOfStep(step)
    }
    throw new Error('Nothing was requested.')
  })
}
