import { expect } from 'vitest'
import type { TestResponse } from '../requests/client.ts'
import type { TestAccount, TestGateway } from './gateway.ts'

type Gateway = Pick<TestGateway, 'live' | 'database'>

/** Asks what another plan would cost. */
export function previewPlan(
  { live }: Pick<TestGateway, 'live'>,
  { liveKey }: Pick<TestAccount, 'liveKey'>,
  body: object,
): Promise<TestResponse> {
  return live.post('/v1/account/subscription/preview', body, liveKey)
}

/** The id of a fresh quote. */
export async function quoteFor(
  gateway: Pick<TestGateway, 'live'>,
  account: Pick<TestAccount, 'liveKey'>,
  tier: string,
): Promise<string> {
  const { status, body } = await previewPlan(gateway, account, { tier })
  expect(status).toBe(200)
  return Object(body).quote_id
}

/** Changes the plan, with a fresh quote where the plan rises or begins. */
export async function changePlan(
  gateway: Pick<TestGateway, 'live'>,
  account: Pick<TestAccount, 'liveKey'>,
  tier: string,
): Promise<TestResponse> {
  const { body } = await previewPlan(gateway, account, { tier })
  const { quote_id = null } = Object(body)
  return gateway.live.post('/v1/account/subscription', { tier, quote_id }, account.liveKey)
}

/** Sets the default method of the account, as a paid checkout does. */
export async function payBy(
  { database }: Pick<TestGateway, 'database'>,
  { id }: Pick<TestAccount, 'id'>,
  method: string,
): Promise<void> {
  await database.query(
    `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
     VALUES ($1, 'live', $2) ON CONFLICT (account_id, environment)
     DO UPDATE SET payment_method = excluded.payment_method`,
    [id, method],
  )
}

/** Everything of an account that a change of the plan may touch, live. */
export async function planBooksOf(
  { database }: Pick<TestGateway, 'database'>,
  { id }: Pick<TestAccount, 'id'>,
) {
  const [state] = await database.query(
    `SELECT s.tier, s.next_tier, s.status, s.upgrades, p.subscription_tier, b.balance::int
     FROM account.plan p JOIN account.balance b USING (account_id, environment)
     LEFT JOIN account.subscription s USING (account_id, environment)
     WHERE p.account_id = $1 AND p.environment = 'live'`,
    [id],
  )
  const payments = await database.query(
    `SELECT kind, status, price_cents::int, credits::int FROM account.payment
     WHERE account_id = $1 AND environment = 'live' ORDER BY id`,
    [id],
  )
  return { ...Object(state), payments }
}

/** Makes so much of the present period pass. */
export async function passTime(
  { database }: Pick<Gateway, 'database'>,
  { id }: Pick<TestAccount, 'id'>,
  duration: string,
): Promise<void> {
  await database.query(
    `UPDATE account.subscription SET anchor_at = anchor_at - $2::interval,
       current_period_start = current_period_start - $2::interval,
       current_period_end = current_period_end - $2::interval
     WHERE account_id = $1 AND environment = 'live'`,
    [id, duration],
  )
}
