import { describeEntry, type Facts } from './facts.ts'
import type { Entry, Payment } from './history.ts'
import type { Violation } from './violation.ts'

/** Money and credits fit: each payment brings its credits once, and takes them back as far as it comes back. */
export function checkPayments(facts: Facts): Violation[] {
  const { history } = facts
  const entries = history.books.entries.filter(({ environment }) => environment === 'live')
  const brought = Map.groupBy(entries.filter(isOfPayment), (entry) => paymentOf(entry, facts) ?? '')
  const atMs = Math.max(...history.snapshots.map((snapshot) => snapshot.atMs))
  return [
    ...(brought.get('') ?? []).map((entry) => unpaid(entry, 'credits of a payment')),
    ...history.books.payments.flatMap((payment) =>
      checkPayment(payment, brought.get(payment.id) ?? [], atMs),
    ),
    ...checkPurchases(facts),
    ...checkClawbacks(facts, atMs),
  ]
}

function isOfPayment({ kind }: Entry): boolean {
  return kind === 'purchase' || kind === 'allowance'
}

function paymentOf({ kind, ref, seq, accountId }: Entry, { history }: Facts): string | null {
  if (kind === 'purchase') return ref
  const allowance = history.books.allowances.find(
    (one) => one.accountId === accountId && one.seq === seq,
  )
  return allowance?.paymentId ?? null
}

function unpaid(entry: Entry, expected: string): Violation {
  const { accountId, createdAtMs: atMs } = entry
  const what = describeEntry(entry)
  return { kind: 'credits without a payment', atMs, accountId, what, expected }
}

function checkPayment(
  { id, accountId, kind, status, credits }: Payment,
  [entry, ...others]: readonly Entry[],
  atMs: number,
): Violation[] {
  const what = `payment ${id} (${kind}) of ${credits} credits: ${status}`
  const complain = (violation: Violation['kind'], expected: string): Violation[] => [
    { kind: violation, atMs, accountId, what, expected },
  ]
  const again = others.map((other) => unpaid(other, `the credits of ${id} once`))
  if (status === 'pending') return complain('lost purchase', 'an outcome when everything is quiet')
  if (status !== 'paid') return entry ? [unpaid(entry, `${id} has ${status}`), ...again] : []
  // A plan may rise at a time at which its share is no whole credit.
  if ((entry?.credits ?? 0) === credits) return again
  return [...complain('lost purchase', `an entry of ${credits} credits`), ...again]
}

/** One payment for each purchase, also when it was asked for many times. */
function checkPurchases({ history }: Facts): Violation[] {
  const checkouts = new Map(
    history.books.payments
      .filter(({ kind }) => kind === 'checkout' || kind === 'plan')
      .map((one) => [one.id, one]),
  )
  const found = history.purchases.flatMap(({ id, accountId, paymentId, isPaid, endMs: atMs }) => {
    const status = checkouts.get(paymentId)?.status
    if (status && (!isPaid || status === 'paid')) return []
    const what = `purchase ${id} is payment ${paymentId}, which is ${status}`
    const expected = isPaid ? 'paid, as the answer said' : 'a payment'
    return [{ kind: 'lost purchase', atMs, accountId, what, expected } as const]
  })
  const known = new Set(history.purchases.map(({ paymentId }) => paymentId))
  const strangers = [...checkouts.values()].filter(({ id }) => !known.has(id))
  const tooMany = strangers.map(({ id, accountId }): Violation => {
    const expected = 'one payment for each purchase'
    const atMs = Math.max(...history.purchases.map(({ endMs }) => endMs))
    return { kind: 'lost purchase', atMs, accountId, what: `payment ${id}`, expected }
  })
  return [...found, ...tooMany]
}

/** The share of the credits that the money had in the price, rounded down; all of them for all of it. */
function checkClawbacks({ history }: Facts, atMs: number): Violation[] {
  const { entries, clawbacks, payments } = history.books
  const taken = new Map<string, number>()
  for (const { kind, ref, credits } of entries) {
    if (kind !== 'clawback' && kind !== 'reinstatement') continue
    const paymentId = clawbacks.find((one) => isOf(one.ref, ref))?.paymentId ?? ''
    taken.set(paymentId, (taken.get(paymentId) ?? 0) - credits)
  }
  const back = new Map(history.moneyBack.map((one) => [one.paymentId, one.cents]))
  return payments.flatMap(({ id, accountId, credits, cents }): Violation[] => {
    const owed = Math.floor((credits * Math.min(cents, back.get(id) ?? 0)) / cents)
    const found = taken.get(id) ?? 0
    if (found === owed) return []
    const what = `${found} of ${credits} credits of payment ${id} were taken back`
    const expected = `${owed}: ${back.get(id) ?? 0} of ${cents} cents went back`
    return [{ kind: 'wrong clawback', atMs, accountId, what, expected }]
  })
}

function isOf(clawback: string, ref: string): boolean {
  return ref === clawback || ref.startsWith(`${clawback}:back:`)
}
