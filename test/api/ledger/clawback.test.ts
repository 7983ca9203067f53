import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { account } from '../../../subgraphs/account/index.ts'
import {
  type Clawback,
  clawBack,
  type Reinstatement,
  reinstate,
} from '../../../subgraphs/account/ledger/clawback.service.ts'
import { type OpenDatabase, openDatabase } from '../../../subgraphs/shared/database/database.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { charge } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

const dayMs = 86_400_000
const support: Caller = {
  ...{ kind: 'internal', role: 'readonly', tokenId: 'tok_test' },
  ...{ environment: 'live', requestId: 'req_test', traceId: '', address: null },
}

let graph: TestGraph
let database: OpenDatabase
beforeAll(async () => {
  graph = await openTestGraph()
  const url = graph.database.serviceUrl
  database = await openDatabase(account, {
    ...{ url, poolSize: 4, timeoutMs: 30_000, warn: () => {} },
  })
})
afterAll(async () => {
  await database.close()
  await graph.close()
})

async function openAccount(credits = 0): Promise<string> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

/** A payment's credits; with `days` they expire. */
async function purchase(accountId: string, credits: number, days?: number): Promise<string> {
  const paymentId = newId('pay')
  await graph.database.query(
    `SELECT account.post_credits($1, 'live', 'purchase', $2, 'Package', $3, $4,
       now() + make_interval(days => $5), 50, false)`,
    [accountId, credits, paymentId, newId('led'), days ?? null],
  )
  return paymentId
}

async function grant(accountId: string, credits: number, days?: number): Promise<void> {
  const expiresAt = days && new Date(Date.now() + days * dayMs).toISOString()
  const input = { accountId, credits, reason: 'Test', idempotencyKey: newId('led'), expiresAt }
  await graph.asAdmin('GrantCredits', { input })
}

/** PostgreSQL's clock counts: instead of waiting, all times are moved back; then what is over leaves. */
async function passDays(accountId: string, days: number): Promise<void> {
  for (const [table, column] of [
    ['lot', 'expires_at'],
    ['balance', 'next_expiry_at'],
  ]) {
    await graph.database.query(
      `UPDATE account.${table} SET ${column} = ${column} - make_interval(days => $2)
       WHERE account_id = $1`,
      [accountId, days],
    )
  }
  await graph.asService('ExpireGrants', { accountId, environment: 'live' })
}

type Wish<Asked extends Clawback> = Pick<Asked, 'paymentId' | 'credits'> & Partial<Asked>

function takeBack(accountId: string, wish: Wish<Clawback>): Promise<number> {
  const asked = { ref: newId('evt'), description: 'Refund', ...wish }
  const owner = { accountId, environment: 'live' } as const
  return database.as(allTenants).transaction((tx) => clawBack(tx, owner, asked))
}

function reinstateFor(accountId: string, wish: Wish<Reinstatement>): Promise<number> {
  const asked = { ref: newId('evt'), clawbackRef: '', description: 'Won', ...wish }
  const owner = { accountId, environment: 'live' } as const
  return database.as(allTenants).transaction((tx) => reinstate(tx, owner, asked))
}

const readLots = parse(`query ($id: ID!) { account(id: $id) { lots(first: 50) { nodes {
  source remainingCredits expiresAt paymentId } } } }`)

async function lotsOf(accountId: string): Promise<unknown[]> {
  const { data, errors } = Object(await graph.run(readLots, { id: accountId }, support))
  expect(errors).toBeUndefined()
  return data.account.lots.nodes
}

async function newestEntry(accountId: string) {
  const [entry] = await graph.database.query(
    `SELECT kind, credits::int, balance_after::int AS balance FROM account.ledger_entry
     WHERE account_id = $1 ORDER BY seq DESC LIMIT 1`,
    [accountId],
  )
  return entry
}

async function expectNoDrifts(): Promise<void> {
  expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
}

describe('a clawback', () => {
  test("takes the payment's lot first, then others in the order in which they burn, then below 0", async () => {
    const accountId = await openAccount(10)
    const paymentId = await purchase(accountId, 100)
    await grant(accountId, 20, 5)
    await charge(graph, { accountId, credits: 95 })

    expect(await takeBack(accountId, { paymentId, credits: 30 })).toBe(30)
    expect(await lotsOf(accountId)).toMatchObject([{ source: 'purchase', remainingCredits: 5 }])
    await grant(accountId, 50, 5)

    expect(await takeBack(accountId, { paymentId, credits: 60 })).toBe(60)
    expect(await newestEntry(accountId)).toEqual({ kind: 'clawback', credits: -60, balance: -5 })
    expect(await lotsOf(accountId)).toEqual([])
    await expectNoDrifts()
  })

  test('happens once for each reference, never takes more than was bought, and returns the taken credits', async () => {
    const accountId = await openAccount()
    const paymentId = await purchase(accountId, 100)
    const ask = { paymentId, credits: 60, ref: 'refund_1' }

    const answers = await Promise.all(Array.from({ length: 8 }, () => takeBack(accountId, ask)))

    expect(answers).toEqual(Array.from({ length: 8 }, () => 60))
    expect(await takeBack(accountId, { paymentId, credits: 60 })).toBe(40)
    expect(await takeBack(accountId, { paymentId, credits: 60, ref: 'refund_3' })).toBe(0)
    expect(await takeBack(accountId, { paymentId, credits: 1, ref: 'refund_3' })).toBe(0)
    expect(await newestEntry(accountId)).toMatchObject({ credits: -40, balance: 0 })
  })

  test("does not take what has expired of the payment's lot", async () => {
    const accountId = await openAccount(50)
    const paymentId = await purchase(accountId, 100, 3)
    await charge(graph, { accountId, credits: 30 })
    await passDays(accountId, 4)
    expect(await newestEntry(accountId)).toEqual({ kind: 'expiry', credits: -70, balance: 50 })

    expect(await takeBack(accountId, { paymentId, credits: 100 })).toBe(30)
    expect(await newestEntry(accountId)).toEqual({ kind: 'clawback', credits: -30, balance: 20 })
    expect(await lotsOf(accountId)).toMatchObject([{ source: 'grant', remainingCredits: 20 }])
    await expectNoDrifts()
  })

  test('of a payment that brought no credits, or of another account, is NOT_FOUND', async () => {
    const accountId = await openAccount(10)
    const paymentId = await purchase(await openAccount(), 10)

    const refusal = { extensions: { code: 'NOT_FOUND' } }
    await expect(takeBack(accountId, { paymentId, credits: 1 })).rejects.toMatchObject(refusal)
    expect(await newestEntry(accountId)).toMatchObject({ kind: 'grant' })
  })
})

