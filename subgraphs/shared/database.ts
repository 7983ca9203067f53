import { setTimeout as sleep } from 'node:timers/promises'
import type { EntitySchema } from '@mikro-orm/core'
import { type Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { auditJob, installJobs } from './jobs.ts'

/** A hot statement: set-based SQL that PostgreSQL parses and plans once per connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** One subgraph's view of PostgreSQL: its entities, its own pool, and its prepared statements. */
export interface Database {
  /** The PostgreSQL schema that is this subgraph's. */
  readonly schema: string
  readonly orm: MikroORM
  /** Runs a prepared statement on a connection of its own; int8 arrives as a number, time as a Date. */
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
  /** Reads that may take minutes, all at one instant, on a connection of their own. */
  readLong<Result>(work: (read: Read) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Runs SQL with `$1` placeholders; int8 arrives as a number, time as a Date. */
export type Read = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<Row[]>

/** What a subgraph stores: mapped classes, and the forward-only steps that make its tables. */
export interface Storage {
  /** Also the name of its PostgreSQL schema. */
  readonly name: string
  readonly entities: readonly (EntitySchema | (new () => object))[]
  /** Persisted operations that its changes have run as jobs. */
  readonly jobs?: readonly string[]
  readonly migrations: readonly (new (
    ...args: ConstructorParameters<typeof Migration>
  ) => Migration)[]
}

interface OpenOptions {
  readonly url: string
  readonly poolSize: number
  /** Told of connections that broke while nobody used them, and the like. */
  readonly warn: (message: string) => void
}

/** The role every request runs as: it owns nothing and cannot rewrite the ledger. */
const serviceRole = 'gateway_service'

/** Of every session of the service: a month that is added to an instant ends where it does in UTC. */
const serviceSettings = [`-c role=${serviceRole}`, '-c timezone=UTC']

const sessionSettings = [
  ...serviceSettings,
  // A frozen process must not keep a row locked (promise R11).
  '-c idle_in_transaction_session_timeout=5000',
  // Less than we wait for: what is told to have failed must not commit afterwards.
  '-c statement_timeout=4500',
].join(' ')

/** As `options` of a connection that keeps jobs: what is done is tidied away, which may take a while. */
export const jobSettings = [...serviceSettings, '-c statement_timeout=55000'].join(' ')

export async function openDatabase(
  { name, entities }: Storage,
  { url, poolSize, warn }: OpenOptions,
): Promise<Database> {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [...entities],
    schema: name,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
    colors: false,
    logger: warn,
    driverOptions: {
      options: sessionSettings,
      application_name: `credit-gateway ${name}`,
      connectionTimeoutMillis: 2000,
      onPoolCreated: takeBackLostConnections,
    },
  })
  const pool = await nativePool(orm)
  return {
    schema: name,
    orm,
    async query<Row extends object>(statement: Statement, values: readonly unknown[]) {
      const query = { ...statement, values: [...values], types, query_timeout: answerPatienceMs }
      const { rows } = await pool.query<Row>(query)
      return rows
    },
    async readLong(work) {
      const client = new pg.Client({
        connectionString: url,
        options: sessionSettings,
        application_name: `credit-gateway ${name} audit`,
        connectionTimeoutMillis: 5000,
        query_timeout: longAnswerPatienceMs,
        types,
      })
      // Whoever waits for an answer is told by it; nobody else needs to be.
      client.on('error', () => {})
      await client.connect()
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        await client.query(`SET LOCAL statement_timeout = ${longAnswerPatienceMs}`)
        return await work(async (sql, values = []) => (await client.query(sql, [...values])).rows)
      } finally {
        await client.end()
      }
    },
    close: () => orm.close(true),
  }
}

const longAnswerPatienceMs = 600_000

/** A connection that went silent must not hold up those who wait behind it. */
const answerPatienceMs = 5000

