import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { CreditLot } from './lot.type.ts'

interface LotRow extends CreditLot {
  /** Where the lot stands in the order: `[priority, expiry, seq]`. */
  readonly priority: number
  readonly seq: number
}

const lotsLeft: Statement = {
  name: 'lots-left',
  text: `
    SELECT (lot).id, (lot).source, (lot).granted AS "grantedCredits",
      credits_left AS "remainingCredits", nullif((lot).expires_at, 'infinity') AS "expiresAt",
      (lot).payment_id AS "paymentId", (lot).created_at AS "createdAt", (lot).priority, (lot).seq
    FROM account.lots_left($1, $2, $3, $4, $5, $6)`,
}

const beforeAll: readonly unknown[] = [-1, '-infinity', 0]

/**
 * The lots with credits left that have not expired, in the order in which they burn. With the credits that
 * have expired and have no entry yet, their sum is the balance, or 0 where that is negative.
 */
export function lotsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<LotRow> {
  return {
    name: 'lots',
    owner: { accountId, environment },
    positionOf: ({ priority, expiresAt, seq }) =>
      JSON.stringify([priority, expiresAt?.toISOString() ?? 'infinity', seq]),
    read({ limit, before }) {
      const position = before === null ? beforeAll : JSON.parse(before)
      return database.query<LotRow>(lotsLeft, [accountId, environment, ...position, limit])
    },
  }
}
