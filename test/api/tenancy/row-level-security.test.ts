import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import {
  type Database,
  type OpenDatabase,
  openDatabase,
  type Statement,
} from '../../../subgraphs/shared/database/database.ts'
import { sessionSettings } from '../../../subgraphs/shared/database/sessions.ts'
import { allTenants, noTenant } from '../../../subgraphs/shared/database/tenant.ts'
import { tenantQuery } from '../../../subgraphs/shared/database/tenant-query.ts'
import { createContext } from '../../../subgraphs/shared/graph/context.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf, plantTenant } from '../../support/database/planted-tenant.ts'
import { rounds } from '../../support/extent/extent.ts'

const schemas = [account, keys, oauth, usage].map(({ name }) => name)

/** Has no rows of any account's. */
const sharedTables = [
  'account.confirmation_request',
  'account.invitation_request',
  'account.facade_process',
  'account.process_report',
  'oauth.backend_signing_key',
  'oauth.passkey',
  'oauth.passkey_removal',
  'oauth.person',
  'oauth.signing_key',
  'usage.usage_epoch',
  'usage.usage_log_extent',
]
/** Nor have these, and no account sees any. */
const tablesWithoutTenant = [
  'account.operator_act',
  'keys.internal_token',
  'keys.operator_link',
  'keys.operator_session',
  'oauth.denied_app_host',
  'oauth.mail_sign_in',
  'oauth.passkey_challenge',
  'usage.anonymous_failure',
]

interface TenantTable {
  readonly name: string
  /** The column that says whose a row is. */
  readonly column: string
}

let graph: TestGraph
let database: OpenDatabase
let tables: readonly TenantTable[]
/** Two accounts, each with rows in every table. */
let ours: string
let theirs: string
beforeAll(async () => {
  graph = await openTestGraph()
  const url = graph.database.serviceUrl
  database = await openDatabase(account, { url, poolSize: 1, timeoutMs: 30_000, warn: () => {} })
  tables = await findTenantTables()
  ours = await plantTenant(graph)
  theirs = await plantTenant(graph)
})
afterAll(async () => {
  await database.close()
  await graph.close()
})

/**
 * The tables with an account's id, from PostgreSQL's catalog: nobody has to remember a new table. A
 * partition is a part of one.
 */
function findTenantTables(): Promise<TenantTable[]> {
  return graph.database.query(
    `SELECT c.oid::regclass::text AS name, a.attname AS column
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace::regnamespace::text = ANY ($1) AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition
       AND (a.attname = 'account_id' OR a.attname = 'id' AND c.oid = 'account.account'::regclass)
     ORDER BY name`,
    [schemas],
  )
}

/** A session of the service or of another role; its changes are rolled back. */
async function inSession<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  options = sessionSettings,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, options })
  await client.connect()
  try {
    await client.query('BEGIN')
    return await work(client)
  } finally {
    await client.end()
  }
}

function asService<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  return inSession(graph.database.serviceUrl, work)
}

async function setTenant(client: pg.Client, tenant: string): Promise<void> {
  await client.query(`SELECT set_config('gateway.account_id', $1, true)`, [tenant])
}

/** Whose rows a session sees of a table. */
async function ownersIn(client: pg.Client, { name, column }: TenantTable): Promise<string[]> {
  const { rows } = await client.query<{ owner: string }>(
    `SELECT DISTINCT ${column} AS owner FROM ${name} ORDER BY owner`,
  )
  return rows.map(({ owner }) => owner)
}

/** The error of a statement that has to be refused; its effects are undone. */
async function refusalOf(client: pg.Client, sql: string, values: unknown[]): Promise<unknown> {
  await client.query('SAVEPOINT before')
  const refusal = await client.query(sql, values).then(
    ({ rowCount }) => `${rowCount} rows`,
    (error: unknown) => error,
  )
  await client.query('ROLLBACK TO SAVEPOINT before')
  return refusal
}

const notByPolicy = expect.objectContaining({
  code: '42501',
  message: expect.stringContaining('violates row-level security policy'),
})

/** The tables that the service cannot write by itself, not even its own rows. */
const byFunction = ['usage.audit_event', 'usage.audit_chain']
const notAtAll = expect.objectContaining({
  code: '42501',
  message: expect.stringContaining('permission denied for table'),
})

