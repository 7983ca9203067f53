import 'reflect-metadata'
import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsById } from '../../../subgraphs/account/accounts/account.service.ts'
import { budgetedSpenders } from '../../../subgraphs/account/budgets/budgeted-spenders.service.ts'
import { judgeUnlocked } from '../../../subgraphs/account/holds/hold.statements.ts'
import {
  freeOwners,
  reserveKeyed,
  reservePlain,
  settlementOf,
} from '../../../subgraphs/account/holds/hold-batch.statements.ts'
import { readBalances } from '../../../subgraphs/account/ledger/credit-balance.service.ts'
import { usableKeys } from '../../../subgraphs/keys/verification/verified-key.service.ts'
import { activeClient } from '../../../subgraphs/oauth/apps/client.service.ts'
import { openSessionsOfCookies } from '../../../subgraphs/oauth/sessions/session.service.ts'
import {
  consumeCodes,
  findCodes,
} from '../../../subgraphs/oauth/tokens/grants/authorization-code.ts'
import { findRefreshTokens } from '../../../subgraphs/oauth/tokens/grants/refresh-token.ts'
import { activeTokens } from '../../../subgraphs/oauth/tokens/introspection.service.ts'
import { usableTokens } from '../../../subgraphs/oauth/tokens/verified-access-token.service.ts'
import {
  type OpenDatabase,
  openDatabase,
  type ServiceStatement,
  type Statement,
} from '../../../subgraphs/shared/database/database.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import type { ParameterType } from '../../../subgraphs/shared/database/wire/parameters.ts'
import { recordBatch } from '../../../subgraphs/usage/recording/usage-recording.service.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { plantTenant } from '../../support/database/planted-tenant.ts'
import { debianFolder } from '../../support/database/postgres-binaries.ts'

const keys = 'key_claim_pkey'
const app = 'app_pkey'
const grant = 'authorization_grant_pkey'
const settling = (isOneOfEach: boolean, isKeyed: boolean) => settlementOf({ isOneOfEach, isKeyed })

/** All statements that wire connections run, and the indexes by which each finds its rows. */
const hotStatements: readonly (readonly [Statement | ServiceStatement, readonly string[]])[] = [
  [reservePlain, ['balance_pkey', 'ended_hold_pkey']],
  [reserveKeyed, ['balance_pkey', 'ended_hold_pkey', keys]],
  [freeOwners, ['balance_pkey']],
  [judgeUnlocked, ['balance_pkey', 'ended_hold_pkey', 'hold_pkey', keys, 'key_answer_pkey']],
  [settling(true, false), ['balance_pkey', 'hold_pkey']],
  [settling(false, false), ['balance_pkey', 'hold_pkey']],
  [settling(true, true), ['balance_pkey', 'hold_pkey', keys]],
  [settling(false, true), ['balance_pkey', 'hold_pkey', keys]],
  [readBalances, ['balance_pkey']],
  [recordBatch, ['usage_epoch_pkey']],
  [usableKeys, ['api_key_secret_hash_key']],
  [accountsById, ['account_pkey', 'balance_pkey', 'plan_pkey']],
  [budgetedSpenders, ['budget_pkey']],
  [
    openSessionsOfCookies,
    ['session_secret_hash_key', 'session_previous_secret', 'membership_pkey'],
  ],
  [activeClient, [app]],
  [findCodes, [app, 'authorization_code_pkey', grant]],
  [consumeCodes, ['authorization_code_pkey', grant]],
  [findRefreshTokens, [app, 'refresh_token_pkey', grant]],
  [usableTokens, [app, 'access_token_pkey', grant, 'consent_pkey']],
  [activeTokens, [app, 'access_token_pkey', 'refresh_token_pkey', grant]],
]

const wire = /\bwire: '(?:service|tenant)'(?=,| \}|\n)/g
const declarations = /^(?=(?:export )?(?:async )?(?:const|function) )/m

/** The names of all statements in the sources that wire connections run. */
function namesInSources(): string[] {
  const files = globSync('{subgraphs,rest-facade,schema}/**/*.ts')
  return files.flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    return source.split(declarations).flatMap((declaration) => {
      const count = [...declaration.matchAll(wire)].length
      if (count === 0) return []
      const own = [...declaration.matchAll(/\bname: '([^']+)'/g)]
      if (own.length === count) return own.map(([, name = '']) => name)
      // A function that makes statements: each call of it names one.
      const [, maker] = /^(?:export )?function (\w+)/.exec(declaration) ?? []
      const made = [...source.matchAll(new RegExp(`\\b${maker}\\('([^']+)'`, 'g'))]
      if (made.length === 0) throw new Error(`${file} has a wire statement without a name.`)
      return made.map(([, name = '']) => name)
    })
  })
}

