import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import * as single from '../../../subgraphs/account/holds/hold.statements.ts'
import * as batch from '../../../subgraphs/account/holds/hold-batch.statements.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const page = readFileSync(join(projectRoot, 'deploy/scale.md'), 'utf8')

/** The cells of the rows of one table of the page, without the marks of code. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n### ${heading}\n`)
  const [own = ''] = section.split('\n#')
  const lines = own.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('`', '')),
  )
}

/** The ledger and the log: what is split by account. Keys and tokens are found by their hash. */
const split = ['account', 'usage']

interface UniqueKey {
  readonly table: string
  readonly columns: string
  readonly isOfAccount: boolean
  readonly isTenants: boolean
}

function uniqueKeys(): Promise<UniqueKey[]> {
  return database.query(
    `SELECT format('%s.%s', n.nspname, c.relname) AS table,
       string_agg(coalesce(a.attname::text, 'expression'), ', ' ORDER BY k.place) AS columns,
       bool_or(a.attname = 'account_id' OR (c.relname = 'account' AND a.attname = 'id'))
         IS TRUE AS "isOfAccount",
       c.relname = 'account' OR EXISTS (SELECT FROM pg_attribute o
         WHERE o.attrelid = c.oid AND o.attname = 'account_id') AS "isTenants"
     FROM pg_index x
     JOIN pg_class c ON c.oid = x.indrelid AND NOT c.relispartition
     JOIN pg_namespace n ON n.oid = c.relnamespace
     CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k (number, place)
     LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number AND k.number > 0
     WHERE x.indisunique AND n.nspname = ANY ($1)
     GROUP BY x.indexrelid, n.nspname, c.relname, c.oid ORDER BY 1, 2`,
    [split],
  )
}

/** The tables that a statement names, and those of the functions that it calls. */
async function tablesOf(text: string): Promise<string[]> {
  const known = await database.query<{ name: string; source: string | null }>(
    `SELECT format('%s.%s', n.nspname, c.relname) AS name, NULL AS source FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     UNION ALL
     SELECT format('%s.%s', n.nspname, p.proname), pg_get_functiondef(p.oid) FROM pg_proc p
       JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE n.nspname = ANY ($1) AND p.prokind = 'f'`,
    [split],
  )
  const found = new Set<string>()
  const seen = new Set<string>()
  const waiting = [text]
  for (const source of waiting) {
    for (const name of new Set(source.match(/\b(?:account|usage)\.\w+/g))) {
      if (seen.has(name)) continue
      seen.add(name)
      for (const one of known.filter((candidate) => candidate.name === name)) {
        if (one.source === null) found.add(name)
        else waiting.push(one.source)
      }
    }
  }
  return [...found].toSorted((a, b) => (a < b ? -1 : 1))
}

/** The statements of a charge, by name. */
const hotStatements = [
  ...[batch.reservePlain, batch.reserveKeyed, batch.standingHolds, batch.freeOwners],
  batch.settleLost,
  ...[true, false].flatMap((isOneOfEach) =>
    [true, false].map((isKeyed) => batch.settlementOf({ isOneOfEach, isKeyed })),
  ),
  ...[single.judgeUnlocked, single.reserveCredits, single.reserveInBudgets],
  ...[single.settleInBudgets, single.settleLostInBudgets, single.readSettlements],
  single.expireHolds,
]

describe('deploy/scale.md', () => {
  test('lists every unique key of the ledger and the log that does not contain the account', async () => {
    const keys = await uniqueKeys()

    const without = keys
      .filter(({ isOfAccount, isTenants }) => isTenants && !isOfAccount)
      .map(({ table, columns }) => `${table} (${columns})`)
    const listed = rowsBelow('Keys without the account').map(([table, key]) => `${table} (${key})`)
    expect(keys.length).toBeGreaterThan(60)
    expect(listed.toSorted()).toEqual(without.toSorted())
  })

  test('lists every table without an account: a reference table', async () => {
    const keys = await uniqueKeys()

    const tables = new Set(keys.filter(({ isTenants }) => !isTenants).map(({ table }) => table))
    expect(rowsBelow('Reference tables').map(([table]) => table)).toEqual([...tables].toSorted())
  })

  test('says of each statement of a charge which tables keep it from one shard', async () => {
    const keys = await uniqueKeys()
    const obstacles = new Set(
      keys
        .filter(({ isOfAccount, isTenants }) => isTenants && !isOfAccount)
        .map(({ table }) => table),
    )

    const computed = await Promise.all(
      hotStatements.map(async ({ name, text }) => {
        const tables = await tablesOf(text)
        const inTheWay = tables.filter((table) => obstacles.has(table))
        return [name, inTheWay.length > 0 ? inTheWay.join(', ') : 'none']
      }),
    )

    expect(rowsBelow('Statements of a charge')).toEqual(computed)
  })
})
