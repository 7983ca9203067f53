import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import type { TestResponse } from '../requests/client.ts'
import { gatewaySecret, type TestAccount, type TestGateway } from './gateway.ts'

export type Environment = 'live' | 'sandbox'
type Gateway = Pick<TestGateway, 'live' | 'sandbox' | 'database'>

const key = deriveKey(gatewaySecret, 'payment-notification')

/** Sends a notification as the simulated provider does. */
export function notifySimulated(
  gateway: Pick<TestGateway, 'live' | 'sandbox'>,
  payload: object,
  environment: Environment = 'live',
): Promise<TestResponse> {
  const body = JSON.stringify(payload)
  const timestamp = Math.floor(Date.now() / 1000)
  const hmac = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')
  const headers = { 'simulated-signature': `t=${timestamp},v1=${hmac}` }
  return gateway[environment].post('/v1/billing/notifications/simulated', body, undefined, headers)
}

/** Buys a package and returns the id of the payment, which is paid. */
export async function buyPackage(
  gateway: Gateway,
  { liveKey, sandboxKey }: TestAccount,
  packageId = 'pack_starter',
  environment: Environment = 'live',
): Promise<string> {
  const bearer = environment === 'live' ? liveKey : sandboxKey
  const order = { package_id: packageId, payment_method: 'simulated' }
  const { status, body } = await gateway[environment].post('/v1/billing/checkout', order, bearer)
  expect(status).toBe(201)
  const { id } = Object(body)
  const [payment] = await gateway.database.query<{ status: string }>(
    'SELECT status FROM account.payment WHERE id = $1',
    [id],
  )
  expect(payment).toEqual({ status: 'paid' })
  return id
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed'

/** A notification about a refund. */
export function refundOf(
  paymentId: string,
  amountCents: number,
  {
    status = 'succeeded',
    reference = 'sim_re_1',
  }: { status?: RefundStatus; reference?: string } = {},
) {
  return { payment_id: paymentId, refund: { reference, amount_cents: amountCents, status } }
}

export type DisputeStatus =
  | 'inquiry'
  | 'open'
  | 'funds_withdrawn'
  | 'funds_reinstated'
  | 'won'
  | 'lost'

/** A notification about a dispute. */
export function disputeOf(
  paymentId: string,
  amountCents: number,
  status: DisputeStatus,
  reference = 'sim_dp_1',
) {
  return { payment_id: paymentId, dispute: { reference, amount_cents: amountCents, status } }
}

/** The entries of an account about returned money, oldest first, and the balance. */
export async function returnsOf(
  { database }: Pick<TestGateway, 'database'>,
  { id }: Pick<TestAccount, 'id'>,
  environment: Environment = 'live',
): Promise<{ balance: number; entries: [kind: string, credits: number][] }> {
  const entries = await database.query<{ kind: string; credits: string }>(
    `SELECT kind, credits FROM account.ledger_entry WHERE account_id = $1 AND environment = $2
       AND kind IN ('clawback', 'reinstatement') ORDER BY seq`,
    [id, environment],
  )
  const [stored] = await database.query<{ balance: string }>(
    'SELECT balance FROM account.balance WHERE account_id = $1 AND environment = $2',
    [id, environment],
  )
  return {
    balance: Number(stored?.balance),
    entries: entries.map(({ kind, credits }) => [kind, Number(credits)]),
  }
}

export const taken = { status: 200, body: { received: true } }
