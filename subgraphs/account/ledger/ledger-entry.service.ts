import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError, invalidRequest } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { publish } from '../webhooks/event.service.ts'
import { type LedgerEntry, LedgerEntryKind } from './ledger-entry.type.ts'

/** The default priority by which expiring credits burn: the middle of 0 to 100. */
export const usualPriority = 50

/**
 * A new entry other than a charge, which comes from a settled hold, and other than what comes back with
 * payments (`clawback.service.ts`).
 */
export interface Posting {
  readonly accountId: string
  readonly environment: Environment
  readonly kind: Exclude<
    LedgerEntryKind,
    LedgerEntryKind.charge | LedgerEntryKind.clawback | LedgerEntryKind.reinstatement
  >
  /** The credits of the entry, with their sign. */
  readonly credits: number
  readonly description: string
  /**
   * The reference that makes the entry happen once: a repetition with the same reference returns
   * the first entry.
   */
  readonly ref: string
  /** The time at which the remaining credits expire. Null: they never expire, and burn last. */
  readonly expiresAt: Date | null
  /**
   * The priority of expiring credits, 0 to 100. The lowest burns first; among equals, the soonest to expire.
   */
  readonly priority?: number
  /** Whether the entry may take held credits, and take the balance below 0. */
  readonly allowNegative?: boolean
}

export interface Posted {
  readonly entry: LedgerEntry
  /** False if an earlier entry has the same reference. */
  readonly isNew: boolean
}

interface PostedRow extends Omit<LedgerEntry, 'requestId'> {
  readonly isNew: boolean
}

