import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { reserveApart } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { rounds } from '../../support/extent/extent.ts'

interface Lot {
  readonly source: string
  readonly granted: number
  readonly payment: string | null
  /** Above 100: never expires. */
  readonly priority: number
  /**
   * The order in which lots were given their ends: of lots that end on the same day, the first in
   * it ends first.
   */
  readonly givenEnd: number
  days: number
  remaining: number
  expired: number
}

interface Clawback {
  readonly ref: string
  readonly payment: string
  readonly taken: number
  reinstated: number
}

interface Charge {
  readonly credits: number
  readonly paidBy: readonly { readonly lot: Lot; readonly credits: number }[]
}

/** The books as they must be: a model so simple that it can be checked by eye. */
interface Model {
  balance: number
  readonly holds: Map<string, number>
  readonly charges: Map<string, Charge>
  readonly refunded: Set<string>
  /** Requests whose hold ran out: they are never charged. */
  readonly ended: Set<string>
  /** All lots, in the order in which they burn. */
  lots: Lot[]
  readonly payments: string[]
  readonly clawbacks: Clawback[]
}

/** Takes credits from lots in their order; returns what each of them gave. */
function take(lots: readonly Lot[], credits: number): Charge['paidBy'] {
  let left = credits
  return lots.map((lot) => {
    const taken = Math.min(lot.remaining, left)
    lot.remaining -= taken
    left -= taken
    return { lot, credits: taken }
  })
}

function burn(model: Model, credits: number): Charge['paidBy'] {
  model.balance -= credits
  return take(model.lots, credits)
}

/** Credits that came, in their lots: they pay a debt first. */
function payDebt(model: Model, credits: number): void {
  const debt = Math.max(0, -model.balance)
  model.balance += credits
  take(model.lots, Math.min(debt, credits))
}

interface NewLot {
  readonly source: string
  readonly granted: number
  readonly days?: number
  readonly priority?: number
  readonly payment?: string
  /** The `givenEnd` of another lot that ends at the same instant. */
  readonly givenEnd?: number
}

function addLot(model: Model, { source, granted, days, priority, ...more }: NewLot): void {
  const { payment = null, givenEnd = model.lots.length } = more
  const never = { priority: 101, days: Number.POSITIVE_INFINITY, givenEnd: 0 }
  const end = days === undefined ? never : { priority: priority ?? 50, days, givenEnd }
  model.lots.push({ source, granted, payment, remaining: granted, expired: 0, ...end })
  // Equal ones keep the order of age; infinite numbers have no difference.
  model.lots.sort(
    (a, b) =>
      a.priority - b.priority ||
      (a.days === b.days ? 0 : a.days - b.days) ||
      a.givenEnd - b.givenEnd,
  )
}

function notHeld({ balance, holds }: Model): number {
  return balance - sum([...holds.values()])
}

/** Expired credits are not available from their last day on, whether or not an entry has taken them. */
function available(model: Model): number {
  const over = sum(model.lots.filter(({ days }) => days <= 0).map(({ remaining }) => remaining))
  return notHeld(model) - Math.max(0, Math.min(over, notHeld(model)))
}

/** The rest of an expired lot leaves; the part that a hold may use waits for the hold. */
function expireDue(model: Model): void {
  for (const lot of model.lots.filter(({ days }) => days <= 0)) {
    const expired = Math.max(0, Math.min(lot.remaining, notHeld(model)))
    lot.remaining -= expired
    lot.expired += expired
    model.balance -= expired
  }
}

/** A charge goes back to what paid for it, as far as that has not expired. */
function refund(model: Model, { credits, paidBy }: Charge): void {
  const over = sum(paidBy.filter(({ lot }) => lot.days <= 0).map((part) => part.credits))
  let left = credits
  for (const part of paidBy.filter(({ lot }) => lot.days > 0)) {
    const back = Math.min(part.credits, part.lot.granted - part.lot.remaining)
    part.lot.remaining += back
    left -= back
  }
  const days = left === over ? 30 : undefined
  if (left > 0) addLot(model, { source: 'refund', granted: left, days })
  payDebt(model, credits)
}

