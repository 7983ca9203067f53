import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
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
} from '../../support/gateway/payment-returns.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const received = { status: 200, body: { received: true } }

const query = `query ($after: String) { unmatchedPaymentNotifications(first: 200, after: $after) {
  nodes { id accountId environment provider kind reference paymentId paymentReference amountCents
    currency reason timesSeen }
  pageInfo { hasNextPage } } }`

/** The unmatched notifications about a payment. */
async function unmatchedOf(paymentId: string): Promise<Record<string, unknown>[]> {
  const answer = Object(await gateway.graphql(query)).unmatchedPaymentNotifications
  return answer.nodes.filter((node: { paymentId: string }) => node.paymentId === paymentId)
}

async function buyer(): Promise<{ account: TestAccount; paymentId: string }> {
  const account = await gateway.createAccount({ credits: 0 })
  return { account, paymentId: await buyPackage(gateway, account) }
}

/** Notifications of a kind that changed nothing; 0 before the first. */
async function notedOf(kind: string): Promise<number> {
  const response = await fetch(`${gateway.internal.url}/metrics`)
  const sample = `gateway_payment_notifications_total{kind="${kind}"} `
  const line = (await response.text()).split('\n').find((text) => text.startsWith(sample))
  return line ? Number(line.slice(sample.length)) : 0
}

let references = 0
function newReference(): string {
  references += 1
  return `sim_other_${references}`
}

describe('a notification of a payment of ours', () => {
  test.each([
    [
      'of more than was paid',
      (id: string) => refundOf(id, 1001, { reference: newReference() }),
      'It is more than was paid.',
    ],
    [
      'of another account',
      (id: string) => ({
        ...disputeOf(id, 1000, 'lost', newReference()),
        account_id: newId('acct'),
      }),
      'The payment is of another account.',
    ],
    [
      'in another currency',
      (id: string) => ({ ...refundOf(id, 1000, { reference: newReference() }), currency: 'eur' }),
      'The currency differs.',
    ],
  ])('%s is kept for operators and counted, and takes nothing', async (_, payloadOf, reason) => {
    const { account, paymentId } = await buyer()
    const payload = payloadOf(paymentId)
    const before = await notedOf('unmatched')

    const answers = [
      await notifySimulated(gateway, payload),
      await notifySimulated(gateway, payload),
    ]

    for (const answer of answers) expect(answer).toMatchObject(received)
    const [row, ...others] = await unmatchedOf(paymentId)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      ...{ id: expect.stringMatching(/^unm_/), accountId: account.id, environment: 'live' },
      ...{ provider: 'simulated', paymentReference: null, reason, timesSeen: 2 },
    })
    expect(await notedOf('unmatched')).toBe(before + 2)
    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result, details FROM usage.audit_event
         WHERE account_id = $1 AND action = 'payment_notification.unmatched'`,
        [account.id],
      )
      expect(lines).toEqual([
        {
          ...{ action: 'payment_notification.unmatched', result: 'CONFLICT' },
          details: {
            ...{ provider: 'simulated', kind: row?.kind, payment_id: paymentId, reason },
          },
        },
      ])
    }, patience)
  })

  test('that failed here, or is of the other environment, or is unknown, is kept too', async () => {
    const { account, paymentId } = await buyer()
    const order = { package_id: 'pack_starter', payment_method: 'simulated_declined' }
    const { body } = await gateway.live.post('/v1/billing/checkout', order, account.liveKey)
    const failed: string = Object(body).id
    const unknown = newId('pay')

    const answers = [
      await notifySimulated(gateway, refundOf(failed, 10, { reference: newReference() })),
      await notifySimulated(
        gateway,
        refundOf(paymentId, 10, { reference: newReference() }),
        'sandbox',
      ),
      await notifySimulated(gateway, refundOf(unknown, 10, { reference: newReference() })),
    ]

    for (const answer of answers) expect(answer).toMatchObject(received)
    const reasonOf = async (id: string) => (await unmatchedOf(id)).map(({ reason }) => reason)
    expect(await reasonOf(failed)).toEqual(['The payment was not collected here.'])
    expect(await reasonOf(paymentId)).toEqual([
      'The payment is of another environment or provider.',
    ])
    expect(await unmatchedOf(unknown)).toEqual([
      expect.objectContaining({ accountId: null, reason: 'No payment has this id.' }),
    ])
    expect(await returnsOf(gateway, account)).toEqual({ balance: 1000, entries: [] })
  })
})

describe('unmatchedPaymentNotifications', () => {
  test('is for the role support, page by page', async () => {
    const { paymentId } = await buyer()
    for (let count = 0; count < 2; count += 1) {
      await notifySimulated(gateway, refundOf(paymentId, 5000, { reference: newReference() }))
    }
    const page = `query ($after: String) { unmatchedPaymentNotifications(first: 1, after: $after) {
      nodes { id } pageInfo { hasNextPage endCursor } } }`
    const ask = async (role: 'readonly' | 'support', after: string | null = null) => {
      const token = await gateway.internalToken(role)
      const asked = { query: page, variables: { after } }
      const { body } = await gateway.internal.post('/graphql', asked, token)
      const { data, errors } = Object(body)
      return errors?.[0].extensions.code ?? data.unmatchedPaymentNotifications
    }

    expect(await ask('readonly')).toBe('FORBIDDEN')
    const first = await ask('support')
    const second = await ask('support', first.pageInfo.endCursor)

    expect(first.pageInfo.hasNextPage).toBe(true)
    expect(second.nodes[0].id < first.nodes[0].id).toBe(true)
  })
})
