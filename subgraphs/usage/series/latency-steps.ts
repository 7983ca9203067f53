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

/** The requests of each step, from step -1 on, of the text that is read at the moment. */
const requestsOf = new Float64Array(highestStep + 2)

const zero = '0'.charCodeAt(0)
const nine = '9'.charCodeAt(0)
const comma = ','.charCodeAt(0)
const end = '}'.charCodeAt(0)

/**
 * For each percentage, in ascending order, the lowest latency, in ms, that this share of the requests does not exceed.
 * `steps` has one array of PostgreSQL or several, `{0,3}{1}`, each with the requests of the steps from -1 on: they are
 * added up. A summary has thousands of such texts, so no object is made for any part of them.
 */
export function latencyPercentilesMs(steps: string, percentages: readonly number[]): number[] {
  const whole = readSteps(steps)
  let index = 0
  let soFar = requestsOf[0] ?? 0
  return percentages.map((percentage) => {
    // The comparison is one of whole numbers, because 0.95 × 20 need not be 19.
    while (soFar === 0 || soFar * 100 < percentage * whole) {
      if (index > highestStep) throw new Error('Nothing was requested.')
      index += 1
      soFar += requestsOf[index] ?? 0
    }
    return latencyMsOfStep(index - 1)
  })
}

/** Returns the requests of all steps. */
function readSteps(text: string): number {
  requestsOf.fill(0)
  let whole = 0
  let index = 0
  let requests = 0
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place)
    if (code >= zero && code <= nine) {
      requests = requests * 10 + code - zero
    } else if (code === comma || code === end) {
      requestsOf[index] = (requestsOf[index] ?? 0) + requests
      whole += requests
      requests = 0
      index = code === comma ? index + 1 : 0
    }
  }
  return whole
}