const postCredits: Statement = {
  name: 'post-credits',
  text: `SELECT is_new AS "isNew", (entry).id, (entry).kind, (entry).credits,
      (entry).balance_after AS "balanceAfter", (entry).description,
      (entry).created_at AS "createdAt"
    FROM account.post_credits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
}

/**
 * Enters credits, once for each reference. Throws NOT_FOUND for an unknown account, and
 * INVALID_REQUEST when the available credits do not allow it.
 */
export async function postEntry(tx: Transaction, posting: Posting): Promise<Posted> {
  const {
    accountId,
    environment,
    kind,
    credits,
    description,
    ref,
    expiresAt,
    priority = null,
    allowNegative = false,
  } = posting
  const id = newId('led')
  const bounds = [expiresAt, priority, allowNegative]
  const values = [accountId, environment, kind, credits, description, ref, id, ...bounds]
  const rows = await tx.query<PostedRow>(postCredits, values).catch(refuseOverdraft)
  const [row] = rows
  if (!row) throw new DomainError('NOT_FOUND', 'No account has this id.')
  const { isNew, ...entry } = row
  return { isNew, entry: { ...entry, requestId: null } }
}

/** Enters credits as `postEntry` does, and publishes `credits.granted` if credits came. */
export async function postAnnounced(tx: Transaction, posting: Posting): Promise<Posted> {
  const posted = await postEntry(tx, posting)
  const { credits, kind, expiresAt } = posting
  if (!posted.isNew || credits <= 0 || kind === LedgerEntryKind.expiry) return posted
  await publish(tx, posting, 'credits.granted', {
    ledger_entry_id: posted.entry.id,
    ...{ kind, credits, balance_after: posted.entry.balanceAfter },
    expires_at: expiresAt?.toISOString() ?? null,
  })
  return posted
}

/**
 * Enters credits, once for each idempotency key of the account: the same request again answers with
 * the first entry. Throws INVALID_REQUEST when the key was used for another request, and CONFLICT
 * when another key has this entry.
 */
export async function postOnce(
  tx: Transaction,
  idempotencyKey: string,
  posting: Posting,
): Promise<Posted> {
  const isFirst = await claimKey(tx, idempotencyKey, posting)
  const { entry, isNew } = await postAnnounced(tx, posting)
  if (isFirst && !isNew) {
    throw new DomainError('CONFLICT', 'This entry already exists, under another idempotency key.')
  }
  return { entry, isNew }
}

const claimPostingKey: Statement = {
  name: 'claim-posting-key',
  text: `INSERT INTO account.posting_key (account_id, environment, key, posting)
    VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
    RETURNING $5::timestamptz <= clock_timestamp() AS "isOver"`,
}

const comparePosting: Statement = {
  name: 'compare-posting',
  text: `SELECT posting = $4::jsonb AS "isSame" FROM account.posting_key
    WHERE account_id = $1 AND environment = $2 AND key = $3`,
}

/**
 * Returns whether this is the first use of the key: only then its credits must not have expired yet. Waits
 * for a concurrent use.
 */
async function claimKey(
  tx: Transaction,
  idempotencyKey: string,
  { accountId, environment, ...asked }: Posting,
): Promise<boolean> {
  const values = [accountId, environment, idempotencyKey, JSON.stringify(asked)]
  const claim = [...values, asked.expiresAt]
  const [claimed] = await tx.query<{ isOver: boolean | null }>(claimPostingKey, claim)
  if (claimed?.isOver) {
    throw invalidRequest([{ field: 'expiresAt', in: 'body', message: 'must be in the future' }])
  }
  if (claimed) return true
  const [known] = await tx.query<{ isSame: boolean }>(comparePosting, values)
  if (known?.isSame) return false
  throw invalidRequest([
    { field: 'idempotencyKey', in: 'body', message: 'was used before for another entry' },
  ])
}

/** The CHECK constraints of balance and ledger keep a balance within its bounds. */
function refuseOverdraft(error: unknown): never {
  const isCheck = error instanceof Error && 'code' in error && error.code === '23514'
  if (!isCheck) throw error
  throw invalidRequest([
    {
      ...{ field: 'credits', in: 'body' },
      message: 'would take the balance below zero, which needs allowNegative, or beyond its limits',
    },
  ])
}

const expireDue: Statement = {
  name: 'expire-due-grants',
  text: 'SELECT account.expire_due($1, $2)',
}

/** Enters the remaining credits of an account's expired grants as expiry. */
export async function expireGrants(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<void> {
  await database.query(expireDue, [accountId, environment])
}

interface EntryRow extends LedgerEntry {
  readonly seq: number
}

const columns = `seq, id, kind, credits, balance_after AS "balanceAfter", description,
      CASE WHEN kind = 'charge' THEN ref END AS "requestId", created_at AS "createdAt"`

const entriesNewestFirst: Statement = {
  name: 'entries-newest-first',
  text: `SELECT ${columns}
    FROM account.ledger_entry
    WHERE account_id = $1 AND environment = $2 AND seq < $3
    ORDER BY seq DESC LIMIT $4`,
}

const entriesOfSpan: Statement = {
  name: 'entries-of-span',
  text: `SELECT ${columns}
    FROM account.ledger_entry
    WHERE account_id = $1 AND environment = $2 AND seq < $3
      AND seq >= (SELECT account.first_seq_since($1, $2, $5::timestamptz - interval '1 hour'))
      AND seq < (SELECT account.first_seq_since($1, $2, $6::timestamptz + interval '1 hour'))
      AND created_at >= $5 AND created_at < $6 AND ($7::text IS NULL OR kind = $7)
    ORDER BY seq DESC LIMIT $4`,
}

/** Entries of a kind other than charges: they have an index of their own, and are few. */
const entriesOfKind: Statement = {
  name: 'entries-of-kind',
  text: `SELECT ${columns}
    FROM account.ledger_entry
    WHERE account_id = $1 AND environment = $2 AND kind = $7 AND kind <> 'charge' AND seq < $3
      AND created_at >= $5 AND created_at < $6
    ORDER BY seq DESC LIMIT $4`,
}

/** Charges and other entries have an index of references each. */
const ofRequest = (kind: 'charge' | 'refund') => `
      SELECT seq, id, kind, credits, balance_after, description, ref, created_at
      FROM account.ledger_entry
      WHERE account_id = $1 AND environment = $2 AND kind = '${kind}' AND ref = $8`

const entriesOfRequest: Statement = {
  name: 'entries-of-request',
  text: `SELECT ${columns}
    FROM (${ofRequest('charge')} UNION ALL ${ofRequest('refund')}) e
    WHERE seq < $3 AND created_at >= $5 AND created_at < $6 AND ($7::text IS NULL OR kind = $7)
    ORDER BY seq DESC LIMIT $4`,
}

/** Which entries are shown; without a filter, all. */
export interface EntryFilter {
  /** The entries of a charged request. */
  readonly requestId?: string | null
  readonly kind?: LedgerEntryKind | null
  /** Entries from this instant on are included. */
  readonly from?: Date | null
  /** Entries from this instant on are not included. */
  readonly to?: Date | null
}

type Reading = readonly [Statement, readonly unknown[]]

function readingOf({ kind, from, to, requestId }: EntryFilter): Reading {
  if (!kind && !from && !to && !requestId) return [entriesNewestFirst, []]
  const isOfFew = kind && kind !== LedgerEntryKind.charge
  const values = [from ?? '-infinity', to ?? 'infinity', kind ?? null]
  if (requestId) return [entriesOfRequest, [...values, requestId]]
  return [isOfFew ? entriesOfKind : entriesOfSpan, values]
}

/**
 * A position after every entry. It is a value and not a `coalesce` in SQL, because a function is
 * not leakproof and would prevent the use of the index.
 */
const endOfLedger = String(2n ** 63n - 1n)

/** The entries of an account, newest first. */
export function entriesOf(
  database: Database,
  { accountId, environment }: AccountScope,
  filter: EntryFilter = {},
): PagedList<EntryRow> {
  const [statement, filterValues] = readingOf(filter)
  return {
    name: 'ledger',
    owner: { accountId, environment },
    positionOf: ({ seq }) => String(seq),
    read({ limit, before }) {
      const values = [accountId, environment, before ?? endOfLedger, limit, ...filterValues]
      return database.query(statement, values)
    },
  }
}
