import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
import { DomainError, invalidRequest } from '../shared/errors.ts'
import { type LedgerEntry, LedgerEntryKind } from './ledger-entry.type.ts'

/** An entry that is no charge: charges come from settled holds. */
export interface Posting {
  readonly accountId: string
  readonly environment: Environment
  readonly kind: Exclude<LedgerEntryKind, LedgerEntryKind.charge>
  /** Signed. */
  readonly credits: number
  readonly description: string
  /** What makes this entry happen once: the same reference again answers with the first entry. */
  readonly ref: string
  /** When what is left of it expires; the soonest burns first. Null: never. */
  readonly expiresAt: Date | null
}

interface PostedRow {
  readonly is_new: boolean
  readonly id: string
  readonly kind: LedgerEntryKind
  readonly credits: string
  readonly balance_after: string
  readonly description: string
  readonly created_at: string
}

/**
 * Enters credits. Throws NOT_FOUND for an unknown account, and INVALID_REQUEST when the reference
 * was used for another entry or the balance less open holds does not allow it.
 */
export async function postEntry(em: SqlEntityManager, posting: Posting): Promise<LedgerEntry> {
  const { accountId, environment, kind, credits, description, ref, expiresAt } = posting
  const id = newId('led')
  const values = [accountId, environment, kind, credits, description, ref, id, expiresAt]
  const rows = await em
    .execute<PostedRow[]>(
      `SELECT is_new, (entry).id, (entry).kind, (entry).credits, (entry).balance_after,
         (entry).description, (entry).created_at
       FROM account.post_expiring_entry(?, ?, ?, ?, ?, ?, ?, ?)`,
      values,
    )
    .catch(refuseOverdraft)
  const [row] = rows
  if (!row) throw new DomainError('NOT_FOUND', 'No account has this id.')
  if (!row.is_new) requireSame(row, posting)
  return {
    id: row.id,
    kind: row.kind,
    credits: Number(row.credits),
    balanceAfter: Number(row.balance_after),
    description: row.description,
    requestId: null,
    createdAt: new Date(row.created_at),
  }
}

interface Refund {
  readonly accountId: string
  readonly requestId: string
  readonly reason: string
}

/** Gives a live charge back: the request is the reference, so that happens once at most. */
export async function refundCharge(
  em: SqlEntityManager,
  { accountId, requestId, reason }: Refund,
): Promise<LedgerEntry> {
  const [charge] = await em.execute<{ credits: string }[]>(
    `SELECT credits FROM account.ledger_entry
     WHERE account_id = ? AND environment = 'live' AND kind = 'charge' AND ref = ?`,
    [accountId, requestId],
  )
  if (!charge) throw new DomainError('NOT_FOUND', 'No charge has this request id.')
  return postEntry(em, {
    accountId,
    environment: 'live',
    kind: LedgerEntryKind.refund,
    credits: -Number(charge.credits),
    description: reason,
    ref: requestId,
    expiresAt: null,
  })
}

/** The CHECK constraints of balance and ledger are what keeps a balance within its bounds. */
function refuseOverdraft(error: unknown): never {
  const isCheck = error instanceof Error && 'code' in error && error.code === '23514'
  if (!isCheck) throw error
  throw invalidRequest([
    { field: 'credits', in: 'body', message: 'would take the balance beyond what is possible' },
  ])
}

function requireSame(row: PostedRow, { credits, description }: Posting): void {
  if (Number(row.credits) === credits && row.description === description) return
  throw invalidRequest([
    { field: 'idempotencyKey', in: 'body', message: 'was used before for another entry' },
  ])
}

/** Enters what is left of grants whose time is over, for up to `limit` balances; returns how many. */
export async function expireDueGrants(em: SqlEntityManager, limit: number): Promise<number> {
  const [row] = await em.execute<{ done: number }[]>(
    'SELECT account.expire_due_grants(?) AS done',
    [limit],
  )
  return row?.done ?? 0
}
