import 'reflect-metadata'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lowestId, newId } from '../../../schema/vocabulary/ids.ts'
import { sessionSettings } from '../../../subgraphs/shared/database/sessions.ts'
import { selectLines } from '../../../subgraphs/usage/exports/audit-export.csv.ts'
import { AuditExportKind } from '../../../subgraphs/usage/exports/audit-export.type.ts'
import type { UsageLogFilter } from '../../../subgraphs/usage/log/usage-log.type.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type ExplainOptions, explainPage } from '../../support/database/explain-page.ts'
import { fillUsageLog } from '../../support/database/usage-rows.ts'

const months = 13
const sizes = { small: 10_000, large: 400_000 }
const accounts = { small: newId('acct'), large: newId('acct') }
type Size = keyof typeof sizes

const databases = new Map<Size, TestDatabase>()
beforeAll(async () => {
  for (const size of ['small', 'large'] as const) {
    const database = await createTestDatabase()
    databases.set(size, database)
    const rows = sizes[size]
    await fillUsageLog({ ...database, accountId: accounts[size], rows, months })
    await nameFailures(database.ownerUrl)
  }
})

/** Failures get the codes of their statuses. */
async function nameFailures(ownerUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    options: '-c gateway.account_id=* -c synchronous_commit=off',
  })
  await client.connect()
  await client.query(`
    UPDATE usage.usage_log SET error_code = CASE status
      WHEN 404 THEN 'NOT_FOUND' WHEN 422 THEN 'INVALID_REQUEST' ELSE 'INTERNAL_ERROR' END
    WHERE status >= 400`)
  await client.query('VACUUM ANALYZE usage.usage_log')
  await client.end()
}

afterAll(async () => {
  for (const database of databases.values()) await database.drop()
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Sort Method'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Actual Loops': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Rows': number
  readonly Plans?: readonly PlanNode[]
}

async function explain(
  size: Size,
  { filter, before, mode }: Pick<ExplainOptions, 'filter' | 'before' | 'mode'>,
): Promise<PlanNode> {
  const serviceUrl = databases.get(size)?.serviceUrl ?? ''
  const accountId = accounts[size]
  const plan = await explainPage({ serviceUrl, accountId, filter, before, mode, format: 'JSON' })
  return JSON.parse(plan)[0].Plan
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function buffersOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks']
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

const filters: readonly (readonly [string, UsageLogFilter])[] = [
  ['no filter', {}],
  ['service', { service: 'contacts' }],
  ['a rare service', { service: 'markets' }],
  ['a service that was never used', { service: 'cloud' }],
  ['status_class', { statusClass: 2 }],
  ['a rare status_class', { statusClass: 5 }],
  ['min_credits', { minCredits: 1 }],
  ['min_credits of few', { minCredits: 1000 }],
  ['min_credits of none', { minCredits: 2000 }],
  ['error_code', { errorCode: 'NOT_FOUND' }],
  ['a rare error_code', { errorCode: 'INTERNAL_ERROR' }],
  ['an error_code that never came', { errorCode: 'SERVICE_UNAVAILABLE' }],
  ['all three', { service: 'promote', statusClass: 2, minCredits: 121 }],
  ['from and to', { from: daysAgo(200), to: daysAgo(100) }],
  ['from, to and service', { from: daysAgo(200), to: daysAgo(100), service: 'seo' }],
  ['request_id', { requestId: newId('req', daysAgo(390).getTime()) }],
]

const depths: readonly (readonly [string, string | null])[] = [
  ['the first page', null],
  ['a page half-way', lowestId('req', daysAgo(200).getTime())],
  ['the last page', lowestId('req', daysAgo(385).getTime())],
]

const cases = filters.flatMap(([filterName, filter]) =>
  depths.map(([depth, before]) => ({ filterName, filter, depth, before })),
)

describe.each(['force_generic_plan', 'force_custom_plan'] as const)('a page, with %s,', (mode) => {
  test.each(cases)(
    'by $filterName, $depth: reads as much of 400,000 rows as of 10,000',
    async ({ filter, before }) => {
      const plans = {
        small: await explain('small', { filter, before, mode }),
        large: await explain('large', { filter, before, mode }),
      }

      const nodes = nodesOf(plans.large)
      const ofLog = nodes.filter((node) => node['Relation Name']?.startsWith('usage_log'))
      // An empty partition may be read whole.
      for (const node of ofLog.filter((one) => buffersOf(one) > 0)) {
        expect(node['Node Type']).toMatch(/^Index (Only )?Scan$/)
        expect(node['Index Cond']).toMatch(/account_id.*environment.*request_id/)
        // The index finds matching rows only.
        expect(node['Rows Removed by Filter'] ?? 0).toBe(0)
      }
      // Where the page is not beyond the filter's own span.
      if (before === null) expect(ofLog.length).toBeGreaterThan(0)
      // Only the merged newest rows of each kind are sorted.
      for (const sort of nodes.filter((node) => node['Node Type'] === 'Sort')) {
        expect(sort.Plans?.[0]?.['Actual Rows']).toBeLessThanOrEqual(51 * 12)
      }
      // The keys of so many more rows are a level deeper, in each partition and for each kind; and
      // where the few rows end, their page is short.
      expect(buffersOf(plans.large)).toBeLessThanOrEqual(buffersOf(plans.small) * 2 + 250)
      expect(buffersOf(plans.large)).toBeLessThan(2000)
    },
  )
})

/** The plan of an export of the large log, in a session as the worker's. */
async function explainExport(from: Date | null, to: Date | null): Promise<PlanNode> {
  const { sql, values } = selectLines({
    ...{ accountId: accounts.large, environment: 'live', kind: AuditExportKind.requests },
    ...{ from, to, service: null, statusClass: null, actor: null },
    ...{
      keyId: null,
      clientId: null,
      externalId: null,
      endUser: null,
      sources: null,
      errorCode: null,
      isExtended: null,
    },
  })
  const client = new pg.Client({
    connectionString: databases.get('large')?.serviceUrl,
    options: sessionSettings,
  })
  await client.connect()
  try {
    await client.query('BEGIN')
    // The plan is under test, not the time that it takes on a loaded machine.
    await client.query('SET LOCAL statement_timeout = 0')
    await client.query(`SELECT set_config('gateway.account_id', $1, true)`, [accounts.large])
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, values)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.end()
  }
}

describe('an export', () => {
  let whole: PlanNode
  beforeAll(async () => {
    whole = await explainExport(null, null)
  })

  test.each([
    ['from', daysAgo(20), null],
    ['to', null, daysAgo(380)],
    ['from and to', daysAgo(200), daysAgo(190)],
  ])('with %s reads no month without a match', async (_title, from, to) => {
    const part = await explainExport(from, to)

    const monthsIn = (plan: PlanNode) =>
      nodesOf(plan).filter((node) => /^usage_log_\d{6}$/.test(node['Relation Name'] ?? ''))
    expect(monthsIn(whole).length).toBeGreaterThanOrEqual(months)
    const read = monthsIn(part).filter((node) => buffersOf(node) > 0)
    expect(read.length).toBeGreaterThanOrEqual(1)
    expect(read.length).toBeLessThanOrEqual(2)
    expect(read.every((node) => node['Actual Rows'] > 0)).toBe(true)
    expect(buffersOf(part)).toBeLessThan(buffersOf(whole) / 4)
  })
})
