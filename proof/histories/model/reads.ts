import { describeCall, type Facts, isSuccess } from './facts.ts'
import {
  type Call,
  type Interval,
  ledgerPageLength,
  type Read,
  type Rules,
  type ShownEntry,
} from './history.ts'
import { mayHaveEnded, mustHaveEnded } from './rotations.ts'
import { mayBeSuspended } from './suspensions.ts'
import type { Violation } from './violation.ts'
import { type Witness, witnessOf } from './witness.ts'

/** Something that was told of an account's credits, with the states that explain it. */
interface Sight extends Interval {
  readonly what: string
  readonly kind: Violation['kind']
  readonly expected: string
  /** The ledger had at least so many entries. */
  readonly firstPosition: number
  readonly fits: (position: number) => boolean
}

/** Every answer about credits shows the state of one instant between its request and its answer. */
export function checkReads(facts: Facts): Violation[] {
  return facts.history.accounts.flatMap(({ accountId }) => {
    const { witness, violations } = witnessOf(accountId, facts)
    const holds = holdsOf(accountId, facts)
    const seen = [
      ...ofAccount(facts.history.reads, accountId).flatMap((read) =>
        sightOfRead(read, witness, holds),
      ),
      ...holds.calls.flatMap((call) => [
        ...sightOfCall(call, witness, holds),
        ...sightOfBudget(call, { witness, holds, budget: budgetOf(accountId, facts) }),
      ]),
    ]
    const refused = ofAccount(facts.history.reads, accountId).flatMap((read): Violation[] => {
      const { endMs: atMs } = read
      const what = describeRead(read)
      if (read.shown.kind !== 'refused' && mustHaveEnded(read, facts.history)) {
        const expected = '401: another one has replaced it'
        return [{ kind: 'answer to an ended credential', atMs, accountId, what, expected }]
      }
      const expected = wrongRead(read, facts)
      return expected ? [{ kind: 'wrong refusal', atMs, accountId, what, expected }] : []
    })
    return [...violations, ...refused, ...place(seen, witness, accountId)]
  })
}

/**
 * Gives every sight the earliest position that explains it and is not before one which was seen by an answer
 * that had arrived earlier: if any choice explains all of them, this one does.
 */
function place(sights: readonly Sight[], witness: Witness, accountId: string): Violation[] {
  const byStart = sights.toSorted((a, b) => a.startMs - b.startMs)
  const byEnd = sights.toSorted((a, b) => a.endMs - b.endMs)
  const placed = new Map<Sight, number>()
  const violations: Violation[] = []
  let seenBefore = 0
  let next = 0
  for (const sight of byStart) {
    for (let ended = byEnd[next]; ended && ended.endMs < sight.startMs; ended = byEnd[next]) {
      seenBefore = Math.max(seenBefore, placed.get(ended) ?? 0)
      next += 1
    }
    const { first, last } = witness.positionsIn(sight)
    let position = Math.max(first, sight.firstPosition, seenBefore)
    while (position <= last && !sight.fits(position)) position += 1
    if (position <= last) {
      placed.set(sight, position)
      continue
    }
    const { kind, endMs: atMs, what } = sight
    const balances = `${witness.balanceAt(Math.max(first, seenBefore))} to ${witness.balanceAt(last)}`
    const span = `after ${Math.max(first, seenBefore)} to ${last} entries: balance ${balances}`
    violations.push({ kind, atMs, accountId, what, expected: `${sight.expected}; ${span}` })
  }
  return violations
}

interface Holds {
  readonly calls: readonly Call[]
  /**
   * The most credits that may be held at some instant of the interval: by this call only if its hold has
   * run out.
   */
  readonly most: (interval: Interval, self?: Call) => number
  /** The credits that were surely held all the time. */
  readonly least: (interval: Interval) => number
}

