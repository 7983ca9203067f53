import type { Database, Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type {
  DigestStart,
  LedgerHeadComparison,
  LedgerHeadInput,
  LedgerHeadPage,
} from './ledger-head.type.ts'

const maxHeads = 1000

const digestStart: Statement = {
  name: 'digest-start',
  text: 'SELECT now() AS "takenAt", count(*) AS accounts FROM account.account',
}

/** The number of accounts for a digest, and the time of the database. */
export async function startDigest(database: Database): Promise<DigestStart> {
  const [start] = await database.readLong((read) => read<DigestStart>(digestStart, []))
  if (!start) throw new Error('The count of accounts returned no row.')
  return start
}

/** The entries up to the heads of `head`, a table of account_id, environment and seq, by kind. */
const sumsUpToHeads = `
  SELECT coalesce(json_agg(s ORDER BY s.environment, s.kind), '[]') FROM (
    SELECT e.environment, e.kind, count(*) AS entries, sum(e.credits)::text AS credits
    FROM head h
    JOIN account.ledger_entry e
      ON e.account_id = h.account_id AND e.environment = h.environment AND e.seq <= h.seq
    GROUP BY e.environment, e.kind
  ) s`

const newestEntries: Statement = {
  name: 'ledger-heads',
  text: `
    WITH head AS (
      SELECT account_id, environment, last_seq AS seq, encode(last_hash, 'hex') AS hash
      FROM account.balance
      WHERE (account_id, environment) > ($1, $2) AND last_seq > 0
      ORDER BY account_id, environment LIMIT $3
    )
    SELECT (SELECT coalesce(json_agg(json_build_object('accountId', account_id,
        'environment', environment, 'seq', seq, 'hash', hash)
        ORDER BY account_id, environment), '[]') FROM head) AS heads,
      (${sumsUpToHeads}) AS sums`,
}

const comparedHeads: Statement = {
  name: 'ledger-heads-compared',
  text: `
    WITH head AS (
      SELECT "accountId" AS account_id, environment, seq, hash
      FROM jsonb_to_recordset($1)
        AS h("accountId" text COLLATE "C", environment text, seq bigint, hash text)
    )
    SELECT (SELECT coalesce(json_agg(json_build_object('accountId', h.account_id,
        'environment', h.environment, 'seq', h.seq, 'problem', CASE
          WHEN e.seq IS NULL THEN 'the entry is missing: the end of the ledger was cut off'
          ELSE 'the entry has another hash: it, or an entry before it, was rewritten'
        END) ORDER BY h.account_id, h.environment), '[]')
      FROM head h
      LEFT JOIN account.ledger_entry e
        ON e.account_id = h.account_id AND e.environment = h.environment AND e.seq = h.seq
      WHERE encode(e.hash, 'hex') IS DISTINCT FROM h.hash) AS breaks,
      (${sumsUpToHeads}) AS sums`,
}

export interface LedgerHeadsPage {
  /** The last account of the page before; empty at first. */
  readonly afterAccountId: string
  readonly afterEnvironment: string
  readonly limit: number
}

/**
 * The newest entry of each ledger that has one, and the sums of all entries up to there. One
 * statement sees one instant, so the sums belong to these heads.
 */
export async function listLedgerHeads(
  database: Database,
  { afterAccountId, afterEnvironment, limit }: LedgerHeadsPage,
): Promise<LedgerHeadPage> {
  requireAll([['limit', limit >= 1 && limit <= maxHeads, `must be 1 to ${maxHeads}`]])
  const [page] = await database.readLong((read) =>
    read<LedgerHeadPage>(newestEntries, [afterAccountId, afterEnvironment, limit]),
  )
  if (!page) throw new Error('The list of heads returned no row.')
  return page
}

/**
 * Looks for entries that were the newest ones of their ledgers, and sums up all entries up to them.
 */
export async function compareLedgerHeads(
  database: Database,
  heads: readonly LedgerHeadInput[],
): Promise<LedgerHeadComparison> {
  requireAll([['heads', heads.length <= maxHeads, `must be at most ${maxHeads}`]])
  const [compared] = await database.readLong((read) =>
    read<LedgerHeadComparison>(comparedHeads, [JSON.stringify(heads)]),
  )
  if (!compared) throw new Error('The comparison of heads returned no row.')
  return compared
}
