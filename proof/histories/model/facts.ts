import type { Asked, Call, Entry, History, Interval } from './history.ts'

/** The history, ordered by what the checks ask for. */
export interface Facts {
  readonly history: History
  /** The charges of the live environment, without those that were there at the start, in order. */
  readonly charges: readonly Entry[]
  readonly chargeOf: (requestId: string) => Entry | undefined
  readonly askedBy: (requestId: string) => Asked | undefined
  readonly callOf: (requestId: string) => Call | undefined
  /** All attempts with the same account and request text. */
  readonly attemptsOf: (accountId: string, request: string) => readonly Call[]
  /** Live calls of one account and idempotency key; those without a key are not in it. */
  readonly groups: readonly KeyGroup[]
}

export interface KeyGroup {
  readonly accountId: string
  readonly key: string
  readonly calls: readonly Call[]
  /** The backend's requests for any of its calls. */
  readonly asked: readonly Asked[]
  readonly charges: readonly Entry[]
}

export function collectFacts(history: History): Facts {
  const charges = history.books.entries.filter(
    ({ kind, environment }) => kind === 'charge' && environment === 'live',
  )
  const chargeByRef = new Map(charges.map((entry) => [entry.ref, entry]))
  const askedById = new Map(history.asked.map((asked) => [asked.requestId, asked]))
  const answered = history.calls.flatMap((call) =>
    call.answer && !call.answer.isReplay ? [[call.answer.requestId, call] as const] : [],
  )
  const callById = new Map(answered)
  const attempts = Map.groupBy(history.calls, ({ accountId, request }) => `${accountId} ${request}`)
  const askedByRequest = Map.groupBy(
    history.asked,
    ({ accountId, request }) => `${accountId} ${request}`,
  )
  const keyed = history.calls.filter(
    ({ key, environment }) => key !== null && environment === 'live',
  )
  const byKey = Map.groupBy(keyed, ({ accountId, key }) => `${accountId} ${key}`)
  const groups = [...byKey.values()].flatMap((calls): KeyGroup[] => {
    const [first] = calls
    if (!first || first.key === null) return []
    const { accountId, key } = first
    const requests = new Set(calls.map(({ request }) => `${accountId} ${request}`))
    const asked = [...requests].flatMap((request) => askedByRequest.get(request) ?? [])
    const charged = asked.flatMap(({ requestId }) => chargeByRef.get(requestId) ?? [])
    // The backend may be asked again for one request, when it broke the connection.
    return [{ accountId, key, calls, asked, charges: [...new Set(charged)] }]
  })
  return {
    history,
    charges,
    groups,
    chargeOf: (requestId) => chargeByRef.get(requestId),
    askedBy: (requestId) => askedById.get(requestId),
    callOf: (requestId) => callById.get(requestId),
    attemptsOf: (accountId, request) => attempts.get(`${accountId} ${request}`) ?? [],
  }
}

/** The price of a delivered answer; null when it is no success. */
export function dueFor({ isFlat, maximum }: Call, { answer }: Asked): number | null {
  if (!answer || answer.status < 200 || answer.status >= 300) return null
  return isFlat ? maximum : Math.min(maximum, answer.used ?? 0)
}

export function isSuccess({ answer }: Call): boolean {
  return answer !== null && answer.status >= 200 && answer.status < 300
}

/** Whether the caller knows that nothing came of it: 503 says that it isn't known. */
export function isFailure({ answer }: Call): boolean {
  return answer !== null && answer.status >= 400 && answer.status !== 503
}

export function overlaps(one: Interval, other: Interval): boolean {
  return one.startMs <= other.endMs && other.startMs <= one.endMs
}

export function describeCall({ id, answer, key, gateway, request, environment }: Call): string {
  const outcome = answer
    ? `${answer.status} ${answer.code || (answer.isReplay ? 'replayed' : 'fresh')} ${answer.requestId}, charged ${answer.charged}, remaining ${answer.remaining}`
    : 'no answer'
  const where = environment === 'live' ? gateway : `${gateway} sandbox`
  return `call ${id} (${request}${key === null ? '' : `, key ${key}`}, ${where}): ${outcome}`
}

export function describeEntry({ seq, kind, credits, ref, description }: Entry): string {
  return `entry ${seq}: ${kind} ${credits} for ${ref} (${description})`
}
