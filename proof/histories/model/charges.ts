import { describeCall, describeEntry, dueFor, type Facts, isFailure, isSuccess } from './facts.ts'
import type { Call, Entry, History } from './history.ts'
import { mayHaveEnded, mustHaveEnded } from './rotations.ts'
import { mayBeSuspended, mustBeSuspended } from './suspensions.ts'
import type { Violation } from './violation.ts'

/** Each charge has one delivered call, and each delivered call its charge (docs/credits.md I3, I7, I8, I9). */
export function checkCharges(facts: Facts): Violation[] {
  const { history, charges, groups } = facts
  return [
    ...charges.flatMap((entry) => checkEntry(entry, facts)),
    ...twice(charges).map((entry) => doubled(entry, 'one charge for each request')),
    ...groups.flatMap(({ key, charges: charged }) =>
      charged.slice(1).map((entry) => doubled(entry, `one charge for the key ${key}`)),
    ),
    ...history.calls.flatMap((call) => checkCall(call, facts)),
    ...checkRefunds(facts),
  ]
}

function twice(charges: readonly Entry[]): Entry[] {
  const byRef = Map.groupBy(charges, ({ ref }) => ref)
  return [...byRef.values()].flatMap((entries) => entries.slice(1))
}

function doubled(entry: Entry, expected: string): Violation {
  return violation('doubled charge', entry, expected)
}

function violation(kind: Violation['kind'], entry: Entry, expected: string): Violation {
  const { accountId, createdAtMs } = entry
  return { kind, atMs: createdAtMs, accountId, what: describeEntry(entry), expected }
}

function checkEntry(entry: Entry, facts: Facts): Violation[] {
  const { history, askedBy, attemptsOf, callOf } = facts
  const asked = askedBy(entry.ref)
  const attempts = asked ? attemptsOf(entry.accountId, asked.request) : []
  const [attempt] = attempts
  if (!asked || !attempt || asked.accountId !== entry.accountId) {
    return [violation('charge without a call', entry, 'a call that reached the backend')]
  }
  const found: Violation[] = []
  const due = dueFor(attempt, asked)
  if (due === null) {
    const status = asked.answer?.status ?? 'a broken connection'
    const expected = `no charge: the backend answered ${status}`
    found.push(violation('charge for a failed call', entry, expected))
  } else if (entry.credits !== -due) {
    found.push(violation('wrong amount', entry, `${-due} credits: ${JSON.stringify(asked.answer)}`))
  }
  if (attempt.environment === 'sandbox') {
    found.push(
      violation('charge without a call', entry, 'no live charge for a call of the sandbox'),
    )
  }
  // A call that was answered with this reference was charged; without an answer, any attempt may have
  // been.
  const answered = callOf(entry.ref)
  const suspects = answered ? [answered] : attempts
  if (suspects.every((call) => mustBeSuspended(call, history))) {
    found.push(violation('charge while suspended', entry, 'no charge of a suspended account'))
  }
  return found
}

function checkCall(call: Call, facts: Facts): Violation[] {
  const { answer, environment } = call
  if (!answer) return []
  const complain = (kind: Violation['kind'], expected: string): Violation => ({
    ...{ kind, expected, atMs: call.endMs, accountId: call.accountId },
    what: describeCall(call),
  })
  const refusal = wrongRefusal(call, facts)
  if (refusal) return [complain('wrong refusal', refusal)]
  if (isSuccess(call) && mustBeSuspended(call, facts.history)) {
    return [complain('charge while suspended', 'a refusal: the account is suspended')]
  }
  if (isSuccess(call) && mustHaveEnded(call, facts.history)) {
    return [complain('answer to an ended credential', '401: another one has replaced it')]
  }
  if (environment === 'sandbox') {
    const isFree = answer.charged === null || answer.charged === 0
    return isFree ? [] : [complain('wrong amount', 'nothing is charged in the sandbox')]
  }
  if (isSuccess(call)) return answer.isReplay ? [] : checkSuccess(call, facts, complain)
  return checkFailure(call, facts, complain)
}

type Complain = (kind: Violation['kind'], expected: string) => Violation

