import type { TestDatabase } from '../../../test/support/database/database.ts'
import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import { until } from '../../../test/support/time/until.ts'
import type { Books, Snapshot } from '../model/history.ts'
import { askRead } from './ask.ts'
import { type Member, ownCredential } from './cast.ts'
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
    SELECT FROM account.payment WHERE settled_at IS NULL
    UNION ALL
    SELECT FROM account.ledger_entry e
      LEFT JOIN usage.usage_log u ON u.account_id = e.account_id
        AND u.environment = e.environment AND u.request_id = e.ref
      WHERE e.kind = 'charge' AND u.request_id IS NULL`)
  return busy.length === 0
}

/** All rows in one statement, because subscriptions go on meanwhile. JSON has numbers as the model does. */
const allBooks = `SELECT
  (SELECT json_agg(json_build_object('accountId', account_id, 'environment', environment, 'seq', seq,
      'kind', kind, 'credits', credits, 'balanceAfter', balance_after, 'ref', ref,
      'description', description, 'createdAtMs', ${inMs('created_at')}))
    FROM account.ledger_entry) AS entries,
  (SELECT json_agg(json_build_object('accountId', account_id, 'balance', balance, 'held', held,
      'lastSeq', last_seq))
    FROM account.balance WHERE environment = 'live') AS balances,
  (SELECT json_agg(json_build_object('accountId', account_id, 'requestId', request_id))
    FROM account.hold WHERE environment = 'live') AS holds,
  (SELECT json_agg(json_build_object('accountId', account_id, 'environment', environment,
      'requestId', request_id, 'status', status, 'credits', credits))
    FROM usage.usage_log) AS log,
  (SELECT json_agg(json_build_object('id', id, 'accountId', account_id, 'kind', kind,
      'status', status, 'credits', credits, 'cents', total_cents))
    FROM account.payment WHERE environment = 'live') AS payments,
  (SELECT json_agg(json_build_object('accountId', account_id, 'seq', seq, 'paymentId', payment_id,
      'expiresAtMs', ${inMs('expires_at')}))
    FROM account.lot WHERE environment = 'live' AND source = 'allowance') AS allowances,
  (SELECT json_agg(json_build_object('ref', ref, 'paymentId', payment_id))
    FROM account.payment_clawback WHERE environment = 'live') AS clawbacks`

function inMs(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::float8`
}

type Rows = Omit<Books, 'drifts' | keyof Shown>

type Shown = Pick<Books, 'summaries' | 'budgets'>

/** The sums that a gateway shows when everything is quiet. */
export async function readShown(
  accounts: readonly Member[],
  up: { readonly gateway: TestGateway; readonly name: string },
): Promise<Shown> {
  const summaries: Shown['summaries'][number][] = []
  const budgets: Shown['budgets'][number][] = []
  for (const account of accounts) {
    const { id: accountId, credentials, budget } = account
    const asking = { id: 'end', account, credential: ownCredential(account), ...up }
    await until(async () => {
      const shown = (await askRead('usage', asking))?.shown
      if (shown?.kind !== 'usage') return false
      summaries.push({ accountId, credits: shown.credits })
      return true
    })
    const [key] = credentials
    if (budget === null || !key) continue
    const { headers } = key
    await until(async () => {
      const request = { method: 'GET', headers }
      const { status, body } = await up.gateway.live.request('/v1/account/keys/current', request)
      if (status === 429 || status === 503) return false
      if (status !== 200) throw new Error(`The budget cannot be read: ${status}.`)
      const [total] = Object(body).budgets
      budgets.push({ accountId, used: total.used_credits, held: total.held_credits })
      return true
    })
  }
  return { summaries, budgets }
}

/** Reads the rows of the database, without the sums that a gateway shows. */
export async function readBooks(
  database: Database,
  gateway: TestGateway,
): Promise<Omit<Books, keyof Shown>> {
  let found: { [Name in keyof Rows]: Rows[Name] | null } | undefined
  await until(async () => {
    ;[found] = await database.query<NonNullable<typeof found>>(allBooks)
    // A subscription may have begun its renewal since everything was quiet.
    return !found?.payments?.some(({ status }) => status === 'pending')
  }).catch((error: unknown) => {
    // The model names a payment that stays pending.
    if (!found) throw error
  })
  return {
    entries: found?.entries ?? [],
    balances: found?.balances ?? [],
    holds: found?.holds ?? [],
    log: found?.log ?? [],
    payments: found?.payments ?? [],
    allowances: found?.allowances ?? [],
    clawbacks: found?.clawbacks ?? [],
    drifts: await findDrifts(gateway),
  }
}

/** `gateway ledger verify` and `gateway usage verify`. */
async function findDrifts(gateway: TestGateway): Promise<string[]> {
  const queries = [
    '{ audit: ledgerAudit { drifts { accountId seq problem } } }',
    '{ audit: usageAudit { drifts { accountId environment problem } } }',
  ]
  const drifts = await Promise.all(queries.map((query) => driftsOf(query, gateway)))
  return drifts.flat().map((drift) => JSON.stringify(drift))
}

/** Asks again while the database is unavailable: it may have stood still a moment ago. */
async function driftsOf(query: string, gateway: TestGateway): Promise<object[]> {
  const found: object[][] = []
  await until(async () => {
    try {
      const { audit } = await gateway.graphql(query)
      found.push(Object(audit).drifts)
    } catch (error) {
      if (!String(error).includes('SERVICE_UNAVAILABLE')) throw error
    }
    return found.length > 0
  })
  return found.flat()
}
