import { expect, vi } from 'vitest'
import type { TestDatabase } from '../database/database.ts'
import { patience } from '../time/patience.ts'
import type { TestAccount, TestGateway } from './gateway.ts'

interface CallBooks {
  readonly balance: number
  readonly held: number
  /** Credits, one for each charge. */
  readonly charges: readonly number[]
  /** `status credits` of each call in the usage log. */
  readonly logged: readonly string[]
}

/** The live balance of an account, and what became of its calls to the service `contacts`. */
export async function callBooksOf(
  database: TestDatabase,
  { id }: TestAccount,
): Promise<CallBooks | undefined> {
  const [row] = await database.query<CallBooks>(
    `SELECT b.balance::int, b.held::int,
       array(SELECT -e.credits::int FROM account.ledger_entry e
         WHERE e.account_id = $1 AND e.kind = 'charge') AS charges,
       array(SELECT u.status || ' ' || u.credits FROM usage.usage_log u
         WHERE u.account_id = $1 AND u.service = 'contacts') AS logged
     FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
    [id],
  )
  return row
}

interface BookRow {
  readonly account_id: string
  readonly environment: string
  readonly balance: string
  readonly held: string
  readonly entries: string
  readonly open_holds: string
  readonly last_balance: string
  readonly charged: string
  readonly logged: string
  readonly seqs_ok: boolean
  /** The sum of the lots, less the credits spent since they were written; null before there are any. */
  readonly lots: string | null
  /** Whether credits were taken back, which may leave the balance below what is held. */
  readonly is_taken_back: boolean
}

/**
 * The invariants docs/credits.md I1, I2, I4 and I5, over every account of the gateway's database.
 */
export async function expectExactBooks(gateway: TestGateway): Promise<void> {
  // The usage log follows a moment after the answer; everything else is there already.
  await vi.waitFor(() => compareBooks(gateway), patience)
}

async function compareBooks({ database }: TestGateway): Promise<void> {
  const rows = await database.query<BookRow>(`
    SELECT b.account_id, b.environment, b.balance, b.held,
      coalesce(sum(e.credits), 0) AS entries,
      coalesce((array_agg(e.balance_after ORDER BY e.seq DESC))[1], 0) AS last_balance,
      coalesce(max(e.seq), 0) = count(e.seq) AND coalesce(max(e.seq), 0) = b.last_seq AS seqs_ok,
      coalesce(-sum(e.credits) FILTER (WHERE e.kind = 'charge' OR e.kind = 'refund' AND EXISTS (
        -- Given back because the call failed: then the log says that it cost nothing.
        SELECT FROM usage.usage_log u WHERE u.account_id = b.account_id
          AND u.environment = b.environment AND u.request_id = e.ref AND u.credits = 0
      )), 0) AS charged,
      (SELECT coalesce(sum(h.credits), 0) FROM account.hold h
        WHERE h.account_id = b.account_id AND h.environment = b.environment) AS open_holds,
      (SELECT coalesce(sum(u.credits), 0) FROM usage.usage_log u
        WHERE u.account_id = b.account_id AND u.environment = b.environment) AS logged,
      (SELECT sum(l.remaining) FROM account.lot l
        WHERE l.account_id = b.account_id AND l.environment = b.environment)
        + coalesce(sum(e.credits) FILTER (WHERE e.seq > b.burnt_seq), 0) AS lots,
      bool_or(e.kind = 'clawback' OR e.kind = 'adjustment' AND e.credits < 0) IS TRUE
        AS is_taken_back
    FROM account.balance b
    LEFT JOIN account.ledger_entry e USING (account_id, environment)
    GROUP BY b.account_id, b.environment`)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    const where = `${row.account_id} ${row.environment}`
    expect([where, row.entries, row.last_balance]).toEqual([where, row.balance, row.balance])
    expect([where, row.open_holds]).toEqual([where, row.held])
    expect([where, row.logged]).toEqual([where, row.charged])
    expect([where, row.seqs_ok]).toEqual([where, true])
    if (row.lots !== null && Number(row.balance) >= 0) {
      expect([where, row.lots]).toEqual([where, row.balance])
    }
    if (row.is_taken_back) continue
    expect(Number(row.balance) - Number(row.held)).toBeGreaterThanOrEqual(0)
  }
}
