import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InternalCaller, InternalRole } from '../../../schema/credentials/caller.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

/** On the Pro plan, whose payment for the present period was declined. */
async function createDebtor(): Promise<string> {
  const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
  const accountId = String(Object(await graph.asAdmin('CreateAccount', { input })).account.id)
  await graph.database.query(
    `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
     VALUES ($1, 'live', 'simulated_declined')`,
    [accountId],
  )
  await graph.database.query(
    `UPDATE account.subscription SET anchor_at = now() - period,
       current_period_start = now() - period, current_period_end = now()
     WHERE account_id = $1 AND environment = 'live'`,
    [accountId],
  )
  await graph.asService('TurnSubscription', { accountId, environment: 'live' })
  const payments = await graph.database.query<{ id: string }>(
    'UPDATE account.payment SET ask_at = now() WHERE account_id = $1 RETURNING id',
    [accountId],
  )
  for (const { id } of payments) await graph.asService('CollectPayment', { id })
  return accountId
}

const document = parse(`mutation ($id: ID!, $key: String) {
  result: resumeSubscription(accountId: $id, idempotencyKey: $key) { status currentPeriodEnd }
}`)

async function resume(role: InternalRole, id: string, key?: string | null) {
  const base = { environment: 'live', requestId: 'req_test', traceId: '', address: null } as const
  const caller: InternalCaller = { ...base, kind: 'internal', role, tokenId: 'tok_test' }
  const { data, errors = [] } = await graph.run(document, { id, key }, caller)
  return { result: Object(data).result ?? null, codes: errors.map(codeOf), errors }
}

function codeOf({ extensions }: { readonly extensions: object }): unknown {
  return Object(extensions).code
}

async function stateOf(accountId: string) {
  const [row] = await graph.database.query(
    `SELECT s.status, (SELECT array_agg(p.status ORDER BY p.created_at, p.id)
       FROM account.payment p WHERE p.account_id = s.account_id) AS payments
     FROM account.subscription s WHERE s.account_id = $1 AND s.environment = 'live'`,
    [accountId],
  )
  return row
}

const unpaid = { status: 'scheduled_to_cancel', payments: ['failed'] }
const askedAgain = { status: 'active', payments: ['failed', 'pending'] }

describe('resumeSubscription, which tries a declined payment again', () => {
  test.each(['support', 'readonly'] as const)('is refused for %s', async (role) => {
    const accountId = await createDebtor()

    const { result, codes } = await resume(role, accountId, 'k')

    expect([result, codes]).toEqual([null, ['FORBIDDEN']])
    expect(await stateOf(accountId)).toEqual(unpaid)
  })

  test.each([undefined, null, '', 'x'.repeat(256)])(
    'by admin changes nothing without an idempotency key: %j',
    async (key) => {
      const accountId = await createDebtor()

      const { result, codes, errors } = await resume('admin', accountId, key)

      expect([result, codes]).toEqual([null, ['INVALID_REQUEST']])
      expect(errors[0]?.message).toBe('idempotencyKey: must have 1 to 255 characters')
      expect(await stateOf(accountId)).toEqual(unpaid)
    },
  )

  test('by admin asks for the payment once for one key, and repeats the answer', async () => {
    const accountId = await createDebtor()

    const first = await resume('admin', accountId, 'k')
    const again = await resume('admin', accountId, 'k')
    const another = await resume('admin', accountId, 'l')

    expect(first).toMatchObject({ result: { status: 'active' }, codes: [] })
    expect(again).toEqual(first)
    expect(another.codes).toEqual(['CONFLICT'])
    expect(await stateOf(accountId)).toEqual(askedAgain)
  })
})
