import type { Statement } from '../shared/database.ts'

/** Group commit: a whole batch in one statement and one commit. What they do stands in the migrations. */
export const reserveCredits: Statement = {
  name: 'reserve-credits',
  text: `SELECT verdict, available, answer, body FROM account.reserve(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::jsonb[], $7::text[],
    $8::text[], $9::int[])`,
}

export const settleHolds: Statement = {
  name: 'settle-holds',
  text: `SELECT outcome, credits, available FROM account.settle(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[],
    $8::text[])`,
}

/** Answers are kept for as long as was promised, and no longer. */
export const forgetIdempotencyKeys: Statement = {
  name: 'forget-idempotency-keys',
  text: `
    DELETE FROM account.idempotency_key WHERE (account_id, environment, key_hash) IN (
      SELECT account_id, environment, key_hash FROM account.idempotency_key
      WHERE expires_at <= now() ORDER BY expires_at LIMIT $1
      FOR UPDATE SKIP LOCKED
    ) RETURNING 1`,
}

export const expireHolds: Statement = {
  name: 'expire-holds',
  text: 'SELECT request_id, account_id, environment, request FROM account.expire_holds($1)',
}
