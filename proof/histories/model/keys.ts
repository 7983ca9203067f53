import { describeCall, dueFor, type Facts, isSuccess, type KeyGroup, overlaps } from './facts.ts'
import type { Call, Rules } from './history.ts'
import type { Violation } from './violation.ts'

/** One charge, one answer and one effect for each idempotency key (docs/credits.md §5). */
export function checkKeys(facts: Facts): Violation[] {
  return [...facts.groups.flatMap((group) => checkGroup(group, facts)), ...checkEffects(facts)]
}

function checkGroup(group: KeyGroup, facts: Facts): Violation[] {
  const { accountId, calls } = group
  const complain = (kind: Violation['kind'], call: Call, expected: string): Violation => ({
    ...{ kind, accountId, expected, atMs: call.endMs, what: describeCall(call) },
  })
  const successes = calls.filter(isSuccess).toSorted((a, b) => a.endMs - b.endMs)
  const [, ...later] = successes.filter(({ answer }) => !answer?.isReplay)
  const differing = successes.filter((call) => !repeatsCharged(call, group, facts))
  return [
    ...later.map((call) => complain('doubled effect', call, 'a replay: the key was answered')),
    ...differing.map((call) =>
      complain('replay differs', call, 'the status, body and charge of the first answer'),
    ),
    ...calls.flatMap((call) => {
      const expected = wrongConflict(call, group, facts.history.rules)
      return expected ? [complain('wrong refusal', call, expected)] : []
    }),
  ]
}

/** Whether a success has the body and the price of what was charged for the key. */
function repeatsCharged({ answer, request }: Call, group: KeyGroup, facts: Facts): boolean {
  const [fresh] = group.calls.filter((call) => isSuccess(call) && !call.answer?.isReplay)
  const [entry] = group.charges
  const known = entry?.ref ?? fresh?.answer?.requestId
  const delivered = group.asked.filter(
    (asked) => asked.request === request && (known === undefined || asked.requestId === known),
  )
  return delivered.some((asked) => {
    const [call] = facts.attemptsOf(group.accountId, asked.request)
    const due = call ? dueFor(call, asked) : null
    return due !== null && asked.answer?.body === answer?.body && answer?.charged === due
  })
}

/** Why this answer can't be, with what is known of the other attempts. */
function wrongConflict(call: Call, { calls }: KeyGroup, rules: Rules): string | null {
  const { answer, request, startMs } = call
  if (!answer || isSuccess(call)) return null
  const others = calls.filter((other) => other !== call)
  const answeredBefore = others.some((other) => isSuccess(other) && other.endMs < startMs)
  if (answer.status === 409 && answer.code === 'IDEMPOTENCY_CONFLICT') {
    if (answeredBefore) return 'the stored answer, or 422: the key was answered'
    const isRunning = others.some(
      (other) => other.request === request && mayHold(other, call, rules),
    )
    return isRunning ? null : '409 only while another attempt may be running'
  }
  if (answer.status === 422) {
    const isTaken = others.some((other) => other.request !== request && mayHold(other, call, rules))
    return isTaken ? null : '422 only when another request may have the key'
  }
  const isRefused = [400, 402, 404, 409, 410, 502, 504].includes(answer.status)
  return answeredBefore && isRefused ? 'the stored answer, or 422: the key was answered' : null
}

/** Whether an attempt may have the key at some instant of another one. */
function mayHold(holder: Call, asking: Call, { holdTtlMs }: Rules): boolean {
  const { answer, startMs, endMs } = holder
  if (startMs > asking.endMs) return false
  if (isSuccess(holder)) return true
  switch (answer?.status) {
    // Refused before anything was claimed.
    case 401:
    case 402:
    case 403:
    case 408:
    case 429:
      return false
    case 409:
      if (answer?.code === 'IDEMPOTENCY_CONFLICT') return false
  }
  // A call has released hold and key when its answer tells the remaining credits; else the time isn't known. A
  // hold that has run out keeps its key until the sweeper ends it, which may be after the answer.
  const isReleased =
    answer !== null &&
    answer.status !== 503 &&
    answer.remaining !== null &&
    endMs - startMs < holdTtlMs
  return isReleased ? overlaps(holder, asking) : true
}

/** Checks the requests to the backend: one for a call without a key, always the same key otherwise. */
function checkEffects({ history, groups, attemptsOf }: Facts): Violation[] {
  const keyless = history.calls.filter(
    ({ key, environment, isRepeatable }) => key === null && environment === 'live' && !isRepeatable,
  )
  const byRequest = Map.groupBy(
    history.asked,
    ({ accountId, request }) => `${accountId} ${request}`,
  )
  const repeated = keyless.flatMap((call): Violation[] => {
    const asked = byRequest.get(`${call.accountId} ${call.request}`) ?? []
    const attempts = attemptsOf(call.accountId, call.request).length
    if (asked.length <= attempts) return []
    const [, again] = asked
    const { accountId } = call
    const expected = 'one request to the backend for a call without a key'
    const atMs = again?.startMs ?? call.endMs
    return [{ kind: 'doubled effect', atMs, accountId, what: describeCall(call), expected }]
  })
  const owners = new Map<string, KeyGroup>()
  const mixed = groups.flatMap((group) =>
    group.asked.flatMap((asked): Violation[] => {
      const { backendKey, accountId, startMs } = asked
      const owner = backendKey === null ? undefined : (owners.get(backendKey) ?? group)
      const [first] = group.asked
      if (backendKey !== null && owner) owners.set(backendKey, owner)
      if (owner === group && first?.backendKey === backendKey) return []
      const expected = `one key towards the backend for ${group.key}, and for nothing else`
      const what = `the backend was asked for ${asked.request} with the key ${backendKey}`
      return [{ kind: 'doubled effect', atMs: startMs, accountId, what, expected }]
    }),
  )
  return [...repeated, ...mixed]
}
