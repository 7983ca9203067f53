/**
 * The value of a step of latencies, in ms: it differs from every latency of the step by at most a
 * tenth. The steps are those of `usage.latency_class`: each is 15 % wider than the one before, and
 * -1 is less than a millisecond.
 */
export function latencyMsOfStep(step: number): number {
  return step < 0 ? 0 : Math.round(1.15 ** (step + 0.5))
}

/** PostgreSQL's largest integer is in step 153. */
const highestStep = 153

/** Of the text that is read at the moment: from step -1 on, how many requests it has. */
const requestsOf = new Float64Array(highestStep + 2)

/**
 * For each percentage, the lowest latency, in ms, that this share of the requests does not exceed. `steps`
 * has the requests by step, as `step:requests,…`: in any order, and a step may occur several times. A summary has
 * thousands of such texts, so no object is made for any part of them.
 */
export function latencyPercentilesMs(steps: string, percentages: readonly number[]): number[] {
  const whole = readSteps(steps)
  return percentages.map((percentage) => {
    let soFar = 0
    for (const [index, requests] of requestsOf.entries()) {
      soFar += requests
      // Whole numbers: 0.95 × 20 need not be 19.
      if (soFar > 0 && soFar * 100 >= percentage * whole) return latencyMsOfStep(index - 1)
    }
    throw new Error('Nothing was requested.')
  })
}

/** Returns the requests of all steps. */
function readSteps(text: string): number {
  requestsOf.fill(0)
  let whole = 0
  for (let start = 0; start < text.length; ) {
    const colon = text.indexOf(':', start)
    const comma = text.indexOf(',', colon)
    const end = comma === -1 ? text.length : comma
    const index = Number(text.slice(start, colon)) + 1
    const requests = Number(text.slice(colon + 1, end))
    requestsOf[index] = (requestsOf[index] ?? 0) + requests
    whole += requests
    start = end + 1
  }
  return whole
}