/** Every int8 of ours is a count or credits, which CHECK constraints keep below 2^53. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
}

async function nativePool(orm: MikroORM): Promise<pg.Pool> {
  const client: unknown = await orm.em.getConnection().getNativeClient()
  if (client instanceof pg.Pool) return client
  throw new Error('MikroORM does not hand out its connection pool.')
}

/** No transaction of ours takes longer, unless its connection went silent. */
const maxLentMs = 15_000
/** Longer than whoever has a connection that broke needs to give it back. */
const giveBackMs = 1000

/**
 * A connection that is lent for too long has gone silent, and is ended: MikroORM waits for an answer
 * without a limit. And Kysely keeps a connection that broke in mid-transaction, because neither COMMIT
 * nor ROLLBACK comes through: taken back, it makes room for a new one.
 */
function takeBackLostConnections(pool: pg.Pool): void {
  const lent = new Map<pg.PoolClient, NodeJS.Timeout>()
  pool.on('acquire', (client) => {
    lent.set(client, setTimeout(end, maxLentMs, client).unref())
  })
  pool.on('release', (_error, client) => {
    clearTimeout(lent.get(client))
    lent.delete(client)
  })
  pool.on('connect', (client) => {
    client.once('end', () => {
      setTimeout(() => {
        if (lent.has(client)) client.release(true)
      }, giveBackMs)
    })
  })
}

/** With a statement under way, its socket is destroyed. */
function end(client: pg.PoolClient): void {
  if (client instanceof pg.Client) void client.end().catch(() => {})
}

/** The database cannot be used as configured. */
class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase'
}

/** A superuser could rewrite the ledger whatever its privileges say (promise P6). */
export async function refuseSuperuser(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    const { rows } = await client.query(
      'SELECT rolsuper FROM pg_roles WHERE rolname = session_user',
    )
    if (rows[0]?.rolsuper !== true) return
    throw new UnsafeDatabase(
      'DATABASE_URL logs in as a superuser. Give requests a login that is a member of ' +
        `${serviceRole}, and the owner's to MIGRATE_DATABASE_URL.`,
    )
  } finally {
    await client.end()
  }
}

/** Any number would do, as long as every process of every version uses the same. */
const migrationLock = 7_462_001

/**
 * Brings every schema up to date, as the role that owns them. Safe to call from many processes
 * at once: one migrates while the others wait for its advisory lock.
 */
export async function migrate(storages: readonly Storage[], ownerUrl: string): Promise<void> {
  const lock = new pg.Client({ connectionString: ownerUrl })
  await lock.connect()
  try {
    await acquireLock(lock)
    await createServiceRoles(lock)
    const operations = [auditJob, ...storages.flatMap(({ jobs = [] }) => jobs)]
    await installJobs(ownerUrl, operations, serviceRole)
    for (const storage of storages) await migrateSchema(storage, ownerUrl)
  } finally {
    await lock.end()
  }
}

const lockPatienceSeconds = 60

async function acquireLock(client: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < lockPatienceSeconds * 10; attempt += 1) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [
      migrationLock,
    ])
    if (rows[0]?.locked === true) return
    await sleep(100)
  }
  throw new Error(`Another process has been migrating for more than ${lockPatienceSeconds} s.`)
}

async function createServiceRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    "SELECT rolname FROM pg_roles WHERE rolname IN ('gateway_service', 'gateway_auditor')",
  )
  const existing = new Set(rows.map(({ rolname }) => rolname))
  for (const role of [serviceRole, 'gateway_auditor']) {
    if (existing.has(role)) continue
    await client.query(`CREATE ROLE ${role} NOLOGIN`)
    // The one-login set-up of contract §1: the owner's login works as the service by SET ROLE.
    await client.query(`GRANT ${role} TO CURRENT_USER`)
  }
}

async function migrateSchema({ name, migrations }: Storage, ownerUrl: string): Promise<void> {
  const orm = await MikroORM.init({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    ensureDatabase: false,
    migrations: {
      migrationsList: migrations.map((migration) => ({ name: migration.name, class: migration })),
      tableName: `${name}.migration`,
      snapshot: false,
      silent: true,
    },
  })
  try {
    await orm.migrator.up()
  } finally {
    await orm.close(true)
  }
}