let graph: TestGraph
let database: OpenDatabase
beforeAll(async () => {
  graph = await openTestGraph()
  await Promise.all(Array.from({ length: 10 }, () => plantTenant(graph)))
  await graph.database.query(
    `INSERT INTO usage.usage_epoch (from_id, from_at)
     SELECT usage.lowest_request_id(now()), now() FROM generate_series(1, 10)`,
  )
  // Autovacuum would replace the statistics that are planted below.
  await inEach(
    `SELECT format('ALTER TABLE %s SET (autovacuum_enabled = off)', oid::regclass) FROM pg_class
     WHERE relkind = 'r' AND ${ours}`,
  )
  // An account and an app have ten rows of a kind.
  await inEach(
    `SELECT format('ALTER TABLE %s ALTER %s SET (n_distinct = -0.1)', c.oid::regclass, attname)
     FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE relkind = 'r' AND ${ours} AND attname IN ('account_id', 'client_id')
       AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisunique
         AND indnkeyatts = 1 AND indkey[0] = attnum)`,
  )
  // With one connection of each kind: a statement is explained where it was prepared.
  const storage = { name: 'plans', entities: [], migrations: [] }
  const { serviceUrl } = graph.database
  const options = { url: serviceUrl, poolSize: 1, timeoutMs: 30_000, warn: () => {} }
  database = await openDatabase(storage, options)
})
afterAll(async () => {
  await database.close()
  await graph.close()
})

const believed = 10_000_000
const ours = `relnamespace::regnamespace::text IN ('account', 'keys', 'oauth', 'usage')`

/** Runs the statements that a query makes. */
async function inEach(query: string): Promise<void> {
  const statements = await graph.database.query<{ format: string }>(query)
  await graph.database.query(statements.map(({ format }) => format).join(';'))
}

/**
 * PostgreSQL takes a table to have as many rows on each of its pages as it had when it was last looked at.
 */
async function believe(): Promise<void> {
  await graph.database.query('ANALYZE')
  await graph.database.query(
    `UPDATE pg_class SET reltuples = $1, relpages = pg_relation_size(oid) / 8192
     WHERE relkind IN ('r', 'i') AND ${ours}`,
    [believed],
  )
}

/**
 * Forgets the statistics, as for tables of a few rows: autovacuum does not look at them, and
 * PostgreSQL guesses.
 */
async function forget(): Promise<void> {
  await graph.database.query(
    `UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relkind IN ('r', 'i') AND ${ours}`,
  )
  await graph.database.query(
    `DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE ${ours})`,
  )
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Plan Rows': number
  readonly Schema?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** For which the statements do nothing. */
const values: Partial<Record<ParameterType, unknown>> = {
  ...{ text: '', int4: 1, int8: 0, timestamptz: new Date(0) },
  ...{ 'text[]': [], 'int2[]': [], 'int4[]': [], 'int8[]': [], 'bool[]': [] },
}

/** How rows are not found. On connections of tenants PostgreSQL decides how tables are joined. */
const others = { service: /Seq Scan|Hash Join|Merge Join|Bitmap/, tenant: /Seq Scan/ }

/** On the connections that run the statement, after they have run it; all that the planner says. */
async function planOf(statement: Statement | ServiceStatement): Promise<PlanNode[]> {
  const { name, parameters = [], wire: session } = statement
  if (!session) throw new Error(`"${name}" is no wire statement.`)
  const view = database.as(allTenants)
  const ask = <Row extends object>(about: string, text: string): Promise<Row[]> =>
    view.query<Row>({ name: `${about} ${name}`, text, parameters: [], wire: session }, [])
  await view.query(
    statement,
    parameters.map((type) => values[type]),
  )

  const nulls = parameters.map(() => 'NULL').join(', ')
  const execute = `EXECUTE "${name}"${nulls && ` (${nulls})`}`
  const [row] = await ask<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    'explain',
    `EXPLAIN (VERBOSE, FORMAT JSON) ${execute}`,
  )
  const counts = await ask(
    'count',
    `SELECT generic_plans > 1 AS "isGeneric", custom_plans AS custom
     FROM pg_prepared_statements WHERE name = '${name}'`,
  )

  expect(counts).toEqual([{ isGeneric: true, custom: 0 }])
  const [explained] = row?.['QUERY PLAN'] ?? []
  if (!explained) throw new Error(`"${name}" has no plan.`)
  return nodesOf(explained.Plan)
}