function holdsOf(accountId: string, { history, askedBy }: Facts): Holds {
  const { rules, outages } = history
  const calls = ofAccount(history.calls, accountId).filter(
    ({ environment }) => environment === 'live',
  )
  const databaseOutages = outages.filter(({ what }) => what === 'postgres')

  /** A hold is there while the backend works, unless a crash forgot it or its time was over. */
  function isHeldAllOf(call: Call, { startMs, endMs }: Interval): boolean {
    if (!isSuccess(call) || call.answer?.isReplay || !call.answer) return false
    const asked = askedBy(call.answer.requestId)
    if (!asked?.answer || asked.startMs > startMs || asked.answer.atMs < endMs) return false
    const isForgotten = databaseOutages.some(
      (outage) => outage.endMs >= call.startMs && outage.startMs <= endMs,
    )
    return !isForgotten && endMs < call.startMs + rules.holdTtlMs
  }

  return {
    calls,
    most: (interval, self) =>
      sum(
        calls.filter((call) =>
          call === self ? mayHaveRunOut(call, rules) : mayBeHeldIn(call, interval, rules),
        ),
      ),
    least: (interval) => sum(calls.filter((call) => isHeldAllOf(call, interval))),
  }
}

function sum(calls: readonly Call[]): number {
  return calls.reduce((total, { maximum }) => total + maximum, 0)
}

function mayBeHeldIn(call: Call, { startMs, endMs }: Interval, rules: Rules): boolean {
  const { answer } = call
  if (call.startMs > endMs || heldNothing(call)) return false
  // An answer that says what remains was given after the hold had ended. Any other hold ends some time.
  const isKnown = answer !== null && answer.status !== 503 && answer.remaining !== null
  return !isKnown || mayHaveRunOut(call, rules) || call.endMs >= startMs
}

/** A conflict of keys is refused before anything is held; a conflict of the backend is not. */
function heldNothing({ answer }: Call): boolean {
  if (!answer) return false
  const { status, code, isReplay } = answer
  const isRefused = [401, 402, 403, 408, 422, 429].includes(status)
  return isReplay || isRefused || code === 'IDEMPOTENCY_CONFLICT'
}

/** A hold that has run out lasts until the sweeper ends it, which may be after the answer. */
function mayHaveRunOut(call: Call, { holdTtlMs }: Rules): boolean {
  return call.endMs - call.startMs >= holdTtlMs && !isSuccess(call) && !heldNothing(call)
}

function sightOfRead(read: Read, witness: Witness, holds: Holds): Sight[] {
  const { shown, startMs, endMs } = read
  const sight = { startMs, endMs, what: describeRead(read), kind: 'stale read', firstPosition: 0 }
  switch (shown.kind) {
    case 'balance': {
      const { balance, held, available } = shown
      const [least, most] = [holds.least(read), holds.most(read)]
      const expired = balance - held - available
      const isSound = isWithin(held, least, most)
      const expected = `the balance of one instant, ${least} to ${most} held`
      const fits = (position: number) =>
        isSound &&
        witness.balanceAt(position) === balance &&
        isWithin(expired, 0, witness.expiredBy(position, endMs))
      return [{ ...sight, kind: 'stale read', expected, fits }]
    }
    case 'usage': {
      // The log follows the charges a moment later, so a summary may lag behind.
      const expected = 'no more than what was charged'
      const fits = (position: number) => shown.credits <= witness.chargedAt(position)
      return [{ ...sight, kind: 'stale read', expected, fits }]
    }
    case 'ledger': {
      const { entries } = shown
      const expected = 'the newest entries of one instant'
      const fits = (position: number) => isPageAt(entries, witness, position)
      return [{ ...sight, kind: 'stale read', expected, fits }]
    }
    case 'refused':
      return []
  }
}