describe('the catalog', () => {
  test('has row security on every table with an account_id, also for its owner', async () => {
    const secured = await graph.database.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c
       WHERE NOT c.relispartition AND c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (
         SELECT FROM pg_policy p
         WHERE p.polrelid = c.oid AND p.polcmd = '*' AND p.polpermissive AND p.polroles = '{0}'
       ) ORDER BY name`,
    )

    expect(tables.length).toBeGreaterThanOrEqual(21)
    const known = [...tables.map(({ name }) => name), ...tablesWithoutTenant]
    expect(secured.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
    console.log(`row-level security: ${tables.length} tables`)
  })

  test('has row security on every partition, which the service reaches through its table only', async () => {
    const partitions = await graph.database.query(
      `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS is_secured,
         (SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polrelid = c.oid)
           = (SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polrelid = i.inhparent)
           AS has_policy,
         has_table_privilege('gateway_service', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
           AS is_open
       FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relkind = 'r'
         AND c.relnamespace::regnamespace::text = ANY ($1)`,
      [schemas],
    )

    // One for older entries, this month, the next three, one for newer entries.
    expect(partitions).toHaveLength(6)
    for (const partition of partitions) {
      expect(partition).toMatchObject({ is_secured: true, has_policy: true, is_open: false })
    }
  })

  test.each(tablesWithoutTenant)(
    'has %s, which an account can neither see nor fill',
    async (name) => {
      await asService(async (client) => {
        await setTenant(client, allTenants)
        const filled = `INSERT INTO ${name} SELECT * FROM jsonb_populate_record(NULL::${name}, $1)`
        const row = {
          id: 'tok_x',
          expires_at: new Date(),
          host: 'x.example',
          denied_at: new Date(),
        }
        if (name === 'keys.internal_token') await client.query(filled, [row])
        for (const tenant of [ours, noTenant]) {
          await setTenant(client, tenant)
          expect((await client.query(`SELECT FROM ${name}`)).rowCount).toBe(0)
          const refusal = expect.objectContaining({ code: '42501' })
          expect(await refusalOf(client, filled, [{ ...row, id: 'tok_y' }])).toEqual(refusal)
        }
      })
    },
  )

  test('has no policy that shows the service more', async () => {
    const others = await graph.database.query(
      `SELECT p.polrelid::regclass::text AS name, p.polcmd AS command, polroles::regrole[]::text AS roles
       FROM pg_policy p WHERE p.polname <> 'tenant' ORDER BY name`,
    )

    expect(others).toEqual([
      { name: 'account.hold', command: 'r', roles: '{gateway_owner}' },
      { name: 'account.ledger_entry', command: 'r', roles: '{gateway_owner}' },
      // Only sessions that see all rows see these: see `tablesWithoutTenant`.
      ...tablesWithoutTenant.map((name) => ({ name, command: '*', roles: '{-}' })),
    ])
  })

  test('has no other table than those known to hold no rows of an account', async () => {
    const others = await graph.database.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c
       WHERE c.relnamespace::regnamespace::text = ANY ($1) AND c.relkind IN ('r', 'p')
         AND NOT c.relispartition AND c.relname <> 'migration' ORDER BY name`,
      [schemas],
    )

    const known = [...tables.map(({ name }) => name), ...sharedTables, ...tablesWithoutTenant]
    expect(others.map(({ name }) => name)).toEqual(known.toSorted())
  })

  test('has a service role that owns nothing and bypasses nothing', async () => {
    const whoAmI = { name: 'who-am-i', text: 'SELECT current_user AS role' }
    const [me] = await database.query<{ role: string }>(whoAmI, [])
    const [role] = await graph.database.query(
      `SELECT rolsuper, rolbypassrls, rolcreaterole,
         (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owned,
         pg_has_role(rolname, 'gateway_owner', 'MEMBER') AS is_owner
       FROM pg_roles r WHERE rolname = $1`,
      [me?.role],
    )

    expect(me).toEqual({ role: 'gateway_service' })
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      owned: 0,
      is_owner: false,
    })
  })
})

