import { seal } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { messageOf } from '../webhooks/event.service.ts'
import { secretKeyOf } from '../webhooks/webhook-endpoint.service.ts'

/** An invented budget. */
export interface DemoBudget {
  /** `external_id:…`, `consent:…` */
  readonly spender: string
  readonly period: 'month' | 'total'
  /** Null: so much that 82 % of it are used. */
  readonly limitCredits: number | null
  readonly countsFrom: Date
}

/** What was used is what its spendings say. */
const insertBudgets: Statement = {
  name: 'demo-budgets',
  text: `INSERT INTO account.budget
      (account_id, environment, spender, period, limit_credits, used, counts_from, announced_percent)
    SELECT $1, 'live', b.spender, b.period, l.credits, u.used, b."countsFrom",
      CASE WHEN u.used * 100 >= l.credits * 80 THEN 80 ELSE 0 END
    FROM jsonb_to_recordset($2::jsonb) AS b (spender text, period text, "limitCredits" bigint,
      "countsFrom" timestamptz)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(s.credits - s.refunded), 0) AS used FROM account.spending s
      WHERE s.account_id = $1 AND s.environment = 'live' AND s.reserved_at >= b."countsFrom"
        AND b.spender = ANY (s.spenders)
    ) u
    CROSS JOIN LATERAL (
      SELECT coalesce(b."limitCredits", greatest(1, floor(u.used / 0.82)))::bigint AS credits
    ) l`,
}

/** The credits of a charge that count in a budget. */
interface DemoSpending {
  readonly requestId: string
  readonly spender: string
  readonly at: Date
  readonly credits: number
}

const insertSpendings: Statement = {
  name: 'demo-spendings',
  text: `INSERT INTO account.spending
      (account_id, environment, request_id, spenders, reserved_at, credits, refunded)
    SELECT $1, 'live', s."requestId", ARRAY[s.spender], s.at, s.credits,
      coalesce((SELECT sum(e.credits) FROM account.ledger_entry e WHERE e.account_id = $1
        AND e.environment = 'live' AND e.kind = 'refund' AND e.ref = s."requestId"), 0)
    FROM jsonb_to_recordset($2::jsonb) AS s ("requestId" text, spender text, at timestamptz,
      credits bigint)`,
}

/** Writes budgets and what was spent of them, for the demo account only. */
export async function writeDemoBudgets(
  transaction: Queryable,
  accountId: string,
  budgets: readonly DemoBudget[],
  spendings: readonly DemoSpending[],
): Promise<void> {
  await transaction.query(insertSpendings, [accountId, JSON.stringify(spendings)])
  await transaction.query(insertBudgets, [accountId, JSON.stringify(budgets)])
}

/** The bank asks about the newest purchase. Such an inquiry blocks nothing, so that all of billing can be tried. */
const insertDispute: Statement = {
  name: 'demo-dispute',
  text: `INSERT INTO account.payment_dispute
      (id, account_id, environment, payment_id, reference, amount_cents, status, created_at)
    SELECT $2, account_id, environment, id, $2, total_cents, 'inquiry', $3
    FROM account.payment WHERE account_id = $1 AND environment = 'live' AND status = 'paid'
    ORDER BY created_at DESC LIMIT 1`,
}

export async function writeDemoDispute(
  transaction: Queryable,
  accountId: string,
  at: Date,
): Promise<void> {
  await transaction.query(insertDispute, [accountId, newId('dsp', at.getTime()), at])
}

/** An invented event that has not arrived. */
export interface DemoDelivery {
  readonly type: string
  readonly data: object
  readonly at: Date
  /** Newest first. */
  readonly attempts: readonly { readonly attemptedAt: string }[]
  /** Of the receiver, and what it said each time. */
  readonly host: string
  readonly answer: string
}

/** The headers that a message is sent with, without its signature. */
function headersOf(eventId: string, host: string, body: string, attemptedAt: string) {
  return {
    ...{ host, connection: 'close', 'content-length': String(Buffer.byteLength(body)) },
    ...{ 'content-type': 'application/json', 'user-agent': 'credit-gateway-webhooks/1' },
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(Date.parse(attemptedAt) / 1000)),
  }
}

const failDeliveries: Statement = {
  name: 'demo-deliveries',
  text: `WITH endpoint AS (
      UPDATE account.webhook_endpoint SET created_at = $4, failing_since = $5, last_failed_at = $6
      WHERE id = $2 AND account_id = $1
    ), sent AS (
      SELECT * FROM jsonb_to_recordset($3::jsonb) AS d (id text, "eventId" text, type text, data jsonb,
        at timestamptz, attempts jsonb, "sealedAnswer" text)
    ), event AS (
      INSERT INTO account.event (id, account_id, environment, type, data, created_at)
      SELECT "eventId", $1, 'live', type, data, at FROM sent
    ), answer AS (
      INSERT INTO account.webhook_answer (account_id, delivery_id, attempt, sealed_text, created_at)
      SELECT $1, id, n, "sealedAnswer", (a.attempt ->> 'attemptedAt')::timestamptz
      FROM sent CROSS JOIN LATERAL (
        SELECT attempt, jsonb_array_length(attempts) + 1 - place AS n
        FROM jsonb_array_elements(attempts) WITH ORDINALITY AS t (attempt, place)) AS a
    ), day AS (
      INSERT INTO account.webhook_day (endpoint_id, day, account_id, tried, arrived)
      SELECT $2, ("at" AT TIME ZONE 'UTC')::date, $1, count(*), 0 FROM sent GROUP BY 2
    )
    INSERT INTO account.webhook_delivery (id, account_id, environment, endpoint_id, event_id,
      event_type, status, tries, attempt_count, attempts, due_at, created_at)
    SELECT id, $1, 'live', $2, "eventId", type, 'failed', jsonb_array_length(attempts),
      jsonb_array_length(attempts), attempts, NULL, at
    FROM sent`,
}

interface DemoDeliveries {
  readonly accountId: string
  readonly endpointId: string
  readonly gatewaySecret: string
  /** In order of time. */
  readonly deliveries: readonly DemoDelivery[]
}

/** Lets an endpoint of the demo account have failed since these deliveries. */
export async function writeDemoDeliveries(
  transaction: Queryable,
  { accountId, endpointId, gatewaySecret, deliveries }: DemoDeliveries,
): Promise<void> {
  const key = secretKeyOf(gatewaySecret)
  const rows = deliveries.map((delivery) => {
    const [id, eventId] = [newId('whd', delivery.at.getTime()), newId('evt', delivery.at.getTime())]
    const { type, data, at, answer } = delivery
    const body = JSON.stringify(
      messageOf({ eventId, type, data, accountId, happenedAt: at.toISOString() }),
    )
    const attempts = delivery.attempts.map((attempt) => ({
      ...attempt,
      requestHeaders: headersOf(eventId, delivery.host, body, attempt.attemptedAt),
    }))
    return { id, eventId, type, data, at, attempts, sealedAnswer: seal(key, answer, id) }
  })
  const [first, last] = [deliveries.at(0)?.at, deliveries.at(-1)?.at]
  const createdAt = new Date((first?.getTime() ?? 0) - 20 * 86_400_000)
  await transaction.query(failDeliveries, [
    ...[accountId, endpointId, JSON.stringify(rows), createdAt, first, last],
  ])
}