/** Whether these are the newest entries of a ledger that has so many. */
function isPageAt(shown: readonly ShownEntry[], { entries }: Witness, position: number): boolean {
  const page = entries.slice(Math.max(0, position - ledgerPageLength), position).toReversed()
  return (
    page.length === shown.length &&
    page.every(({ kind, credits, balanceAfter }, index) => {
      const one = shown[index]
      return one?.kind === kind && one.credits === credits && one.balanceAfter === balanceAfter
    })
  )
}

function sightOfCall(call: Call, witness: Witness, holds: Holds): Sight[] {
  const { answer, maximum, startMs, endMs } = call
  if (!answer) return []
  const { remaining } = answer
  const most = holds.most(call, call)
  const sight = { startMs, endMs, what: describeCall(call) }
  if (answer.status === 402 && answer.code !== 'BUDGET_EXCEEDED') {
    const expected = `less than ${maximum} available at some instant, at most ${most} of it held`
    const fits = (position: number) => witness.balanceAt(position) - most < maximum
    const isShown = (position: number) =>
      remaining === null || isWithin(witness.balanceAt(position) - remaining, 0, most)
    return [
      {
        ...{ ...sight, kind: 'refused with enough credits', expected, firstPosition: 0 },
        fits: (position) => fits(position) && isShown(position),
      },
    ]
  }
  if (remaining === null) return []
  const expected = `what was available at one instant, at most ${most} held`
  const firstPosition = answer.isReplay ? 0 : witness.positionOf(answer.requestId)
  const fits = (position: number) =>
    isWithin(witness.balanceAt(position) - remaining, 0, most + witness.expiredBy(position, endMs))
  return [{ ...sight, kind: 'stale read', expected, firstPosition, fits }]
}

function budgetOf(accountId: string, { history }: Facts): number | null {
  return history.accounts.find((account) => account.accountId === accountId)?.budget ?? null
}

interface Budgeted {
  readonly witness: Witness
  readonly holds: Holds
  readonly budget: number | null
}

/** What an answer tells of the budget of its key is that of one instant. */
function sightOfBudget(call: Call, { witness, holds, budget }: Budgeted): Sight[] {
  const { answer, maximum, startMs, endMs } = call
  if (!answer || (budget === null && answer.budgetRemaining === null)) return []
  const { budgetRemaining: shown, code, isReplay, requestId } = answer
  const isRefused = code === 'BUDGET_EXCEEDED'
  if (shown === null && !isRefused) return []
  const most = holds.most(call, call)
  const left = (position: number) => (budget ?? 0) - witness.usedAt(position)
  const isShown = (position: number) => shown === null || isWithin(left(position) - shown, 0, most)
  const isShort = (position: number) => left(position) - most < maximum
  const sight = { startMs, endMs, what: describeCall(call), firstPosition: 0 }
  if (isRefused) {
    const expected = `less than ${maximum} left of ${budget} at some instant, at most ${most} of it held`
    const fits = (position: number) => isShort(position) && isShown(position)
    return [{ ...sight, kind: 'refused within budget', expected, fits }]
  }
  const expected = `what was left of ${budget} at one instant, at most ${most} held`
  const firstPosition = isReplay ? 0 : witness.positionOf(requestId)
  return [{ ...sight, kind: 'stale read', expected, firstPosition, fits: isShown }]
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

function wrongRead(read: Read, { history }: Facts): string | null {
  if (read.shown.kind !== 'refused') return null
  const { status } = read.shown
  if ([408, 429, 503].includes(status)) return null
  if (status === 401 && mayHaveEnded(read, history)) return null
  const isRefusal = [401, 403].includes(status) && mayBeSuspended(read, history)
  return isRefusal ? null : 'the credits, 408, 429 or 503'
}

function describeRead({ id, gateway, shown }: Read): string {
  return `read ${id} (${gateway}): ${JSON.stringify(shown)}`
}

function ofAccount<Event extends { readonly accountId: string }>(
  events: readonly Event[],
  accountId: string,
): readonly Event[] {
  return events.filter((event) => event.accountId === accountId)
}
