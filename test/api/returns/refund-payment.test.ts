import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  buyPackage,
  disputeOf,
  notifySimulated,
  refundOf,
  returnsOf,
  taken,
} from '../../support/gateway/payment-returns.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
})

const query = `mutation ($input: RefundPaymentInput!) {
  result: refundPayment(input: $input) { id paymentId amountCents status }
}`

interface Asked {
  readonly paymentId: string
  readonly amountCents?: number | null
  readonly reason?: string
  readonly idempotencyKey?: string
}

async function refund(asked: Asked, role: 'admin' | 'support' | 'readonly' = 'admin') {
  const input = { reason: 'Test', idempotencyKey: crypto.randomUUID(), ...asked }
  const token = await gateway.internalToken(role)
  const { body } = await gateway.internal.post('/graphql', { query, variables: { input } }, token)
  const { data, errors } = Object(body)
  return { result: data?.result ?? null, error: errors?.[0] ?? null }
}

async function buyer(packageId = 'pack_starter') {
  const account = await gateway.createAccount({ credits: 0 })
  return { account, paymentId: await buyPackage(gateway, account, packageId) }
}

async function untilBalance(account: TestAccount, balance: number): Promise<void> {
  await vi.waitUntil(async () => (await returnsOf(gateway, account)).balance === balance, patience)
}

async function auditOf(paymentId: string): Promise<unknown[]> {
  return gateway.database.query(
    `SELECT action, result, actor_role AS role, details FROM usage.audit_event
     WHERE resource_id = $1 AND action = 'payment.refund' ORDER BY id`,
    [paymentId],
  )
}

describe('refundPayment', () => {
  test('returns a part, then what is left, and takes credits once the provider confirms', async () => {
    const { account, paymentId } = await buyer('pack_growth')

    const part = await refund({ paymentId, amountCents: 1500 })
    await untilBalance(account, 5000 - 1666)
    const rest = await refund({ paymentId })
    await untilBalance(account, 0)

    expect(part).toEqual({
      result: {
        ...{ id: expect.stringMatching(/^rfd_/), paymentId, amountCents: 1500 },
        // The confirmation may come before this answer.
        status: expect.stringMatching(/^(pending|succeeded)$/),
      },
      error: null,
    })
    expect(rest.result).toMatchObject({ amountCents: 3000 })
    expect((await returnsOf(gateway, account)).entries).toEqual([
      ['clawback', -1666],
      ['clawback', -3334],
    ])
    await vi.waitFor(async () => {
      expect(await auditOf(paymentId)).toEqual(
        [part, rest].map(({ result }, index) => ({
          ...{ action: 'payment.refund', result: 'succeeded', role: 'admin' },
          details: {
            ...{ refund_id: result.id, amount_cents: result.amountCents, reason: 'Test' },
            ...{
              before: { left_cents: [4500, 3000][index] },
              after: { left_cents: [3000, 0][index] },
            },
          },
        })),
      )
    }, patience)
  })

  test('refunds once for each key, however often and from wherever it is asked', async () => {
    const { account, paymentId } = await buyer()
    const asked = { paymentId, amountCents: 400, idempotencyKey: crypto.randomUUID() }

    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(asked)))
    await untilBalance(account, 600)
    const late = await refund(asked)
    const other = await refund({ ...asked, amountCents: 401 })

    const ids = new Set(answers.map(({ result }) => result?.id))
    expect(ids.size).toBe(1)
    expect(late.result).toEqual({
      id: [...ids][0],
      paymentId,
      amountCents: 400,
      status: 'succeeded',
    })
    expect(other.error).toMatchObject({
      message: 'idempotencyKey: was used before for another request',
      extensions: { code: 'INVALID_REQUEST' },
    })
    expect((await returnsOf(gateway, account)).entries).toEqual([['clawback', -400]])
  })

  test('never returns more than was paid, also with parallel requests', async () => {
    const { account, paymentId } = await buyer()

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => refund({ paymentId, amountCents: 300 })),
    )

    expect(answers.filter(({ result }) => result !== null)).toHaveLength(3)
    for (const { result, error } of answers) {
      if (result) continue
      expect(error).toMatchObject({
        message: 'amountCents: must be at most 100: so much is left',
        extensions: { code: 'INVALID_REQUEST' },
      })
    }
    await untilBalance(account, 100)
    expect((await refund({ paymentId })).result).toMatchObject({ amountCents: 100 })
    await untilBalance(account, 0)
    expect((await refund({ paymentId })).error.message).toBe(
      'amountCents: must be at most 0: so much is left',
    )
  })

  test.each([
    [{ amountCents: 0 }, 'amountCents: must be an integer from 1'],
    [
      { amountCents: -5, reason: '' },
      'amountCents: must be an integer from 1; reason: must have 1 to 200 characters',
    ],
    [{ amountCents: 1001 }, 'amountCents: must be at most 1000: so much is left'],
    [{ idempotencyKey: '' }, 'idempotencyKey: must have 1 to 255 characters'],
  ])('refuses %j', async (asked, message) => {
    const { account, paymentId } = await buyer()

    const { result, error } = await refund({ paymentId, ...asked })

    expect([result, error.message, error.extensions.code]).toEqual([
      null,
      message,
      'INVALID_REQUEST',
    ])
    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
  })

  test('is CONFLICT while the payment is disputed or not paid, and NOT_FOUND for none', async () => {
    const { account, paymentId } = await buyer()
    const order = { package_id: 'pack_starter', payment_method: 'simulated_declined' }
    const { body } = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    expect(await notifySimulated(gateway, disputeOf(paymentId, 1000, 'open'))).toMatchObject(taken)

    const codes = await Promise.all(
      [paymentId, Object(body).id, newId('pay'), 'nothing'].map(
        async (id) => (await refund({ paymentId: id })).error.extensions.code,
      ),
    )

    expect(codes).toEqual(['CONFLICT', 'CONFLICT', 'NOT_FOUND', 'NOT_FOUND'])
  })

  test.each(['support', 'readonly'] as const)('is not for the role %s', async (role) => {
    const { account, paymentId } = await buyer()

    const { error } = await refund({ paymentId }, role)

    expect(error.extensions.code).toBe('FORBIDDEN')
    expect((await returnsOf(gateway, account)).entries).toEqual([])
  })

  test('is found again by a job if the confirmation of the provider was lost', async () => {
    const graph = await openTestGraph()
    const worker = await graph.startWorker()
    const { account } = Object(
      await graph.asAdmin('CreateAccount', { input: { name: 'T', email: 't@example.com' } }),
    )
    const { id: paymentId } = Object(
      await graph.as(
        'Checkout',
        { package_id: 'pack_starter', payment_method: 'simulated' },
        callerOf(account.id),
      ),
    )

    const input = { paymentId, reason: 'Test', idempotencyKey: 'lost' }
    const { id, status } = Object(await graph.asAdmin('RefundPayment', { input }))
    expect(status).toBe('pending')
    // This graph gets no notification, because it has no address.
    await graph.database.query(
      `UPDATE account.payment_refund SET created_at = now() - interval '1 min', ask_at = now()
       WHERE id = $1`,
      [id],
    )

    await vi.waitUntil(
      async () => (await returnsOf(graph, { id: account.id })).balance === 0,
      patience,
    )
    await worker.stop()
    await graph.close()
  })
})

