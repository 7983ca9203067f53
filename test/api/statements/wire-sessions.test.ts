import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { account } from '../../../subgraphs/account/index.ts'
import {
  type AllTenantsDatabase,
  type Database,
  type OpenDatabase,
  openDatabase,
  type ServiceStatement,
  type Statement,
} from '../../../subgraphs/shared/database/database.ts'
import { allTenants, noTenant } from '../../../subgraphs/shared/database/tenant.ts'
import { isLockTimeout } from '../../../subgraphs/shared/database/wire-statements.ts'
import { databaseFailure } from '../../../subgraphs/shared/graph/database-failure.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { rounds } from '../../support/extent/extent.ts'
import { patience } from '../../support/time/patience.ts'

let stored: TestDatabase
let database: OpenDatabase
beforeAll(async () => {
  stored = await createTestDatabase()
  await stored.query(
    `INSERT INTO account.account (id, name, email)
     SELECT id, id, 'a@b.example' FROM unnest(ARRAY['acct_a', 'acct_b', 'acct_locked']) AS t (id)`,
  )
  await stored.query(`
    CREATE TABLE account.kept_probe (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, value int8);
    GRANT SELECT, INSERT, UPDATE ON account.kept_probe TO gateway_service`)
  // One connection of each kind, so that each statement meets what the ones before it have left there.
  database = await openDatabase(account, { url: stored.serviceUrl, poolSize: 1, warn: () => {} })
})
afterAll(async () => {
  await database.close()
  await stored.drop()
})

interface Kept<Session> {
  readonly name: string
  readonly text: string
  readonly parameters: []
  readonly wire: Session
}

function ofTenants(name: string, text: string): Kept<'tenant'> {
  return { name, text, parameters: [], wire: 'tenant' }
}

function ofService(name: string, text: string): Kept<'service'> {
  return { name: `${name}-service`, text, parameters: [], wire: 'service' }
}

const session = `SELECT pg_backend_pid() AS pid, current_setting('gateway.account_id', true) AS tenant`
const tenantSession = ofTenants('session', session)
const serviceSession = ofService('session', session)
const accounts = 'SELECT id FROM account.account ORDER BY id'
const tenantAccounts = ofTenants('accounts', accounts)
const serviceAccounts = ofService('accounts', accounts)
const divide = 'SELECT 10 / (5 - number) AS quotient FROM generate_series(1, 9) AS t (number)'
const tenantDivide = ofTenants('divide', divide)

/** The tenant of the tenants' connection between two statements. */
async function tenantBetween(): Promise<unknown> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const pid = await pidOf(database.query(tenantSession, []))
  // Meanwhile the watch of the database may have asked something on a connection of its own.
  const client: unknown = query.mock.contexts.find(
    (one) => one instanceof pg.Client && Reflect.get(one, 'processID') === pid,
  )
  query.mockRestore()
  if (!(client instanceof pg.Client)) throw new Error('No client of pg has run the statement.')
  const asked = `SELECT current_setting('gateway.account_id', true) AS tenant`
  const { rows } = await client.query<Session>(asked)
  return rows[0]?.tenant ?? ''
}

interface Session {
  readonly pid: number
  readonly tenant: string
}

async function pidOf(query: Promise<Session[]>): Promise<number> {
  const [row] = await query
  return row?.pid ?? 0
}

describe('a wire statement of the service', () => {
  const refusal = 'sees the rows of all tenants: only the view of all tenants runs it.'

  test('sees all rows, in the view of all tenants', async () => {
    expect(await database.as(allTenants).query(serviceAccounts, [])).toEqual([
      { id: 'acct_a' },
      { id: 'acct_b' },
      { id: 'acct_locked' },
    ])
  })

  test.each([['acct_a'], [noTenant]])(
    'is refused in the view of %j, and by its type',
    async (tenant) => {
      const mine = database.as(tenant)

      // @ts-expect-error The view of a tenant has no such statements.
      await expect(mine.query(serviceAccounts, [])).rejects.toThrow(refusal)
      // @ts-expect-error Nor has the view that is open first.
      await expect(database.query(serviceAccounts, [])).rejects.toThrow(refusal)
      // @ts-expect-error Nor is the view of a tenant that of all tenants.
      const notAllTenants: AllTenantsDatabase = database.as(tenant)
      expect(notAllTenants.schema).toBe('account')
      // @ts-expect-error Nor is such a statement one for a transaction of a tenant.
      const statement: Statement = serviceAccounts
      expect(statement.wire).toBe('service')
    },
  )

  test('has a connection that no statement of a tenant runs on, for every caller', async () => {
    const forAllTenants = database.as(allTenants)

    const service = await pidOf(forAllTenants.query<Session>(serviceSession, []))
    const tenants = await Promise.all(
      ['acct_a', 'acct_b', noTenant, allTenants].map((tenant) =>
        pidOf(database.as(tenant).query<Session>(tenantSession, [])),
      ),
    )

    expect(new Set(tenants).size).toBe(1)
    expect(tenants).not.toContain(service)
    expect(await pidOf(forAllTenants.query<Session>(serviceSession, []))).toBe(service)
  })

  test('cannot hand its rows on: the connection sees all tenants only for it', async () => {
    const narrow = ofService('narrow', `SELECT set_config('gateway.account_id', 'acct_a', true)`)

    await database.as(allTenants).query(narrow, [])

    expect(await database.as(allTenants).query(serviceSession, [])).toMatchObject([{ tenant: '*' }])
  })
})

