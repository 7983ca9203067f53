import type { AccountScope } from '../../shared/changes/change.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'

/** The limit stops callers who try out stolen cards. */
const maxDeclines = 5

/** An undecided payment is usually decided soon. */
const undecidedRetrySeconds = 5

const lockAccount: Statement = {
  name: 'checkout-lock-account',
  text: 'SELECT id FROM account.account WHERE id = $1 FOR NO KEY UPDATE',
}

/**
 * Makes the checkouts of an account begin sequentially until the transaction ends, so that each one
 * is counted before the next one counts.
 */
export async function lockCheckouts(tx: Transaction, { accountId }: AccountScope): Promise<void> {
  await tx.query(lockAccount, [accountId])
}

/** `waitSeconds`: until another decline is permitted; null if time alone does not permit one. */
const recentCheckouts: Statement = {
  name: 'checkout-recent-declines',
  text: `
    WITH declined AS (
      SELECT settled_at, row_number() OVER (ORDER BY settled_at DESC) AS position
      FROM account.payment
      WHERE account_id = $1 AND environment = $2 AND kind = 'checkout'
        AND status = 'failed' AND settled_at > now() - interval '1 h'
    )
    SELECT (SELECT count(*) FROM declined)::int AS declined,
      (SELECT count(*) FROM account.payment
        WHERE account_id = $1 AND environment = $2 AND kind = 'checkout' AND status = 'pending'
          AND created_at > now() - interval '1 d' AND id <> $3)::int AS undecided,
      (SELECT ceil(extract(epoch FROM settled_at + interval '1 h' - now()))
        FROM declined WHERE position = $4)::int AS "waitSeconds"`,
}

interface RecentCheckouts {
  readonly declined: number
  readonly undecided: number
  readonly waitSeconds: number | null
}

/**
 * Throws RATE_LIMIT_EXCEEDED if one more checkout could be the sixth that is declined within an
 * hour, by the database's clock and for all keys of the account. An undecided checkout counts for a
 * day, because it may still be declined, even after hours in which the provider was unavailable.
 * Recharges and renewals do not count, because callers do not choose their card.
 */
export async function refuseAfterDeclines(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  newPaymentId: string,
): Promise<void> {
  const values = [accountId, environment, newPaymentId, maxDeclines]
  const [recent] = await tx.query<RecentCheckouts>(recentCheckouts, values)
  if (!recent || recent.declined + recent.undecided < maxDeclines) return
  const limit = `The limit of ${maxDeclines} declined payments an hour`
  if (recent.waitSeconds === null) {
    throw new DomainError(
      'RATE_LIMIT_EXCEEDED',
      `${limit} could be exceeded: wait until the payments that are under way are decided.`,
      { retryAfterSeconds: undecidedRetrySeconds },
    )
  }
  throw new DomainError('RATE_LIMIT_EXCEEDED', `${limit} is reached.`, {
    retryAfterSeconds: Math.min(Math.max(recent.waitSeconds, 1), 3600),
  })
}