describe('Account.payments', () => {
  test('shows operators the payments with their refunds and disputes, page by page', async () => {
    const { account, paymentId: first } = await buyer()
    const second = await buyPackage(gateway, account)
    expect(await notifySimulated(gateway, refundOf(first, 250))).toMatchObject(taken)
    expect(await notifySimulated(gateway, disputeOf(second, 1000, 'lost'))).toMatchObject(taken)
    const page = `query ($id: ID!, $after: String) { account(id: $id) {
      payments(first: 1, after: $after) {
        nodes { id kind status provider packageId credits totalCents refundedCents currency
          refunds { amountCents status } disputes { amountCents status hasFunds } }
        pageInfo { hasNextPage endCursor } } } }`

    const one = Object(await gateway.graphql(page, { id: account.id })).account.payments
    const after = one.pageInfo.endCursor
    const two = Object(await gateway.graphql(page, { id: account.id, after })).account.payments

    const bought = {
      ...{ kind: 'checkout', status: 'paid', provider: 'simulated' },
      ...{ packageId: 'pack_starter', credits: 1000, totalCents: 1000, currency: 'USD' },
    }
    expect(one.nodes).toEqual([
      {
        ...bought,
        ...{ id: second, refundedCents: 0, refunds: [] },
        disputes: [{ amountCents: 1000, status: 'lost', hasFunds: true }],
      },
    ])
    expect(two.nodes).toEqual([
      {
        ...bought,
        ...{ id: first, refundedCents: 250, disputes: [] },
        refunds: [{ amountCents: 250, status: 'succeeded' }],
      },
    ])
    expect([one.pageInfo.hasNextPage, two.pageInfo.hasNextPage]).toEqual([true, false])
  })
})