/** The first column of each index, by which rows can be found. */
async function leadingColumns(): Promise<ReadonlyMap<string, string>> {
  const rows = await graph.database.query<{ index: string; column: string }>(
    `SELECT relname AS index, attname AS column FROM pg_index
     JOIN pg_class c ON c.oid = indexrelid
     JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] WHERE ${ours}`,
  )
  return new Map(rows.map(({ index, column }) => [index, column]))
}

test('statements are planned by the PostgreSQL of the run', async () => {
  const [row] = await graph.database.query<{ server_version_num: string }>(
    'SHOW server_version_num',
  )

  const isOldest = process.env.TEST_POSTGRES === debianFolder
  expect(row?.server_version_num).toMatch(isOldest ? /^15/ : /^1[5-9]/)
})

test('every statement that wire connections run is here', () => {
  const names = hotStatements.map(([{ name }]) => name)

  expect(names.toSorted()).toEqual(namesInSources().toSorted())
})

test('planted statistics make the planner believe in 10,000,000 rows of each table', async () => {
  await believe()
  const plans: PlanNode[] = []
  for (const [statement] of hotStatements) plans.push(...(await planOf(statement)))
  const read = plans.filter((node) => node['Index Name'] && node['Relation Name'])
  const tables = new Set(read.map((node) => `${node.Schema}.${node['Relation Name']}`))

  expect(tables.size).toBeGreaterThan(10)
  for (const table of tables) {
    const [row] = await graph.database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (FORMAT JSON) SELECT FROM ${table}`,
    )
    expect([table, row?.['QUERY PLAN'][0]?.Plan['Plan Rows']]).toEqual([table, believed])
  }
})

describe.each([
  ['of 10 rows', forget],
  ['of 10,000,000 rows', believe],
])('on tables %s', (_, state) => {
  beforeAll(state)

  test.each(
    hotStatements.map(([statement, indexes]) => [statement.name, statement, indexes] as const),
  )('%s finds its rows by index', async (_name, statement, indexes) => {
    const nodes = await planOf(statement)

    const types = nodes.map((node) => node['Node Type'])
    expect(types.filter((type) => others[statement.wire ?? 'service'].test(type))).toEqual([])
    const scans = nodes.filter((node) => node['Index Name'])
    const used = scans.flatMap((node) => node['Index Name'] ?? [])
    expect([...new Set(used)].sort()).toEqual([...indexes].sort())
    const leading = await leadingColumns()
    for (const scan of scans) {
      expect(scan['Index Cond']).toMatch(
        new RegExp(`\\b${leading.get(scan['Index Name'] ?? '')} = `),
      )
    }
  })
})

/** The statistics are those that a vacuum leaves when it finds few open holds among many that have ended. */
test.each(
  hotStatements
    .map(([{ name }]) => name)
    .filter((name) => name.startsWith('settle-holds-') || name === 'judge-unlocked'),
)(
  '%s looks up each hold, also when the table was nearly empty at its last vacuum',
  async (name) => {
    await graph.database.query(
      `UPDATE pg_class SET reltuples = 0, relpages = 1
     WHERE oid IN ('account.hold'::regclass, 'account.hold_pkey'::regclass,
       'account.ended_hold'::regclass, 'account.ended_hold_pkey'::regclass)`,
    )
    const [statement] = hotStatements.find(([known]) => known.name === name) ?? []
    if (!statement) throw new Error(`"${name}" is no statement.`)

    const nodes = await planOf(statement)

    const scans = nodes.filter(
      (node) => node['Index Name'] && /^(ended_)?hold$/.test(node['Relation Name'] ?? ''),
    )
    const tables = name === 'judge-unlocked' ? ['ended_hold', 'hold'] : ['hold']
    expect(scans).toHaveLength(tables.length)
    expect(new Set(scans.map((node) => node['Relation Name']))).toEqual(new Set(tables))
    for (const scan of scans) expect(scan['Index Cond']).toMatch(/\brequest_id = /)
  },
)
