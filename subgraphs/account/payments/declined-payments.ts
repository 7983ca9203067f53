import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
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

/** The most open payments that are looked at: more than a person has open at once. */
const maxOpen = 10

/**
 * `waitSeconds`: until another decline is permitted; null if time alone does not permit one. A
 * payment on a page counts by the cards that were declined there. Confirmations do not count.
 */
const recentCheckouts: Statement = {
  name: 'checkout-recent-declines',
  text: `
    WITH declines AS (
      SELECT settled_at AS declined_at FROM account.payment
      WHERE account_id = $1 AND environment = $2 AND kind IN ('checkout', 'plan')
        AND status = 'failed' AND action IS NULL AND settled_at > now() - interval '1 h'
      UNION ALL
      SELECT d.declined_at FROM account.payment_decline d
      JOIN account.payment p ON p.id = d.payment_id AND p.kind IN ('checkout', 'plan')
      WHERE d.account_id = $1 AND d.environment = $2
        AND d.declined_at > now() - interval '1 h'
    ), declined AS (
      SELECT declined_at, row_number() OVER (ORDER BY declined_at DESC) AS position FROM declines
    ), open AS (
      SELECT action, created_at FROM account.payment
      WHERE account_id = $1 AND environment = $2 AND kind IN ('checkout', 'plan')
        AND settled_at IS NULL AND id <> $3
    )
    SELECT (SELECT count(*) FROM declined)::int AS declined,
      (SELECT count(*) FROM open WHERE action IS NULL
        AND created_at > now() - interval '1 d')::int AS undecided,
      (SELECT count(*) FROM open)::int AS open,
      (SELECT ceil(extract(epoch FROM declined_at + interval '1 h' - now()))
        FROM declined WHERE position = $4)::int AS "waitSeconds"`,
}

interface RecentCheckouts {
  readonly declined: number
  readonly undecided: number
  readonly open: number
  readonly waitSeconds: number | null
}

/**
 * Throws RATE_LIMIT_EXCEEDED if one more checkout, or paid change of the plan, could be the sixth that is declined within an
 * hour, by the database's clock and for all keys of the account. An undecided checkout counts for a
 * day, because it may still be declined, even after hours in which the provider was unavailable.
 * Recharges and renewals do not count, because callers do not choose their card. Throws CONFLICT if
 * too many checkouts are open.
 */
export async function refuseAfterDeclines(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  newPaymentId: string,
): Promise<void> {
  const values = [accountId, environment, newPaymentId, maxDeclines]
  const [recent] = await tx.query<RecentCheckouts>(recentCheckouts, values)
  if (!recent) return
  if (recent.declined + recent.undecided >= maxDeclines) throw tooManyDeclines(recent)
  if (recent.open < maxOpen) return
  throw new DomainError(
    'CONFLICT',
    `${maxOpen} checkouts of this account are open: wait until one is paid or expires.`,
  )
}

function tooManyDeclines({ waitSeconds }: RecentCheckouts): DomainError {
  const limit = `The limit of ${maxDeclines} declined payments an hour`
  if (waitSeconds === null) {
    return new DomainError(
      'RATE_LIMIT_EXCEEDED',
      `${limit} could be exceeded: wait until the payments in progress are decided.`,
      { retryAfterSeconds: undecidedRetrySeconds },
    )
  }
  return new DomainError('RATE_LIMIT_EXCEEDED', `${limit} is reached.`, {
    retryAfterSeconds: Math.min(Math.max(waitSeconds, 1), 3600),
  })
}