function clawBack(model: Model, ref: string, payment: string, credits: number): number {
  expireDue(model)
  const own = model.lots.filter((lot) => lot.payment === payment)
  const brought = own.filter(({ source }) => source !== 'reinstatement')
  const before = model.clawbacks.filter((clawback) => clawback.payment === payment)
  const most =
    sum(brought.map(({ granted }) => granted)) -
    sum(own.map(({ expired }) => expired)) -
    sum(before.map(({ taken, reinstated }) => taken - reinstated))
  const taken = Math.max(0, Math.min(credits, most))
  const parts = take(own, taken)
  take(model.lots, taken - sum(parts.map((part) => part.credits)))
  model.balance -= taken
  model.clawbacks.push({ ref, payment, taken, reinstated: 0 })
  return taken
}

function reinstate(model: Model, clawback: Clawback, credits: number): number {
  const given = Math.min(credits, clawback.taken - clawback.reinstated)
  clawback.reinstated += given
  const own = model.lots.filter(({ payment }) => payment === clawback.payment)
  let left = given
  for (const lot of own.filter(({ days }) => days > 0)) {
    const part = Math.min(left, lot.granted - lot.remaining)
    lot.remaining += part
    left -= part
  }
  const last = own.at(-1)
  if (last && left > 0) {
    const { priority, givenEnd } = last
    const { payment } = clawback
    const same = Number.isFinite(last.days) ? { days: last.days, givenEnd } : {}
    const end = last.days <= 0 ? { days: 30 } : same
    addLot(model, { source: 'reinstatement', granted: left, priority, payment, ...end })
  }
  payDebt(model, given)
  return given
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** The number that picks the earlier request which a step is about. */
const which = fc.nat(20)
const step = fc.oneof(
  fc.record({ kind: fc.constant('grant' as const), credits: fc.integer({ min: 1, max: 50 }) }),
  fc.record({
    kind: fc.constant('reserve' as const),
    // A batch: each item is judged as if those that do not fit had not been there.
    batch: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ kind: fc.constant('capture' as const), which, credits: fc.nat(60) }),
  fc.record({ kind: fc.constant('void' as const), which }),
  fc.record({ kind: fc.constant('expire' as const), which }),
  fc.record({ kind: fc.constant('refund' as const), which }),
  fc.record({
    kind: fc.constant('expiring grant' as const),
    credits: fc.integer({ min: 1, max: 50 }),
    days: fc.integer({ min: 1, max: 5 }),
    priority: fc.constantFrom(undefined, 0, 49, 51, 100),
  }),
  // The entry that takes what has expired may come at once, or later.
  fc.record({ kind: fc.constant('a day passes' as const), isEntered: fc.boolean() }),
  fc.record({
    kind: fc.constant('adjust' as const),
    credits: fc.integer({ min: -30, max: 30 }),
    allowNegative: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('purchase' as const),
    credits: fc.integer({ min: 1, max: 50 }),
    days: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('claw back' as const), which, credits: fc.nat(50) }),
  fc.record({ kind: fc.constant('reinstate' as const), which, credits: fc.nat(50) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A grant is over while a hold uses it, another comes, and a request that has ended is settled again. */
const endedAfterAGrant: Step[] = [
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
  { kind: 'reserve', batch: [1, 0] },
  { kind: 'a day passes', isEntered: true },
  { kind: 'expire', which: 1 },
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
  { kind: 'capture', which: 1, credits: 1 },
]

/** A grant is over, with no entry of it yet, while a charge is settled and an operator takes credits. */
const overButNotEntered: Step[] = [
  { kind: 'grant', credits: 20 },
  { kind: 'expiring grant', credits: 30, days: 1, priority: undefined },
  { kind: 'reserve', batch: [10, 2] },
  { kind: 'a day passes', isEntered: false },
  { kind: 'capture', which: 0, credits: 4 },
  { kind: 'adjust', credits: -5, allowNegative: false },
  { kind: 'capture', which: 1, credits: 2 },
]

const runs = rounds('MODEL_RUNS', { all: 6, nightly: 600 })
const dayMs = 86_400_000

/** A lot that is full, with the end of one that is older than the grants in between. */
const fullAgain: Step[] = [
  { kind: 'purchase', credits: 1, days: 1 },
  { kind: 'capture', which: 0, credits: 1 },
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
  { kind: 'claw back', which: 0, credits: 1 },
  { kind: 'refund', which: 0 },
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
  { kind: 'reinstate', which: 0, credits: 1 },
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
]

/** The two forms in which the facade asks. Calls with budgets are judged item by item from the start. */
const forms = ['with budgets', 'without budgets'] as const

describe.each(forms)('the ledger, of calls %s,', (form) => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  test(`equals a simple model after each of ${runs} random histories`, {
    timeout: 400_000,
  }, async () => {
    let steps = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
        async (history) => {
          const accountId = await openAccount()
          const requests: string[] = []
          const model: Model = {
            balance: 0,
            holds: new Map(),
            charges: new Map(),
            refunded: new Set(),
            ended: new Set(),
            lots: [],
            payments: [],
            clawbacks: [],
          }
          for (const next of history) {
            await play(next, { accountId, requests, model })
            steps += 1
          }
          expect(await stored(accountId)).toEqual({
            balance: model.balance,
            held: model.balance - notHeld(model),
            available: available(model),
            charges: Object.fromEntries(
              [...model.charges].map(([id, { credits }]) => [id, credits]),
            ),
          })
          const left = model.lots.filter(({ remaining }) => remaining > 0)
          expect(await lotsOf(accountId)).toEqual(
            left
              .filter(({ days }) => days > 0)
              .map(({ source, granted, remaining, payment }) => ({
                ...{ source, granted, left: remaining, payment },
              })),
          )
          expect(sum(left.map(({ remaining }) => remaining))).toBe(Math.max(0, model.balance))
        },
      ),
      { numRuns: runs, examples: [[endedAfterAGrant], [fullAgain], [overButNotEntered]] },
    )
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
    console.log(`ledger model ${form}: ${runs} histories, ${steps} steps, 0 differences`)
  })

  interface Play {
    readonly accountId: string
    readonly requests: string[]
    readonly model: Model
  }

  async function play(next: Step, { accountId, requests, model }: Play): Promise<void> {
    const owner = { accountId, environment: 'live' }
    const requestId = 'which' in next ? (requests[next.which % (requests.length || 1)] ?? '') : ''
    const held = model.holds.get(requestId)
    switch (next.kind) {
      case 'grant': {
        const input = {
          accountId,
          credits: next.credits,
          reason: 'Test',
          idempotencyKey: newId('led'),
        }
        await graph.asAdmin('GrantCredits', { input })
        addLot(model, { source: 'grant', granted: next.credits })
        payDebt(model, next.credits)
        return
      }
      case 'reserve': {
        expireDue(model)
        const items = next.batch.map((credits) => ({
          ...owner,
          requestId: newId('req'),
          credits,
          ttlSeconds: 3600,
          request: { endpoint: '/test' },
        }))
        const answers = await reserve(items)
        const expected = items.map(({ requestId: id, credits }) => {
          requests.push(id)
          const isCovered = credits === 0 || credits <= available(model)
          if (isCovered) model.holds.set(id, credits)
          return {
            verdict: isCovered ? 'accepted' : 'insufficient',
            available: available(model),
          }
        })
        // Items with budgets are judged one after the other, all others together.
        const left = spenders ? {} : { available: available(model) }
        expect(answers).toMatchObject(expected.map((one) => ({ ...one, ...left })))
        return
      }
      case 'capture':
      case 'void': {
        const credits = next.kind === 'capture' ? next.credits : 0
        const answer = await settle({ ...owner, requestId, credits })
        const before = model.charges.get(requestId)?.credits
        // A charge without an open hold is judged by itself, after the grants that are over.
        const isJudged = held === undefined && credits > 0
        if (isJudged) expireDue(model)
        const isLost = isJudged && before === undefined && !model.ended.has(requestId)
        const lost = isLost && credits <= available(model) ? credits : 0
        const charged = held === undefined ? (before ?? lost) : Math.min(credits, held)
        if (before === undefined) {
          model.holds.delete(requestId)
          const paidBy = burn(model, charged)
          if (charged > 0) model.charges.set(requestId, { credits: charged, paidBy })
        }
        const outcome = charged > 0 ? 'captured' : held === undefined ? 'expired' : 'voided'
        expect(answer).toEqual({ outcome, credits: charged, available: available(model) })
        return
      }
      case 'expire': {
        await graph.database.query(
          "UPDATE account.hold SET expires_at = now() - interval '1 s' WHERE request_id = $1",
          [requestId],
        )
        const expired = Object(await graph.asService('ExpireHolds', { limit: 10 }))
        expect(expired).toHaveLength(held === undefined ? 0 : 1)
        if (model.holds.delete(requestId)) model.ended.add(requestId)
        return
      }
      case 'refund': {
        const input = { accountId, requestId, reason: 'Test', idempotencyKey: requestId || 'none' }
        const charged = model.charges.get(requestId)
        const refunding = graph.asAdmin('RefundCharge', { input })
        if (charged === undefined) {
          await expect(refunding).rejects.toMatchObject({ code: 'NOT_FOUND' })
          return
        }
        expect(await refunding).toMatchObject({ kind: 'refund', credits: charged.credits })
        if (!model.refunded.has(requestId)) refund(model, charged)
        model.refunded.add(requestId)
        return
      }
      case 'adjust': {
        const { credits, allowNegative } = next
        const key = newId('led')
        const input = { accountId, credits, reason: 'Test', idempotencyKey: key, allowNegative }
        const adjustment = graph.asAdmin('AdjustCredits', { input })
        const isTooMuch = credits < 0 && available(model) + credits < 0 && !allowNegative
        if (credits === 0 || isTooMuch) {
          await expect(adjustment).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
          return
        }
        await adjustment
        if (credits < 0) {
          expireDue(model)
          burn(model, -credits)
        } else {
          addLot(model, { source: 'adjustment', granted: credits })
          payDebt(model, credits)
        }
        return
      }
      case 'purchase': {
        const { credits, days } = next
        const payment = newId('pay')
        await graph.database.query(
          `SELECT account.post_credits($1, 'live', 'purchase', $2, 'Test', $3, $4,
             now() + make_interval(days => $5), 50, false)`,
          [accountId, credits, payment, newId('led'), days ?? null],
        )
        model.payments.push(payment)
        addLot(model, { source: 'purchase', granted: credits, days, payment })
        payDebt(model, credits)
        return
      }
      case 'claw back': {
        const { payments } = model
        const payment = payments[next.which % (payments.length || 1)]
        if (payment === undefined) return
        const ref = newId('pay')
        const values = [accountId, payment, next.credits, ref]
        const rows = await graph.database.query(
          `SELECT taken::int FROM account.claw_back($1, 'live', $2, $3, $4, 'Test')`,
          values,
        )
        expect(rows).toEqual([{ taken: clawBack(model, ref, payment, next.credits) }])
        return
      }
      case 'reinstate': {
        const { clawbacks } = model
        const clawback = clawbacks[next.which % (clawbacks.length || 1)]
        if (clawback === undefined) return
        const { payment, ref } = clawback
        const rows = await graph.database.query(
          `SELECT given::int FROM account.reinstate($1, 'live', $2, $3, $4, $5, 'Test')`,
          [accountId, payment, ref, next.credits, newId('pay')],
        )
        expect(rows).toEqual([{ given: reinstate(model, clawback, next.credits) }])
        return
      }
      case 'expiring grant': {
        const { credits, days, priority } = next
        const expiresAt = new Date(Date.now() + days * dayMs).toISOString()
        const input = {
          accountId,
          credits,
          expiresAt,
          priority,
          reason: 'Test',
          idempotencyKey: newId('led'),
        }
        await graph.asAdmin('GrantCredits', { input })
        addLot(model, { source: 'grant', granted: credits, days, priority })
        payDebt(model, credits)
        return
      }
      case 'a day passes': {
        // The clock is PostgreSQL's: instead of waiting, everything is moved a day back.
        await graph.database.query(
          `UPDATE account.lot SET expires_at = expires_at - interval '1 day'
           WHERE account_id = $1`,
          [accountId],
        )
        await graph.database.query(
          `UPDATE account.balance SET next_expiry_at = next_expiry_at - interval '1 day'
           WHERE account_id = $1`,
          [accountId],
        )
        for (const lot of model.lots) lot.days -= 1
        if (!next.isEntered) return
        await graph.asService('ExpireGrants', { accountId, environment: 'live' })
        expireDue(model)
      }
    }
  }

  const spenders = form === 'with budgets' ? ['key:key_1'] : null

  interface Item {
    readonly accountId: string
    readonly environment: string
    readonly requestId: string
    readonly credits: number
  }

  async function reserve(items: readonly (Item & { readonly ttlSeconds: number })[]) {
    const careful = () =>
      reserveApart(
        graph,
        items.map((item) => ({ ...item, ...(spenders && { spenders }) })),
        { ttlSeconds: 3600 },
      )
    if (spenders) return careful()
    const batch = { ...columnsOf(items), ttlSeconds: 3600 }
    const { verdicts, available: left } = Object(await graph.asService('ReserveBatch', { batch }))
    if (verdicts.includes('again')) return careful()
    return items.map((_, index) => ({ verdict: verdicts[index], available: left[index] }))
  }

  async function settle(item: Item) {
    const counted = { spenders: [spenders], counts: [item.credits], reservedAts: [new Date()] }
    const batch = { ...columnsOf([item]), ...(spenders ? counted : {}) }
    const settled = Object(await graph.asService('SettleBatch', { batch }))
    const { outcomes, credits, available: left } = settled
    return { outcome: outcomes[0], credits: credits[0], available: left[0] }
  }

  function columnsOf(items: readonly Item[]) {
    return {
      requestIds: items.map(({ requestId }) => requestId),
      accountIds: items.map(({ accountId }) => accountId),
      environments: items.map(({ environment }) => environment),
      credits: items.map(({ credits }) => credits),
      endpoints: items.map(() => '/test'),
      calls: items.map(() => '["proc_test"]'),
    }
  }

  async function openAccount(): Promise<string> {
    const input = { name: 'Model', email: 'model@example.com', tier: 'STARTER', credits: 0 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    return account.id
  }

  function lotsOf(accountId: string) {
    return graph.database.query(
      `SELECT (lot).source, (lot).granted::int, credits_left::int AS left,
         (lot).payment_id AS payment
       FROM account.lots_left($1, 'live', -1, '-infinity', 0, 1000)`,
      [accountId],
    )
  }

  async function stored(accountId: string) {
    const [row] = await graph.database.query(
      `SELECT b.balance::int AS balance, b.held::int AS held,
         account.available(b.account_id, b.environment, b.balance, b.held, b.next_expiry_at)::int
           AS available,
         coalesce((SELECT jsonb_object_agg(e.ref, -e.credits) FROM account.ledger_entry e
           WHERE e.account_id = b.account_id AND e.kind = 'charge'), '{}') AS charges
       FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
      [accountId],
    )
    return row
  }
})