describe('a wire statement of a tenant', () => {
  test('sees the rows of its tenant, whichever tenant used the connection before', async () => {
    const seenBy = (tenant: string) => database.as(tenant).query(tenantAccounts, [])

    expect(await seenBy('acct_a')).toEqual([{ id: 'acct_a' }])
    expect(await seenBy('acct_b')).toEqual([{ id: 'acct_b' }])
    expect(await seenBy(noTenant)).toEqual([])
    expect(await seenBy(allTenants)).toHaveLength(3)
    expect(await seenBy('acct_none')).toEqual([])
    expect(await seenBy('acct_a')).toEqual([{ id: 'acct_a' }])
  })

  test('leaves the connection without a tenant, also after an error, a cancel and a time-out', async () => {
    const mine = database.as('acct_a')
    const pid = await pidOf(mine.query<Session>(tenantSession, []))
    expect(await tenantBetween()).toBe('')

    await expect(mine.query(tenantDivide, [])).rejects.toMatchObject({ code: '22012' })
    expect(await tenantBetween()).toBe('')

    const slow = mine.query(ofTenants('slow', 'SELECT pg_sleep(60)'), [])
    const cancelled = expect(slow).rejects.toMatchObject({ code: '57014' })
    await vi.waitUntil(async () => {
      const [row] = await stored.query<{ isCancelled: boolean }>(
        `SELECT pg_cancel_backend(pid) AS "isCancelled" FROM pg_stat_activity
         WHERE pid = $1 AND state = 'active' AND query LIKE '%pg_sleep(60)%'`,
        [pid],
      )
      return row?.isCancelled
    }, patience)
    await cancelled
    expect(await tenantBetween()).toBe('')

    await expect(mine.query(ofTenants('late', 'SELECT pg_sleep(60)'), [])).rejects.toMatchObject({
      message: 'canceling statement due to statement timeout',
    })
    expect(await tenantBetween()).toBe('')
    expect(await pidOf(mine.query<Session>(tenantSession, []))).toBe(pid)
  })

  test('has no tenant on the connection that follows a cut one', async () => {
    const mine = database.as('acct_a')
    const pid = await pidOf(mine.query<Session>(tenantSession, []))

    const slow = mine.query(ofTenants('slow', 'SELECT pg_sleep(60)'), [])
    const cut = expect(slow).rejects.toThrow()
    await stored.query('SELECT pg_terminate_backend($1)', [pid])
    await cut

    expect(await tenantBetween()).toBe('')
    expect(await pidOf(mine.query<Session>(tenantSession, []))).not.toBe(pid)
  })

  test('does not run when its tenant cannot be set', async () => {
    const write = ofTenants('write-probe', 'INSERT INTO account.kept_probe VALUES (77, 1)')

    await expect(database.as('acct_\0').query(write, [])).rejects.toMatchObject({ code: '22021' })

    expect(await stored.query('SELECT FROM account.kept_probe WHERE id = 77')).toEqual([])
  })
})

const turnCount = rounds('TENANT_TURNS', { all: 60, nightly: 5000 })

