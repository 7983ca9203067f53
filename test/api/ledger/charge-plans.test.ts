import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  reserveKeyed,
  reservePlain,
  settlementOf,
} from '../../../subgraphs/account/holds/hold-batch.statements.ts'
import { account } from '../../../subgraphs/account/index.ts'
import {
  type OpenDatabase,
  openDatabase,
  type ServiceStatement,
} from '../../../subgraphs/shared/database/database.ts'
import { everyone } from '../../../subgraphs/shared/database/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { debianFolder } from '../../support/database/postgres-binaries.ts'

let stored: TestDatabase
let database: OpenDatabase
beforeAll(async () => {
  stored = await createTestDatabase()
  database = await openDatabase(account, { url: stored.serviceUrl, poolSize: 4, warn: () => {} })
  await stored.query(
    `INSERT INTO account.account (id, name, email)
     SELECT 'acct_' || n, 'Test', 'a@b.example' FROM generate_series(1, 10) AS n`,
  )
  await stored.query(
    `INSERT INTO account.balance (account_id, environment)
     SELECT 'acct_' || n, 'live' FROM generate_series(1, 10) AS n`,
  )
})
afterAll(async () => {
  await database.close()
  await stored.drop()
})

const keys = 'idempotency_key_pkey'
const settling = (isOneOfEach: boolean, isKeyed: boolean) => settlementOf({ isOneOfEach, isKeyed })

/** Each table of a statement, and the one index by which it is read. */
const hotStatements: readonly (readonly [ServiceStatement, readonly string[]])[] = [
  [reservePlain, ['balance_pkey', 'ended_hold_pkey']],
  [reserveKeyed, ['balance_pkey', 'ended_hold_pkey', keys]],
  [settling(true, false), ['balance_pkey', 'hold_pkey']],
  [settling(false, false), ['balance_pkey', 'hold_pkey']],
  [settling(true, true), ['balance_pkey', 'hold_pkey', keys]],
  [settling(false, true), ['balance_pkey', 'hold_pkey', keys]],
]

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** On a connection of the hot path, with its settings. */
async function planOf({ name, text, parameters }: ServiceStatement): Promise<PlanNode[]> {
  const explain: ServiceStatement = {
    ...{ name: `explain-${name}`, text: `EXPLAIN (FORMAT JSON) ${text}` },
    ...{ parameters, kept: 'service' },
  }
  const values = parameters.map((type) => {
    if (type === 'text[]') return ['acct_1', 'acct_2']
    return type === 'int4' ? 1 : [1, 2]
  })
  const [row] = await database
    .as(everyone)
    .query<{ 'QUERY PLAN': string | readonly { Plan: PlanNode }[] }>(explain, values)
  const answer = row?.['QUERY PLAN']
  const [plan] = typeof answer === 'string' ? JSON.parse(answer) : (answer ?? [])
  return nodesOf(plan.Plan)
}

test('statements are planned by the PostgreSQL of the run', async () => {
  const [row] = await stored.query<{ server_version_num: string }>('SHOW server_version_num')

  const isOldest = process.env.TEST_POSTGRES === debianFolder
  expect(row?.server_version_num).toMatch(isOldest ? /^15/ : /^1[5-9]/)
})

describe.each([
  ['small', null],
  ['large', 10_000_000],
] as const)('on tables that are %s', (_, rows) => {
  beforeAll(async () => {
    if (rows === null) return
    await stored.query(
      `UPDATE pg_class SET reltuples = $1::int, relpages = $1::int / 50
       WHERE relnamespace = 'account'::regnamespace AND relkind = 'r'`,
      [rows],
    )
  })

  test.each(
    hotStatements.map(([statement, indexes]) => [statement.name, statement, indexes] as const),
  )('%s finds its rows by the keys of their tables', async (_name, statement, indexes) => {
    const nodes = await planOf(statement)

    const types = nodes.map((node) => node['Node Type'])
    expect(types).not.toContain('Seq Scan')
    expect(types.filter((type) => /Hash Join|Merge Join|Bitmap/.test(type))).toEqual([])
    const used = nodes.flatMap((node) => node['Index Name'] ?? [])
    expect([...new Set(used)].sort()).toEqual([...indexes].sort())
  })
})