describe('a session of the service', () => {
  test('sees no row of any table before an account is set', async () => {
    await asService(async (client) => {
      for (const table of tables) {
        expect([table.name, await ownersIn(client, table)]).toEqual([table.name, []])
      }
    })
  })

  test('sees the rows of the account that is set, in every table, and no others', async () => {
    await asService(async (client) => {
      for (const tenant of [ours, theirs]) {
        await setTenant(client, tenant)
        for (const table of tables) {
          expect([table.name, await ownersIn(client, table)]).toEqual([table.name, [tenant]])
        }
      }
    })
  })

  test('sees all rows when all tenants are set, and none when no tenant is set', async () => {
    await asService(async (client) => {
      for (const table of tables) {
        await setTenant(client, allTenants)
        const owners = await ownersIn(client, table)
        expect([table.name, owners]).toEqual([table.name, expect.arrayContaining([ours, theirs])])
        await setTenant(client, noTenant)
        expect([table.name, await ownersIn(client, table)]).toEqual([table.name, []])
      }
    })
  })

  test("cannot add another account's row to any table", async () => {
    const planted = await plantedRows(theirs)

    await asService(async (client) => {
      await setTenant(client, ours)
      for (const { name, columns, row } of planted) {
        const insert = `INSERT INTO ${name} (${columns})
          SELECT ${columns} FROM jsonb_populate_record(NULL::${name}, $1)`
        const refusal = byFunction.includes(name) ? notAtAll : notByPolicy
        expect([name, await refusalOf(client, insert, [row])]).toEqual([name, refusal])
      }
    })
  })

  test("cannot add another account's event to the audit trail by its function", async () => {
    const event = {
      ...{ id: newId('aud'), account_id: theirs, environment: 'live', details: {} },
      ...{ occurred_at: new Date(), actor_kind: 'key', actor_id: 'key_x' },
      ...{ action: 'keyword.create', result: 'succeeded' },
    }

    await asService(async (client) => {
      await setTenant(client, ours)
      const record = 'SELECT usage.record_audit_events($1)'
      expect(await refusalOf(client, record, [JSON.stringify([event])])).toEqual(notByPolicy)
    })
  })

  test("cannot give its own rows to others, nor change or delete another's", async () => {
    const may = await graph.database.query<{ name: string; update: boolean; delete: boolean }>(
      `SELECT name, has_column_privilege('gateway_service', name, col, 'UPDATE') AS update,
         has_table_privilege('gateway_service', name, 'DELETE') AS delete
       FROM unnest($1::text[], $2::text[]) AS t (name, col)`,
      [tables.map(({ name }) => name), tables.map(({ column }) => column)],
    )
    let changed = 0

    await asService(async (client) => {
      await setTenant(client, ours)
      for (const { name, column } of tables) {
        const allowed = may.find((one) => one.name === name)
        const give = `UPDATE ${name} SET ${column} = $1 WHERE ${column} = $2`
        const remove = `DELETE FROM ${name} WHERE ${column} = $1`
        if (allowed?.update) {
          const given = await refusalOf(client, give, [theirs, ours])
          expect([name, given]).toEqual([name, notByPolicy])
          expect([name, await refusalOf(client, give, [ours, theirs])]).toEqual([name, '0 rows'])
          changed += 1
        }
        if (allowed?.delete) {
          expect([name, await refusalOf(client, remove, [theirs])]).toEqual([name, '0 rows'])
          changed += 1
        }
      }
    })
    expect(changed).toBeGreaterThan(15)
  })
})

interface PlantedRow {
  readonly name: string
  /** The columns that are not generated. */
  readonly columns: string
  readonly row: object
}

/** A row of each table, as it is stored. */
async function plantedRows(owner: string): Promise<PlantedRow[]> {
  const planted: PlantedRow[] = []
  for (const { name, column } of tables) {
    const [found] = await graph.database.query<Omit<PlantedRow, 'name'>>(
      `SELECT to_jsonb(t) AS row, (
         SELECT string_agg(attname, ', ') FROM pg_attribute
         WHERE attrelid = $2::regclass AND attnum > 0 AND attgenerated = '' AND NOT attisdropped
       ) AS columns
       FROM ${name} t WHERE ${column} = $1 LIMIT 1`,
      [owner, name],
    )
    if (!found) throw new Error(`${name} has no planted row.`)
    planted.push({ name, ...found })
  }
  return planted
}