describe('a reinstatement', () => {
  test('gives back what the clawback took, once, into the same lot', async () => {
    const accountId = await openAccount(5)
    const paymentId = await purchase(accountId, 100)
    const before = await lotsOf(accountId)
    await takeBack(accountId, { paymentId, credits: 100, ref: 'dispute_1' })
    const ask = { paymentId, clawbackRef: 'dispute_1', credits: 500, ref: 'won_1' }

    const answers = await Promise.all(Array.from({ length: 8 }, () => reinstateFor(accountId, ask)))

    expect(answers).toEqual(Array.from({ length: 8 }, () => 100))
    expect(await reinstateFor(accountId, { ...ask, ref: 'won_2' })).toBe(0)
    expect(await reinstateFor(accountId, { ...ask, ref: 'won_3', clawbackRef: 'none' })).toBe(0)
    expect(await newestEntry(accountId)).toEqual({
      ...{ kind: 'reinstatement', credits: 100, balance: 105 },
    })
    expect(await lotsOf(accountId)).toEqual(before)
    const events = await graph.database.query(
      `SELECT data - 'ledger_entry_id' AS data FROM account.event
       WHERE account_id = $1 AND type = 'credits.granted' AND data ->> 'kind' = 'reinstatement'`,
      [accountId],
    )
    expect(events).toEqual([
      {
        data: {
          ...{ kind: 'reinstatement', credits: 100, balance_after: 105, expires_at: null },
        },
      },
    ])
  })

  test('pays the debt first that the clawback left', async () => {
    const accountId = await openAccount()
    const paymentId = await purchase(accountId, 100)
    await charge(graph, { accountId, credits: 80 })
    await takeBack(accountId, { paymentId, credits: 100, ref: 'dispute_2' })
    expect(await newestEntry(accountId)).toMatchObject({ balance: -80 })

    await reinstateFor(accountId, { paymentId, clawbackRef: 'dispute_2', credits: 100 })

    expect(await lotsOf(accountId)).toMatchObject([{ source: 'purchase', remainingCredits: 20 }])
    await expectNoDrifts()
  })

  test('into a lot that has expired is good for 30 days, and can be taken back again', async () => {
    const accountId = await openAccount()
    const paymentId = await purchase(accountId, 100, 3)
    await takeBack(accountId, { paymentId, credits: 100, ref: 'dispute_3' })
    await passDays(accountId, 4)
    const startMs = Date.now()

    await reinstateFor(accountId, { paymentId, clawbackRef: 'dispute_3', credits: 100 })

    const [lot, ...others] = await lotsOf(accountId)
    expect(lot).toMatchObject({ source: 'reinstatement', remainingCredits: 100, paymentId })
    expect(others).toEqual([])
    const endsInMs = Date.parse(Object(lot).expiresAt) - startMs
    expect(Math.round(endsInMs / dayMs)).toBe(30)
    expect(await takeBack(accountId, { paymentId, credits: 100 })).toBe(100)
    expect(await newestEntry(accountId)).toMatchObject({ balance: 0 })
    await expectNoDrifts()
  })
})

describe('a refunded charge', () => {
  test('returns to an expiring lot, and is good for 30 days when that has expired', async () => {
    const accountId = await openAccount(50)
    await grant(accountId, 10, 3)
    const first = await charge(graph, { accountId, credits: 4 })
    const second = await charge(graph, { accountId, credits: 4 })
    const refund = (requestId: string) =>
      graph.asAdmin('RefundCharge', {
        input: { accountId, requestId, reason: 'Test', idempotencyKey: requestId },
      })

    await refund(first)
    expect(await lotsOf(accountId)).toMatchObject([
      { source: 'grant', remainingCredits: 6 },
      { source: 'grant', remainingCredits: 50 },
    ])
    await passDays(accountId, 4)
    const startMs = Date.now()
    await refund(second)

    const [lot, rest] = await lotsOf(accountId)
    expect(lot).toMatchObject({ source: 'refund', remainingCredits: 4 })
    expect(Math.round((Date.parse(Object(lot).expiresAt) - startMs) / dayMs)).toBe(30)
    expect(rest).toMatchObject({ source: 'grant', remainingCredits: 50 })
    await expectNoDrifts()
  })
})