function checkSuccess(call: Call, facts: Facts, complain: Complain): Violation[] {
  const { answer } = call
  const requestId = answer?.requestId ?? ''
  const asked = facts.askedBy(requestId)
  const entry = facts.chargeOf(requestId)
  if (!asked)
    return [complain('wrong answer', 'a success only from the backend or a stored answer')]
  const due = dueFor(call, asked)
  if (due === null) return [complain('wrong answer', `${asked.answer?.status} of the backend`)]
  const found: Violation[] = []
  if (due > 0 && !entry) found.push(complain('lost charge', `a charge of ${due} credits`))
  if (answer?.charged !== due || (entry && entry.credits !== -due)) {
    found.push(complain('wrong amount', `${due} credits, charged and said so`))
  }
  if (answer?.body !== asked.answer?.body) {
    found.push(complain('wrong answer', `the backend's body: ${asked.answer?.body}`))
  }
  return found
}

function checkFailure(call: Call, facts: Facts, complain: Complain): Violation[] {
  const { answer, key } = call
  if ((answer?.charged ?? 0) !== 0) return [complain('wrong amount', 'a failure costs 0')]
  const entry = facts.chargeOf(answer?.requestId ?? '')
  if (!entry) return []
  if (isFailure(call)) return [complain('charge for a failed call', 'no charge')]
  // With a key the charge stands, and the retry gets the answer. Without one it is refunded, unless the
  // process died before it could.
  if (key !== null || isRefunded(entry, facts) || diedAfter(call, facts)) return []
  return [complain('charge for a failed call', `a refund of ${describeEntry(entry)}`)]
}

function isRefunded({ accountId, ref }: Entry, { history }: Facts): boolean {
  return history.books.entries.some(
    (entry) => entry.kind === 'refund' && entry.ref === ref && entry.accountId === accountId,
  )
}

function diedAfter({ gateway, startMs }: Call, { history }: Facts): boolean {
  return history.outages.some(({ what, endMs }) => what === gateway && endMs >= startMs)
}

/** Why this answer can't be; null where it can. Keys and credits are looked at elsewhere. */
function wrongRefusal(call: Call, { history, askedBy }: Facts): string | null {
  const { answer, maximum, environment } = call
  if (!answer) return null
  const asked = askedBy(answer.requestId)
  switch (answer.status) {
    case 401:
      if (mayHaveEnded(call, history)) return null
      return mayBeSuspended(call, history) ? null : 'the key of an active account is accepted'
    case 403:
      return mayBeSuspended(call, history) ? null : 'the key of an active account is accepted'
    case 400:
    case 404:
    case 410:
      if (environment === 'sandbox') return 'the sandbox refuses none of these calls'
      return asked?.answer?.status === answer.status ? null : 'a status of the backend'
    case 409:
      // The other conflict is about a key.
      if (answer.code === 'IDEMPOTENCY_CONFLICT') return null
      return asked?.answer?.status === 409 ? null : 'a conflict of the backend'
    case 402:
      if (answer.code === 'BUDGET_EXCEEDED') return null
      return answer.remaining === null || answer.remaining < maximum
        ? null
        : `402 only when less than ${maximum} is available`
    case 502:
    case 504:
      // The simulator isn't watched. When a machine is slow, the time may be over before the request
      // has arrived.
      return asked ||
        environment === 'sandbox' ||
        (answer.status === 504 && isTimedOut(call, history))
        ? null
        : 'a failure of the backend only once it was asked'
    case 500:
      return 'never an internal error'
    default:
      return null
  }
}

function isTimedOut({ startMs, endMs }: Call, { rules }: History): boolean {
  return endMs - startMs >= rules.backendTimeoutMs
}

/** Refunds are of charges, once each, as an administrator or the gateway made them. */
function checkRefunds({ history, chargeOf, callOf, askedBy, attemptsOf }: Facts): Violation[] {
  const byHand = new Set(history.postings.map(({ id }) => id))
  return history.books.entries
    .filter(({ kind, environment }) => kind === 'refund' && environment === 'live')
    .flatMap((entry) => {
      const charge = chargeOf(entry.ref)
      if (!charge || charge.credits !== -entry.credits) {
        return [violation('refund without a reason', entry, 'the amount of a charge')]
      }
      if (byHand.has(entry.description)) return []
      // The gateway refunds what it answered with 503; nobody may have heard it.
      const asked = askedBy(entry.ref)
      const answered = callOf(entry.ref)
      const attempts = asked ? attemptsOf(entry.accountId, asked.request) : []
      const suspects = answered ? [answered] : attempts.filter(({ answer }) => answer === null)
      return suspects.some(({ answer, key }) => key === null && (answer?.status ?? 503) === 503)
        ? []
        : [violation('refund without a reason', entry, 'a call without key that was answered 503')]
    })
}