describe('other roles', () => {
  test('the owner sees and changes no rows before an account is set', async () => {
    const { ownerUrl } = graph.database
    await inSession(
      ownerUrl,
      async (client) => {
        const audited = new Set(['account.ledger_entry', 'account.hold'])
        for (const table of tables.filter(({ name }) => !audited.has(name))) {
          expect([table.name, await ownersIn(client, table)]).toEqual([table.name, []])
        }
        for (const { name, column } of tables) {
          const { rowCount } = await client.query(`UPDATE ${name} SET ${column} = ${column}`)
          expect([name, rowCount]).toEqual([name, 0])
        }
      },
      '',
    )
  })

  test('an auditor sees the live entries and open holds of all accounts', async () => {
    const url = new URL(inject('superuserUrl'))
    url.pathname = new URL(graph.database.ownerUrl).pathname

    const seen = await inSession(
      url.href,
      async (client) => {
        const { rows } = await client.query(
          `SELECT (SELECT count(DISTINCT account_id)::int FROM account.ledger_audit) AS ledgers,
             (SELECT count(DISTINCT account_id)::int FROM account.open_holds) AS holders`,
        )
        return rows
      },
      '-c role=gateway_auditor',
    )

    expect(seen).toEqual([{ ledgers: 2, holders: 2 }])
  })
})

const allAccounts: Statement = {
  name: 'all-accounts',
  text: 'SELECT id FROM account.account ORDER BY id',
}

describe("the tenant of a caller's database", () => {
  /** The accounts that code sees when it forgets to ask for the caller's rows only. */
  async function accountsSeenBy(caller: Caller): Promise<unknown> {
    const options = {
      ...{ database, gatewaySecret: '', cursorKey: new Uint8Array(32), keyPrefix: 'svc' },
      billing: { period: 'P1M', lowCreditsThresholds: [] },
      oauth: {
        refreshGraceSeconds: 0,
        sessionHours: 12,
        stepUpMinutes: 30,
      },
      ...{ baseUrls: { live: '', sandbox: '' }, docsUrl: '', invalidate: () => {} },
    }
    const context = createContext(options, caller)
    const inTransaction = await context.database.transaction((tx) => tx.execute(allAccounts.text))
    const inStatement = await context.database.query(allAccounts, [])
    const inLongRead = await context.database.readLong((read) => read(allAccounts, []))
    expect(inTransaction).toEqual(inStatement)
    expect(inLongRead).toEqual(inStatement)
    return inStatement
  }

  const base = { environment: 'live', requestId: '', traceId: '', address: null } as const

  test('is the account of the caller, whatever is asked', async () => {
    expect(await accountsSeenBy(callerOf(ours))).toEqual([{ id: ours }])
    expect(await accountsSeenBy(callerOf(theirs))).toEqual([{ id: theirs }])
  })

  test('is all tenants for the gateway itself and for internal tools', async () => {
    const both = [{ id: ours }, { id: theirs }]

    expect(await accountsSeenBy({ ...base, kind: 'service' })).toEqual(both)
    const readonly = { kind: 'internal', role: 'readonly', tokenId: 'tok_x' } as const
    expect(await accountsSeenBy({ ...base, ...readonly })).toEqual(both)
  })

  test('is nobody for all other callers', async () => {
    expect(await accountsSeenBy({ ...base, kind: 'anonymous' })).toEqual([])
  })
})

describe('a statement with its tenant', () => {
  test('does not run when its tenant cannot be set', async () => {
    await graph.database.query('CREATE SEQUENCE public.grown')
    await graph.database.query('GRANT USAGE ON SEQUENCE public.grown TO gateway_service')
    const grow: Statement = { name: 'grow-sequence', text: `SELECT nextval('public.grown')` }
    const lastValue = 'SELECT last_value FROM public.grown'
    const before = await graph.database.query(lastValue)

    const refusal = database.as('acct_\0').query(grow, [])

    await expect(refusal).rejects.toMatchObject({ code: '22021' })
    expect(await graph.database.query(lastValue)).toEqual(before)
  })

  test('leaves no setting on its connection, however it ends', async () => {
    const pool = new pg.Pool({
      connectionString: graph.database.serviceUrl,
      options: sessionSettings,
      max: 1,
    })
    const ask = (tenant: string, text: string) =>
      pool
        .query(
          tenantQuery({
            name: text,
            text,
            values: [],
            tenant,
            timeoutMs: 30_000,
            isGivenUp: () => false,
            onSent: () => {},
          }),
        )
        .then(({ rows }) => rows)
        .catch(({ code }) => code)
    const unset = { text: 'SELECT id FROM account.account' }

    try {
      expect(await ask(ours, unset.text)).toEqual([{ id: ours }])
      expect((await pool.query(unset)).rows).toEqual([])
      expect(await ask(ours, `UPDATE account.plan SET tier = 'SCALE' WHERE false`)).toEqual([])
      expect((await pool.query(unset)).rows).toEqual([])
      expect(await ask(allTenants, 'SELECT 1 / 0')).toBe('22012')
      expect((await pool.query(unset)).rows).toEqual([])
      expect(await ask(allTenants, 'SELECT nonsense')).toBe('42703')
      expect((await pool.query(unset)).rows).toEqual([])
      expect(await ask(theirs, unset.text)).toEqual([{ id: theirs }])
      expect((await pool.query(unset)).rows).toEqual([])
    } finally {
      await pool.end()
    }
  })

  test('is parsed once for each connection, as is the statement that sets its tenant', async () => {
    const count: Statement = {
      name: 'count-prepared',
      text: `SELECT name, generic_plans + custom_plans > 0 AS is_used FROM pg_prepared_statements
        WHERE name IN ('count-prepared', 'set-tenant') ORDER BY name`,
    }
    for (let run = 0; run < 5; run += 1) await database.as(ours).query(count, [])

    expect(await database.as(theirs).query(count, [])).toEqual([
      { name: 'count-prepared', is_used: true },
      { name: 'set-tenant', is_used: true },
    ])
  })
})