describe('two tenants that use wire connections at the same time', () => {
  test(`never see each other in ${turnCount} turns of reads, errors and statements of all tenants`, async () => {
    let leaks = 0
    let looks = 0

    async function look(tenant: string): Promise<void> {
      const rows = await database.as(tenant).query<{ id: string }>(tenantAccounts, [])
      looks += 1
      if (rows.length !== 1 || rows[0]?.id !== tenant) leaks += 1
    }

    async function takeTurn(turn: number): Promise<void> {
      const tenant = turn % 2 === 0 ? 'acct_a' : 'acct_b'
      const mine = database.as(tenant)
      await Promise.all([
        look(tenant),
        turn % 3 === 0 && mine.query(tenantDivide, []).catch(() => {}),
        turn % 5 === 0 && database.as(allTenants).query(serviceAccounts, []),
        turn % 7 === 0 && database.as(allTenants).query(tenantAccounts, []),
        look(tenant),
      ])
    }

    const turns = Array.from({ length: turnCount }, (_, turn) => turn)
    // More than these at once, and statements are refused.
    const mostAtOnce = 250
    for (let first = 0; first < turnCount / 2; first += mostAtOnce) {
      const end = Math.min(first + mostAtOnce, turnCount / 2)
      await Promise.all(turns.slice(first, end).map(takeTurn))
    }
    for (const turn of turns.slice(turnCount / 2)) await takeTurn(turn)

    expect({ leaks, looks }).toEqual({ leaks: 0, looks: 2 * turnCount })
    console.log(`wire connections: ${looks} looks of two tenants`)
  })
})

type Run = (name: string, text: string) => Promise<object[]>

const runs: readonly [string, Run][] = [
  ['a tenant', (name, text) => database.as('acct_a').query(ofTenants(name, text), [])],
  ['the service', (name, text) => database.as(allTenants).query(ofService(name, text), [])],
]

describe.each(runs)('a wire statement of %s', (who, run) => {
  const pid = async () => pidOf(run('pid', session) as Promise<Session[]>)
  let connection: number
  beforeEach(async () => {
    connection = await pid()
  })

  test('leaves the connection usable after an error among its rows', async () => {
    await expect(run('divide', divide)).rejects.toMatchObject({ code: '22012' })
    await expect(run('divide', divide)).rejects.toMatchObject({ code: '22012' })

    expect(await pid()).toBe(connection)
  })

  test('stores nothing when its commit fails', async () => {
    const twice = 'INSERT INTO account.kept_probe (id) VALUES (1), (1) RETURNING id'

    await expect(run('insert-twice', twice)).rejects.toMatchObject({ code: '23505' })

    expect(await stored.query('SELECT FROM account.kept_probe WHERE id = 1')).toEqual([])
    expect(await pid()).toBe(connection)
  })

  test('returns no rows where it has none, each time', async () => {
    const update = 'UPDATE account.kept_probe SET value = 1 WHERE false'

    expect(await run('update-nothing', update)).toEqual([])
    expect(await run('update-nothing', update)).toEqual([])
  })

  test('is prepared once on a connection', async () => {
    const count = `
      SELECT name, generic_plans > 1 AS "isGeneric", custom_plans AS "customPlans"
      FROM pg_prepared_statements WHERE name LIKE 'prepared-once%'`
    for (let turn = 0; turn < 3; turn += 1) await run('prepared-once', count)

    expect(await run('prepared-once', count)).toEqual([
      { name: expect.stringContaining('prepared-once'), isGeneric: true, customPlans: 0 },
    ])
  })

  test('is prepared again after an error while it was parsed', async () => {
    const table = who === 'a tenant' ? 'account.late_of_tenant' : 'account.late_of_service'
    const read = `SELECT value FROM ${table}`
    await expect(run('read-late', read)).rejects.toMatchObject({ code: '42P01' })

    await stored.query(
      `CREATE TABLE ${table} AS SELECT 1 AS value; GRANT SELECT ON ${table} TO PUBLIC`,
    )

    expect(await run('read-late', read)).toEqual([{ value: 1 }])
    expect(await pid()).toBe(connection)
  })

  test('is prepared again when a column of its answer has another type, and runs once', async () => {
    const table = who === 'a tenant' ? 'account.changed_of_tenant' : 'account.changed_of_service'
    await stored.query(`
      CREATE TABLE ${table} (value int4); GRANT SELECT, INSERT ON ${table} TO PUBLIC`)
    const insert = `INSERT INTO ${table} VALUES (1) RETURNING value`
    expect(await run('insert-changed', insert)).toEqual([{ value: 1 }])

    await stored.query(`ALTER TABLE ${table} ALTER value TYPE text`)

    // The literal is an int4, which fits no text: PostgreSQL casts it at an assignment.
    expect(await run('insert-changed', insert)).toEqual([{ value: '1' }])
    expect(await run('insert-changed', insert)).toEqual([{ value: '1' }])
    expect(await stored.query(`SELECT value FROM ${table}`)).toHaveLength(3)
    expect(await pid()).toBe(connection)
  })

  test('is prepared again when somebody has deallocated it', async () => {
    await run('deallocate', 'DEALLOCATE ALL').catch(() => {})

    expect(await pid()).toBe(connection)
  })

  test('reports an error of a parser, and leaves the connection usable', async () => {
    const { getTypeParser } = pg.types
    const refuse = () => {
      throw new Error('Not this time.')
    }
    // Only for the column of this test: the watch of the database asks something now and then.
    const parserOf = (...asked: Parameters<typeof getTypeParser>) =>
      asked[0] === pg.types.builtins.JSONB ? refuse : getTypeParser(...asked)
    const parser = vi.spyOn(pg.types, 'getTypeParser').mockImplementation(parserOf)
    const failed = run('json', `SELECT '{}'::jsonb AS document`)

    await expect(failed).rejects.toThrow('Not this time.')
    await expect(run('json', `SELECT '{}'::jsonb AS document`)).rejects.toThrow('Not this time.')
    parser.mockRestore()
    expect(await run('json-again', `SELECT '{}'::jsonb AS document`)).toEqual([{ document: {} }])
    expect(await pid()).toBe(connection)
  })
})

