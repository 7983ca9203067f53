import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram, type Finished } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'

const applied = z.strictObject({ status: z.literal('up to date'), applied: z.array(z.string()) })
const checked = z.strictObject({ status: z.string(), pending: z.array(z.string()) })

function json<Shape extends z.ZodType>(shape: Shape, { stdout }: Finished) {
  return shape.parse(JSON.parse(stdout))
}

describe('gateway migrate', () => {
  let database: TestDatabase
  let place: Workplace
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase({ isEmpty: true })
    place = openWorkplace()
  })
  afterAll(async () => {
    await place.close()
    await database.drop()
  })

  const run = (...options: string[]) =>
    place.run(['migrate', ...options, '--json'], variablesFor(database))

  /** Every change of a catalog row creates another version of it, also one without a difference. */
  async function readCatalogs() {
    const catalogs = ['class', 'attribute', 'attrdef', 'constraint', 'index', 'namespace', 'policy']
    const more = ['proc', 'trigger', 'type']
    const versions = [...catalogs, ...more].map(
      (name) => `SELECT '${name}' AS name, count(*)::int AS rows,
        md5(string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid)) AS versions FROM pg_${name}`,
    )
    // Other test files make roles of their own in this cluster: only those of a gateway are looked at.
    versions.push(`SELECT 'auth_members', count(*)::int,
      md5(string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid)) FROM pg_auth_members
      WHERE member::regrole::text ~ '^gateway_' AND roleid::regrole::text ~ '^gateway_'`)
    const tables = ['job', 'queue', 'version', 'migration'].map((name) => `jobs.${name}`)
    for (const schema of ['account', 'keys', 'oauth', 'usage']) tables.push(`${schema}.migration`)
    const rows = tables.map(
      (name) => `SELECT '${name}', count(*)::int,
        md5(string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid)) FROM ${name}`,
    )
    // Another process may read the part after a UNION ALL: without an order, rows change places.
    return database.query(`${[...versions, ...rows].join(' UNION ALL ')} ORDER BY name`)
  }

  test('run twice at once migrates once: the other run waits, and nothing is left to do', async () => {
    const before = await run('--check')
    expect(before).toMatchObject({ code: 1, stderr: '' })
    const { status, pending } = json(checked, before)
    expect(status).toBe('behind')
    expect(pending).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^jobs\.Baseline [0-9a-f]{16}$/),
        expect.stringMatching(/^usage\.Baseline [0-9a-f]{16}$/),
      ]),
    )
    expect(await database.query(`SELECT FROM pg_namespace WHERE nspname = 'account'`)).toEqual([])

    const both = await Promise.all([run(), run()])

    expect(both.map(({ code }) => code)).toEqual([0, 0])
    // One waits, or comes when all is done.
    const waiting = 'Another process is migrating: waiting for it.\n'
    for (const { stderr } of both) expect(['', waiting]).toContain(stderr)
    const steps = both.map((finished) => json(applied, finished).applied)
    expect(steps).toEqual(expect.arrayContaining([[], pending]))

    const catalogs = await readCatalogs()
    const [third, after] = await Promise.all([run(), run('--check')])
    expect(third).toMatchObject({ code: 0, stderr: '' })
    expect(json(applied, third).applied).toEqual([])
    expect(await readCatalogs()).toEqual(catalogs)
    expect(after).toMatchObject({ code: 0, stderr: '' })
    expect(json(checked, after)).toEqual({ status: 'up to date', pending: [] })
  })

  test('explains a failure in one line, and exits with 1', async () => {
    const broken = await createTestDatabase({ isEmpty: true })
    // Something of somebody else's is in the way.
    await broken.query('CREATE SCHEMA keys AUTHORIZATION gateway_owner')
    await broken.query('CREATE TABLE keys.api_key (id text)')

    const finished = await place.run(['migrate'], variablesFor(broken))

    expect(finished).toMatchObject({ code: 1, stdout: '' })
    expect(finished.stderr).toMatch(
      /^keys\.Baseline \w+ failed: relation "api_key" already exists\. The steps before it are done, [^\n]*\n$/,
    )
    await broken.drop()
  })

  test('refuses a database that another baseline has made, and changes nothing', async () => {
    const [row] = await database.query<{ name: string }>('SELECT name FROM account.migration')
    await database.query(`UPDATE account.migration SET name = 'Baseline 0123456789abcdef'`)
    const catalogs = await readCatalogs()

    const finished = await Promise.all([run(), run('--check')])

    for (const { code, stdout, stderr } of finished) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(
        `The schema account was made by "Baseline 0123456789abcdef", and this build begins with "${row?.name}". ` +
          'Before release 1.0.0 no database is carried over from one build to the next: run the build that made ' +
          'it, or start with an empty database (an empty DATA_DIR for the embedded one). Nothing was changed.\n',
      )
    }
    expect(await readCatalogs()).toEqual(catalogs)
    await database.query('UPDATE account.migration SET name = $1', [row?.name])
  })
})
