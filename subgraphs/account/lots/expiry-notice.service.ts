import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { publish } from '../webhooks/event.service.ts'

// Each lot gets one notice for each number of days, however often its job runs.
const noteTold: Statement = {
  name: 'lot-note-told',
  text: `UPDATE account.lot SET told_days = $4
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND remaining > 0
      AND expires_at > now() AND coalesce(told_days > $4, true)
    RETURNING expires_at AS "expiresAt"`,
}

const creditsLeft: Statement = {
  name: 'lot-credits-left',
  text: `SELECT credits_left AS credits
    FROM account.lots_left($1, $2, -1, '-infinity', 0, 2147483647) WHERE (lot).id = $3`,
}

/** A notice that some credits expire in so many days. */
interface ExpiryNotice {
  /** `lot_…` */
  readonly lotId: string
  readonly days: number
}

/** Publishes once that the credits left in a lot will expire soon. Returns whether it did. */
export async function publishExpiringCredits(
  tx: Transaction,
  owner: AccountScope,
  { lotId, days }: ExpiryNotice,
): Promise<boolean> {
  const key = [owner.accountId, owner.environment, lotId]
  const [told] = await tx.query<{ expiresAt: Date }>(noteTold, [...key, days])
  // The row of the lot may be older than the last charges: they are subtracted here.
  const [left] = told ? await tx.query<{ credits: number }>(creditsLeft, key) : []
  if (!told || !left) return false
  await publish(tx, owner, 'credits.expiring', {
    lot_id: lotId,
    credits: left.credits,
    expires_at: told.expiresAt.toISOString(),
  })
  return true
}
