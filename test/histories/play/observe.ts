import type { TestDatabase } from '../../support/database/database.ts'
import type { TestGateway } from '../../support/gateway/gateway.ts'
import type { Books, Snapshot } from '../model/history.ts'
import { nowMs } from './clock.ts'

type Database = Pick<TestDatabase, 'query'>

interface SnapshotRow {
  readonly account_id: string
  readonly balance: string
  readonly held: string
  readonly entries_sum: string
  readonly holds_sum: string
  readonly last_seq: string
  readonly entries: string
}

/** All live balances with what they should agree with, as one statement sees them. */
export async function takeSnapshots(database: Database): Promise<Snapshot[]> {
  const rows = await database.query<SnapshotRow>(`
    SELECT b.account_id, b.balance, b.held, b.last_seq, e.entries_sum, e.entries,
      (SELECT coalesce(sum(h.credits), 0) FROM account.hold h
        WHERE h.account_id = b.account_id AND h.environment = 'live') AS holds_sum
    FROM account.balance b, LATERAL (
      SELECT coalesce(sum(e.credits), 0) AS entries_sum,
        coalesce(string_agg(concat_ws(' ', e.seq, e.ref, e.credits), chr(10) ORDER BY e.seq), '')
          AS entries
      FROM account.ledger_entry e WHERE e.account_id = b.account_id AND e.environment = 'live'
    ) e
    WHERE b.environment = 'live'`)
  const atMs = nowMs()
  return rows.map((row) => ({
    atMs,
    accountId: row.account_id,
    balance: Number(row.balance),
    held: Number(row.held),
    entriesSum: Number(row.entries_sum),
    holdsSum: Number(row.holds_sum),
    lastSeq: Number(row.last_seq),
    entries: row.entries,
  }))
}

/** Whether something is still under way: a hold, a charge that isn't logged, a grant that has ended. */
export async function isQuiet(database: Database): Promise<boolean> {
  const busy = await database.query(`
    SELECT FROM account.hold
    UNION ALL
    SELECT FROM account.balance WHERE next_expiry_at <= now()
    UNION ALL
    SELECT FROM account.ledger_entry e
      LEFT JOIN usage.usage_log u ON u.account_id = e.account_id
        AND u.environment = e.environment AND u.request_id = e.ref
      WHERE e.kind = 'charge' AND u.request_id IS NULL`)
  return busy.length === 0
}

interface EntryRow {
  readonly account_id: string
  readonly environment: string
  readonly seq: string
  readonly kind: string
  readonly credits: string
  readonly balance_after: string
  readonly ref: string
  readonly description: string
  readonly created_at: Date
}

interface BalanceRow {
  readonly account_id: string
  readonly balance: string
  readonly held: string
  readonly last_seq: string
}

interface LogRow {
  readonly account_id: string
  readonly environment: string
  readonly request_id: string
  readonly status: number
  readonly credits: string
}

/** Reads the rows of the database, without the sums that a gateway shows. */
export async function readBooks(
  database: Database,
  gateway: TestGateway,
): Promise<Omit<Books, 'summaries'>> {
  const entries = await database.query<EntryRow>('SELECT * FROM account.ledger_entry')
  const balances = await database.query<BalanceRow>(
    "SELECT * FROM account.balance WHERE environment = 'live'",
  )
  const holds = await database.query<{ account_id: string; request_id: string }>(
    "SELECT account_id, request_id FROM account.hold WHERE environment = 'live'",
  )
  const log = await database.query<LogRow>(
    'SELECT account_id, environment, request_id, status, credits FROM usage.usage_log',
  )
  return {
    entries: entries.map((row) => ({
      ...{ accountId: row.account_id, environment: row.environment, seq: Number(row.seq) },
      ...{ kind: row.kind, ref: row.ref, description: row.description },
      credits: Number(row.credits),
      balanceAfter: Number(row.balance_after),
      createdAtMs: row.created_at.getTime(),
    })),
    balances: balances.map((row) => ({
      accountId: row.account_id,
      balance: Number(row.balance),
      held: Number(row.held),
      lastSeq: Number(row.last_seq),
    })),
    holds: holds.map((row) => ({ accountId: row.account_id, requestId: row.request_id })),
    log: log.map((row) => ({
      ...{ accountId: row.account_id, environment: row.environment, requestId: row.request_id },
      status: row.status,
      credits: Number(row.credits),
    })),
    drifts: await findDrifts(gateway),
  }
}

/** `gateway ledger verify` and `gateway usage verify`. */
async function findDrifts(gateway: TestGateway): Promise<string[]> {
  const queries = [
    '{ audit: ledgerAudit { drifts { accountId seq problem } } }',
    '{ audit: usageAudit { drifts { accountId environment problem } } }',
  ]
  const audits = await Promise.all(queries.map((query) => gateway.graphql(query)))
  const drifts: object[] = audits.flatMap(({ audit }) => Object(audit).drifts)
  return drifts.map((drift) => JSON.stringify(drift))
}
