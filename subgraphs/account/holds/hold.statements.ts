import { forgetDoneChanges } from '../../shared/changes/change.ts'
import type { ServiceStatement, Statement } from '../../shared/database/database.ts'
import { forgetRows } from '../../shared/database/forget.ts'

/**
 * The reservations that need no lock, because nothing changes: one that the balance does not cover, and one
 * with a key whose answer is kept for the same request. What has to be looked at more closely is not among
 * the rows: credits that have just expired, a request that has reserved before, a key of another request or
 * of one that may still run, and what costs nothing. Holds are found by their ids alone, as settlements find
 * them.
 */
export const judgeUnlocked: ServiceStatement = {
  name: 'judge-unlocked',
  text: `
    SELECT i.place, CASE WHEN k.answer IS NULL THEN 'insufficient' ELSE 'replay' END AS verdict,
      b.balance - b.held AS available, k.answer, k.body
    FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::text[])
      WITH ORDINALITY
      AS i (request_id, account_id, environment, credits, key_hash, request_hash, place)
    JOIN account.balance b ON b.account_id = i.account_id AND b.environment = i.environment
    LEFT JOIN account.idempotency_key k ON k.account_id = i.account_id
      AND k.environment = i.environment AND k.key_hash = i.key_hash AND k.expires_at > now()
    WHERE (b.next_expiry_at <= now()) IS NOT TRUE
      AND CASE WHEN k.key_hash IS NULL THEN i.credits > greatest(0, b.balance - b.held)
        ELSE k.answer IS NOT NULL AND k.request_hash = i.request_hash END
      AND i.request_id <> ALL (ARRAY(
        SELECT h.request_id FROM account.hold h WHERE h.request_id = ANY ($1::text[])
        UNION ALL
        SELECT e.request_id FROM account.ended_hold e WHERE e.request_id = ANY ($1::text[])))`,
  parameters: ['text[]', 'text[]', 'text[]', 'int8[]', 'text[]', 'text[]'],
  wire: 'service',
  givesUpLocks: true,
}

/**
 * The limit for locks, which must be set before the function begins, in the same statement, because a
 * statement commits by itself.
 */
const lockLimit = `set_config('lock_timeout', '100ms', true) AS lock_limit`
const ownerIds = 'CASE WHEN lock_limit IS NOT NULL THEN $1::text[] END'

/**
 * Reserves a whole batch in one statement and one commit (group commit). The migrations define the
 * functions. The statement gives up when another transaction has a balance for 100 ms.
 */
export const reserveCredits: Statement = {
  name: 'reserve-credits',
  text: `SELECT place, verdict, available, answer, body FROM ${lockLimit}, account.reserve(
    ${ownerIds}, $2::text[], $3::bigint[], $4::text[], $5::int[], $6::bigint[], $7::int[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::int[])`,
}

/**
 * `reserveCredits` for requests with budgets: `$12` has a JSON array of the spenders of each, `$13` what they
 * count.
 */
export const reserveInBudgets: Statement = {
  name: 'reserve-credits-in-budgets',
  text: `SELECT place, verdict, available, answer, body, reserved_at AS "reservedAt",
      budget_remaining AS "budgetRemaining", refusing
    FROM ${lockLimit}, account.reserve_in_budgets(
      ${ownerIds}, $2::text[], $3::text[], $4::int[], $5::bigint[],
      $6::int[], $7::text[], $8::text[], $9::text[], $10::text[], $11::int[], $12::jsonb[],
      $13::bigint[])`,
}

/** Settles requests with budgets: `$10` are the credits that each counts in them. */
export const settleInBudgets: Statement = {
  name: 'settle-holds-in-budgets',
  text: `SELECT place, outcome, credits, available, budget_remaining AS "budgetRemaining", crossed
    FROM account.settle_in_budgets($1::text[], $2::text[], $3::text[], $4::int[], $5::bigint[],
      $6::text[], $7::text[], $8::jsonb[], $9::text[], $10::bigint[])`,
}

/** Charges one request with budgets that had no open hold. */
export const settleLostInBudgets: Statement = {
  name: 'settle-lost-in-budgets',
  text: `SELECT outcome, credits, available, budget_remaining AS "budgetRemaining", crossed
    FROM account.settle_lost_in_budgets($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text[], $11)`,
}

/** How holds ended that are not open: a look-up each, whatever the tables' sizes. */
export const readSettlements: Statement = {
  name: 'read-settlements',
  text: `
    SELECT
      CASE WHEN e.credits < 0 THEN 'captured' WHEN k.answer IS NOT NULL THEN 'voided'
        ELSE 'expired' END AS outcome,
      coalesce(-e.credits, 0) AS credits, coalesce(account.available(
        b.account_id, b.environment, b.balance, b.held, b.next_expiry_at), 0) AS available
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
      AS i (request_id, account_id, environment, key_hash, place)
    LEFT JOIN LATERAL (
      SELECT e.credits FROM account.ledger_entry e
      WHERE e.account_id = i.account_id AND e.environment = i.environment
        AND e.kind = 'charge' AND e.ref = i.request_id
    ) e ON true
    LEFT JOIN LATERAL (
      SELECT k.answer FROM account.idempotency_key k
      WHERE k.account_id = i.account_id AND k.environment = i.environment
        AND k.key_hash = i.key_hash AND k.request_id = i.request_id
    ) k ON true
    LEFT JOIN account.balance b
      ON b.account_id = i.account_id AND b.environment = i.environment
    ORDER BY i.place`,
}

/**
 * Answers are kept for as long as was promised, and no longer than a minute more: a request that began
 * before the time was over must find its answer.
 */
const forgetClaims = forgetRows(
  'account.key_claim',
  "expires_at <= now() - interval '1 min'",
  'request_id',
)

export const forgetIdempotencyKeys: Statement = {
  name: 'forget-idempotency-keys',
  text: `
    WITH claims AS (${forgetClaims}), answers AS (
      DELETE FROM account.key_answer WHERE request_id = ANY (ARRAY(SELECT request_id FROM claims))
    ), done AS (${forgetDoneChanges('account')}), acts AS (${forgetRows('account.operator_act')})
    SELECT FROM claims UNION ALL SELECT FROM done UNION ALL SELECT FROM acts`,
}

export const expireHolds: Statement = {
  name: 'expire-holds',
  text: `SELECT request_id AS "requestId", account_id AS "accountId", environment, request
    FROM account.expire_holds($1)`,
}