describe('the session of wire connections', () => {
  const settings = `
    SELECT name, current_setting(name) AS setting FROM unnest(ARRAY[
      'role', 'TimeZone', 'idle_in_transaction_session_timeout', 'statement_timeout', 'lock_timeout',
      'plan_cache_mode', 'jit', 'enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin',
      'enable_mergejoin', 'enable_memoize', 'enable_nestloop', 'enable_indexscan'
    ]) AS t (name)`
  const asObject = (rows: readonly { name: string; setting: string }[]) =>
    Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  type Setting = { name: string; setting: string }

  test('is that of the pool, and for the service also one of index scans and impatient locks', async () => {
    const pooled = asObject(await database.query<Setting>({ name: 'settings', text: settings }, []))
    const tenants = asObject(await database.query(ofTenants('settings-wire', settings), []))
    const service = asObject(
      await database.as(allTenants).query(ofService('settings-wire', settings), []),
    )

    expect(pooled).toMatchObject({
      ...{ role: 'gateway_service', TimeZone: 'UTC', statement_timeout: '4500ms' },
      ...{ idle_in_transaction_session_timeout: '5s', plan_cache_mode: 'force_generic_plan' },
      ...{ lock_timeout: '0', enable_seqscan: 'on' },
    })
    expect(tenants).toEqual(pooled)
    const off = [
      'jit',
      'enable_seqscan',
      'enable_bitmapscan',
      'enable_hashjoin',
      'enable_mergejoin',
    ]
    expect(service).toEqual({
      ...{ ...pooled, lock_timeout: '100ms', enable_memoize: 'off' },
      ...Object.fromEntries(off.map((name) => [name, 'off'])),
    })
  })
})

describe('a row that another transaction has locked', () => {
  const lock: [string, unknown[]] = [
    `UPDATE account.account SET name = 'Held' WHERE id = $1`,
    ['acct_locked'],
  ]
  const rename = `UPDATE account.account SET name = 'Renamed' WHERE id = 'acct_locked' RETURNING name`

  const impatient: ServiceStatement = { ...ofService('rename', rename), givesUpLocks: true }

  test('makes a statement of the service give up that says so, with an error that says so', async () => {
    const url = new URL(inject('superuserUrl'))
    url.pathname = new URL(stored.serviceUrl).pathname
    const holder = new pg.Client({ connectionString: url.href })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query(...lock)
    const [refusal] = await Promise.allSettled([
      database.as(allTenants).query(impatient, []),
    ]).finally(() => holder.end())
    const reason: unknown = Object(refusal).reason

    expect(reason).toMatchObject({ code: '55P03' })
    expect(isLockTimeout(reason)).toBe(true)
    expect(databaseFailure(reason)?.extensions).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      isLockTimeout: true,
    })
    const other = databaseFailure(Object.assign(new Error('Deadlock.'), { code: '40P01' }))
    expect(other?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(other?.extensions.isLockTimeout).toBeUndefined()
    expect(await database.as(allTenants).query(impatient, [])).toEqual([{ name: 'Renamed' }])
  })

  test('is waited for by any other statement of the service', async () => {
    const renamed = await whileHeld(stored, lock, {
      ...{ waiting: 1, patientMs: 300 },
      started: () => database.as(allTenants).query(ofService('rename', rename), []),
    })

    expect(renamed).toEqual([{ name: 'Renamed' }])
  })

  test('is waited for by a statement of a tenant', async () => {
    const renamed = await whileHeld(stored, lock, {
      waiting: 1,
      started: () => database.as('acct_locked').query(ofTenants('rename', rename), []),
    })

    expect(renamed).toEqual([{ name: 'Renamed' }])
  })
})

