import { forgetDoneChanges } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { forgetEach, forgetRows } from '../../shared/database/forget.ts'

const expired: readonly Statement[] = [
  { name: 'forget-internal-tokens', text: forgetRows('keys.internal_token') },
  { name: 'forget-operator-links', text: forgetRows('keys.operator_link') },
  { name: 'forget-operator-sessions', text: forgetRows('keys.operator_session') },
  { name: 'forget-done-changes-of-keys', text: forgetDoneChanges('keys') },
]

/** Deletes up to `limit` rows of each kind that have expired; returns the most that went of one kind. */
export function forgetExpired(database: Database, limit: number): Promise<number> {
  return forgetEach(database, expired, limit)
}
