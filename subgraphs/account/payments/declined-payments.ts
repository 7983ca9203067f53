import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../../shared/changes/change.ts'
import { DomainError } from '../../shared/graph/errors.ts'

/** Who tries out cards that are not his is stopped here. */
const maxDeclines = 5

/** An undecided payment is decided sooner or later, usually soon. */
const undecidedPatienceSeconds = 5

interface CountRow {
  readonly declined: number
  readonly undecided: number
  /** Until so many of the declines are an hour old that another one is permitted. */
  readonly wait_seconds: number | null
}

/**
 * Has the checkouts of an account begin one after the other, until the transaction is over: each is counted
 * before the next one counts.
 */
export async function awaitOtherCheckouts(
  tx: SqlEntityManager,
  { accountId }: Owner,
): Promise<void> {
  await tx.execute('SELECT id FROM account.account WHERE id = ? FOR NO KEY UPDATE', [accountId])
}

/**
 * Throws RATE_LIMIT_EXCEEDED where one more checkout could be the sixth that is declined within an hour, by
 * the database's clock, whoever asks by whatever key. One that is undecided counts for a day, because it could
 * be declined yet, also after hours in which the provider was away. Recharges and renewals do not count:
 * nobody chooses their card.
 */
export async function refuseAfterDeclines(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  newPaymentId: string,
): Promise<void> {
  const [row] = await tx.execute<CountRow[]>(
    `WITH declined AS (
       SELECT settled_at, row_number() OVER (ORDER BY settled_at DESC) AS position
       FROM account.payment
       WHERE account_id = ? AND environment = ? AND kind = 'checkout'
         AND status = 'failed' AND settled_at > now() - interval '1 h'
     )
     SELECT (SELECT count(*) FROM declined)::int AS declined,
       (SELECT count(*) FROM account.payment
         WHERE account_id = ? AND environment = ? AND kind = 'checkout'
           AND status = 'pending' AND created_at > now() - interval '1 d' AND id <> ?)::int AS undecided,
       (SELECT ceil(extract(epoch FROM settled_at + interval '1 h' - now()))
         FROM declined WHERE position = ?)::int AS wait_seconds`,
    [accountId, environment, accountId, environment, newPaymentId, maxDeclines],
  )
  if (!row || row.declined + row.undecided < maxDeclines) return
  const limit = `The limit of ${maxDeclines} declined payments an hour`
  if (row.wait_seconds === null) {
    throw new DomainError(
      'RATE_LIMIT_EXCEEDED',
      `${limit} could be exceeded: wait until the payments that are under way are decided.`,
      { retryAfterSeconds: undecidedPatienceSeconds },
    )
  }
  throw new DomainError('RATE_LIMIT_EXCEEDED', `${limit} is reached.`, {
    retryAfterSeconds: Math.min(Math.max(row.wait_seconds, 1), 3600),
  })
}