describe('the connections of a database', () => {
  const poolSize = 8

  async function openConnections(name: string): Promise<number> {
    const rows = await stored.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`,
      [`credit-gateway ${name}`],
    )
    return rows.length
  }

  /** The statement lasts until the connections have been counted. */
  const wait = 'SELECT FROM public.wait()'
  beforeAll(() =>
    // Statements of the service would give up after 100 ms, and go on in the pool.
    stored.query(
      `CREATE FUNCTION public.wait() RETURNS void LANGUAGE plpgsql SET lock_timeout = 0 AS
         'BEGIN PERFORM pg_advisory_xact_lock_shared(7); END'`,
    ),
  )
  const counting = ['SELECT pg_advisory_xact_lock(7)', []] satisfies [string, unknown[]]

  function open(name: string): Promise<OpenDatabase> {
    return openDatabase(
      { name, entities: [], migrations: [] },
      { url: stored.serviceUrl, poolSize, timeoutMs: 30_000, warn: () => {} },
    )
  }

  function ask(view: Database, kind: (name: string, text: string) => Statement): Promise<object[]> {
    return view.query(kind('wait', wait), [])
  }

  test('are never more than the pool may have, are counted by their use, and end with it', async () => {
    const own = await open('own')
    const pooled = (name: string, text: string): Statement => ({ name: `${name}-pooled`, text })
    const forAllTenants = own.as(allTenants)
    const service: ServiceStatement = ofService('wait', wait)
    await Promise.all([ask(own, ofTenants), forAllTenants.query(service, [])])

    const all = await whileHeld(stored, counting, {
      async started() {
        const asked = Array.from({ length: 12 }, () => [
          ask(own, ofTenants),
          ask(own, pooled),
          forAllTenants.query(service, []),
        ])
        const busy = { inUse: 8, idle: 0, waiting: 28 }
        await vi.waitFor(() => expect(own.connections()).toEqual(busy), patience)
        // Connections that are still opening are counted as in use.
        await vi.waitUntil(async () => (await openConnections('own')) >= poolSize, patience)
        expect(await openConnections('own')).toBeLessThanOrEqual(poolSize)
        return asked.flat()
      },
    })
    await Promise.all(all)

    expect(own.connections()).toEqual({ inUse: 0, idle: 8, waiting: 0 })
    expect(await openConnections('own')).toBe(poolSize)
    const last = forAllTenants.query(service, [])
    await own.close()
    expect(await last).toHaveLength(1)
    expect(own.connections()).toEqual({ inUse: 0, idle: 0, waiting: 0 })
    await vi.waitFor(async () => expect(await openConnections('own')).toBe(0), patience)
    await expect(forAllTenants.query(service, [])).rejects.toMatchObject({ name: 'RefusedUnsent' })
  })

  test('are taken from a pool that uses all of them', async () => {
    const own = await open('taken')

    const pooled = await whileHeld(stored, counting, {
      async started() {
        const asked = Array.from({ length: 12 }, () => own.query({ name: 'wait', text: wait }, []))
        await vi.waitFor(() => expect(own.connections().inUse).toBe(poolSize), patience)
        await own.query(tenantSession, [])
        await own.as(allTenants).query(serviceSession, [])
        return asked
      },
    })
    await Promise.all(pooled)

    // Five places belong to wire connections now; each kind has needed one.
    await vi.waitFor(async () => expect(await openConnections('taken')).toBe(5), patience)
    expect(own.connections()).toEqual({ inUse: 0, idle: 5, waiting: 0 })
    await own.close()
  })

  test('are all left to the pool where no statement has `wire`', async () => {
    const own = await open('pooled')

    const pooled = await whileHeld(stored, counting, {
      async started() {
        const asked = Array.from({ length: 12 }, () => own.query({ name: 'wait', text: wait }, []))
        await vi.waitFor(() => expect(own.connections().inUse).toBe(poolSize), patience)
        return asked
      },
    })
    await Promise.all(pooled)
    await own.close()
  })
})