const balances: Statement = {
  name: 'balances-seen',
  text: 'SELECT account_id FROM account.balance',
}

const turnCount = rounds('TENANT_TURNS', { all: 60, nightly: 5000 })

describe('two tenants that use one connection alternately', () => {
  type Turn = (mine: Database) => Promise<unknown>

  const fail = () => {
    throw new Error('This turn fails.')
  }

  /** The statements before the check; most of them fail. */
  const turns: readonly Turn[] = [
    (mine) => mine.query(balances, []),
    (mine) => mine.transaction((tx) => tx.execute(balances.text)),
    (mine) => mine.query({ name: 'divide', text: 'SELECT 1 / 0 FROM account.balance' }, []),
    (mine) => mine.transaction(fail),
    (mine) => mine.transaction((tx) => tx.execute('SELECT 1 / 0')),
    // The transaction is aborted, and goes on as if it were not.
    (mine) =>
      mine.transaction(async (tx) => {
        await tx.execute('SELECT nonsense').catch(() => {})
        await tx.execute(balances.text)
      }),
    (mine) =>
      mine.transaction(async (tx) => {
        await tx.execute('SET LOCAL statement_timeout = 1')
        await tx.execute('SELECT pg_sleep(1) FROM account.balance')
      }),
    (mine) =>
      mine.transaction(async (tx) => {
        await tx.transactional((nested) => nested.execute('SELECT 1 / 0')).catch(() => {})
        return tx.execute(balances.text)
      }),
  ]

  /** The tenant setting outside of a transaction: a leftover would show rows. */
  function seenBetweenTransactions(mine: Database): Promise<unknown[]> {
    return mine.transaction(async (tx) => {
      await tx.execute('COMMIT')
      return tx.execute(balances.text)
    })
  }

  test(`never see each other in ${turnCount} turns of errors, aborts and timeouts`, async () => {
    const tenants = [ours, theirs]
    let leaks = 0
    let failures = 0
    let looks = 0

    async function look(mine: Database, tenant: string): Promise<void> {
      const rows = await mine.query<{ account_id: string }>(balances, [])
      looks += 1
      if (rows.length !== 2 || rows.some((row) => row.account_id !== tenant)) leaks += 1
    }

    async function takeTurn(round: number): Promise<void> {
      const tenant = tenants[round % 2] ?? ''
      const mine = database.as(tenant)
      const turn = turns[Math.floor(round / 2) % turns.length] ?? fail
      const seen = await turn(mine).catch(() => {
        failures += 1
        return []
      })
      if (Array.isArray(seen) && seen.some((row) => row.account_id !== tenant)) leaks += 1
      await look(mine, tenant)
      if ((await seenBetweenTransactions(mine)).length > 0) leaks += 1
    }

    // Two at a time, so that one waits for the connection that the other gives back.
    let started = 0
    async function takeTurns(): Promise<void> {
      while (started < turnCount) {
        started += 1
        await takeTurn(started)
      }
    }
    await Promise.all([takeTurns(), takeTurns()])

    expect({ leaks, looks }).toEqual({ leaks: 0, looks: turnCount })
    expect(failures).toBeGreaterThan(turnCount / 2)
    console.log(`row-level security: ${turnCount} turns, ${failures} of them failed, 0 leaks`)
  })
})
