import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

/** What the books must say: a model so simple that it can be checked by eye. */
interface Model {
  balance: number
  readonly holds: Map<string, number>
  readonly charges: Map<string, number>
  readonly refunded: Set<string>
  /** Requests whose hold ran out: they are never charged. */
  readonly ended: Set<string>
  /**
   * Grants that expire, in the order in which they burn; the others need no account of their own.
   */
  grants: { priority: number; days: number; remaining: number }[]
}

/** What leaves the balance is taken from the grants of the lowest priority, the soonest first. */
function burn(model: Model, credits: number): void {
  model.balance -= credits
  let left = credits
  for (const grant of model.grants) {
    const taken = Math.min(grant.remaining, left)
    grant.remaining -= taken
    left -= taken
  }
}

function available({ balance, holds }: Model): number {
  return balance - [...holds.values()].reduce((sum, credits) => sum + credits, 0)
}

/** The rest of an expired grant leaves; the part that a hold may use waits for the hold. */
function expireDue(model: Model): void {
  for (const grant of model.grants.filter(({ days }) => days <= 0)) {
    const expired = Math.min(grant.remaining, available(model))
    grant.remaining -= expired
    model.balance -= expired
  }
}

/** Which earlier request a step is about: the number picks one of them. */
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
  fc.record({ kind: fc.constant('a day passes' as const) }),
  fc.record({ kind: fc.constant('adjust' as const), credits: fc.integer({ min: -30, max: 30 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A grant is over while a hold uses it, another comes, and a request that has ended is settled again. */
const endedAfterAGrant: Step[] = [
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
  { kind: 'reserve', batch: [1, 0] },
  { kind: 'a day passes' },
  { kind: 'expire', which: 1 },
  { kind: 'expiring grant', credits: 1, days: 1, priority: undefined },
  { kind: 'capture', which: 1, credits: 1 },
]

const runs = 60
const dayMs = 86_400_000

/** In columns, as the facade asks; what needs it is then asked for item by item. */
const forms = ['items', 'columns'] as const

describe.each(forms)('the ledger, asked in %s,', (form) => {
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
            grants: [],
          }
          for (const next of history) {
            await play(next, { accountId, requests, model })
            steps += 1
          }
          expect(await stored(accountId)).toEqual({
            balance: model.balance,
            held: model.balance - available(model),
            charges: Object.fromEntries(model.charges),
          })
        },
      ),
      { numRuns: runs, examples: [[endedAfterAGrant]] },
    )
    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
    console.log(`ledger model in ${form}: ${runs} histories, ${steps} steps, 0 differences`)
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
        model.balance += next.credits
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
        const verdicts = items.map(({ requestId: id, credits }) => {
          requests.push(id)
          if (credits > available(model)) return 'insufficient'
          model.holds.set(id, credits)
          return 'accepted'
        })
        const left = available(model)
        expect(answers).toMatchObject(verdicts.map((verdict) => ({ verdict, available: left })))
        return
      }
      case 'capture':
      case 'void': {
        const credits = next.kind === 'capture' ? next.credits : 0
        const answer = await settle({ ...owner, requestId, credits })
        const before = model.charges.get(requestId)
        // What has no open hold is judged by itself, after the grants that are over.
        const isJudged = form === 'columns' && held === undefined && credits > 0
        if (isJudged) expireDue(model)
        const isLost = isJudged && before === undefined && !model.ended.has(requestId)
        const lost = isLost && credits <= available(model) ? credits : 0
        const charged = held === undefined ? (before ?? lost) : Math.min(credits, held)
        if (before === undefined) {
          model.holds.delete(requestId)
          burn(model, charged)
          if (charged > 0) model.charges.set(requestId, charged)
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
        const refund = graph.asAdmin('RefundCharge', { input })
        if (charged === undefined) {
          await expect(refund).rejects.toMatchObject({ code: 'NOT_FOUND' })
          return
        }
        expect(await refund).toMatchObject({ kind: 'refund', credits: charged })
        if (!model.refunded.has(requestId)) model.balance += charged
        model.refunded.add(requestId)
        return
      }
      case 'adjust': {
        const { credits } = next
        const input = { accountId, credits, reason: 'Test', idempotencyKey: newId('led') }
        const adjustment = graph.asAdmin('AdjustCredits', { input })
        if (credits === 0 || available(model) + credits < 0) {
          await expect(adjustment).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
          return
        }
        await adjustment
        if (credits < 0) burn(model, -credits)
        else model.balance += credits
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
        model.balance += credits
        model.grants.push({ priority: priority ?? 50, days, remaining: credits })
        model.grants.sort((a, b) => a.priority - b.priority || a.days - b.days)
        return
      }
      case 'a day passes': {
        // The clock is PostgreSQL's: instead of waiting, everything is moved a day back.
        await graph.database.query(
          `UPDATE account.expiring_grant SET expires_at = expires_at - interval '1 day'
           WHERE account_id = $1`,
          [accountId],
        )
        await graph.database.query(
          `UPDATE account.balance SET next_expiry_at = next_expiry_at - interval '1 day'
           WHERE account_id = $1`,
          [accountId],
        )
        await graph.asService('ExpireGrants', { accountId, environment: 'live' })
        for (const grant of model.grants) grant.days -= 1
        expireDue(model)
      }
    }
  }

  interface Item {
    readonly accountId: string
    readonly environment: string
    readonly requestId: string
    readonly credits: number
  }

  async function reserve(items: readonly (Item & { readonly ttlSeconds: number })[]) {
    const careful = () =>
      graph.asService('ReserveCredits', {
        items: items.map((item) => ({ ...item, request: { endpoint: '/test' } })),
      })
    if (form === 'items') return careful()
    const batch = { ...columnsOf(items), ttlSeconds: 3600 }
    const { verdicts, available: left } = Object(await graph.asService('ReserveBatch', { batch }))
    if (verdicts.includes('again')) return careful()
    return items.map((_, index) => ({ verdict: verdicts[index], available: left[index] }))
  }

  async function settle(item: Item) {
    if (form === 'items') {
      const [settled] = Object(await graph.asService('SettleHolds', { items: [item] }))
      return settled
    }
    const batch = columnsOf([item])
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

  async function stored(accountId: string) {
    const [row] = await graph.database.query<{ balance: number; held: number; charges: object }>(
      `SELECT b.balance::int AS balance, b.held::int AS held,
         coalesce((SELECT jsonb_object_agg(e.ref, -e.credits) FROM account.ledger_entry e
           WHERE e.account_id = b.account_id AND e.kind = 'charge'), '{}') AS charges
       FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
      [accountId],
    )
    return row
  }
})
