import { setTimeout as sleep } from 'node:timers/promises'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import type { Storage } from '../database/database.ts'
import { connectTimeoutMs } from '../database/health/connect-timeout.ts'
import { readIfPermitted } from '../database/read-if-permitted.ts'
import { serviceRole, workerRole } from '../database/sessions.ts'
import { everyonesSession } from '../database/tenant.ts'
import { UnsafeDatabase } from '../database/unsafe-database.ts'
import { installJobs, missingJobs } from '../jobs/install-jobs.ts'
import { jobNamesOf } from '../jobs/job-names.ts'
import { Enqueue0001 } from '../jobs/migrations/0001-enqueue.ts'
import { WorkerRole0002 } from '../jobs/migrations/0002-worker-role.ts'

interface MigrateOptions {
  /** Receives a message when the migration has to wait. */
  readonly warn?: (message: string) => void
  /** How often a step tries to get its locks. */
  readonly lockAttempts?: number
}

/** The gateway's own functions and roles in the schema of pg-boss. */
export const jobStorage: Storage = {
  name: 'jobs',
  entities: [],
  migrations: [Enqueue0001, WorkerRole0002],
}

/**
 * Brings every schema up to date, as the role that owns them. Many processes may call it at once,
 * beside a running service: one migrates while the others wait for its advisory lock. Returns the
 * steps that were pending; without any, it touches nothing. Throws MigrationFailed: then the
 * earlier steps are done, and the next call goes on from there.
 */
export async function migrate(
  storages: readonly Storage[],
  ownerUrl: string,
  { warn = () => {}, lockAttempts = 20 }: MigrateOptions = {},
): Promise<readonly string[]> {
  const lock = await connect(ownerUrl, 'lock')
  try {
    await refuseServiceAsOwner(lock)
    if ((await findPending(lock, storages)).length === 0) return []
    await acquireLock(lock, warn)
    const pending = await findPending(lock, storages)
    if (pending.length > 0) {
      await createServiceRoles(lock)
      await apply(storages, { lock, ownerUrl, warn, lockAttempts })
    }
    return pending
  } finally {
    await lock.end()
  }
}

/**
 * The steps that `migrate` would do, such as `account.Payments0007`; needs the role that owns the
 * schemas.
 */
export async function pendingSteps(
  storages: readonly Storage[],
  ownerUrl: string,
): Promise<readonly string[]> {
  const client = await connect(ownerUrl, 'check')
  try {
    return await findPending(client, storages)
  } finally {
    await client.end()
  }
}

/**
 * For a process that does not migrate, as the role of requests: throws SchemaBehind when a step of
 * this build is pending. A newer schema is accepted (see subgraphs/README.md).
 */
export async function requireCurrentSchema(
  storages: readonly Storage[],
  serviceUrl: string,
): Promise<void> {
  const client = await connect(serviceUrl, 'check')
  try {
    // Without the role there are no schemas either.
    await client.query(
      `SELECT set_config('role', rolname, false) FROM pg_roles WHERE rolname = $1`,
      [serviceRole],
    )
    const pending = await findPending(client, storages)
    if (pending.length > 0) throw new SchemaBehind(pending)
  } finally {
    await client.end()
  }
}

const namedAtMost = 5

/** The schema is older than the build. */
export class SchemaBehind extends Error {
  override readonly name = 'SchemaBehind'

  constructor(pending: readonly string[]) {
    const named = pending.slice(0, namedAtMost).join(', ')
    const more = pending.length - namedAtMost
    super(
      `The database is behind this build: ${named}${more > 0 ? ` and ${more} more` : ''}. ` +
        'Run `gateway migrate` first, with MIGRATE_DATABASE_URL of the role that owns the schemas.',
    )
  }
}

/** A step failed; the message names the reason. */
class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed'
}

/**
 * The locks of a frozen migrator must come free, and a waiting migrator must keep its connection.
 */
const sessionSettings =
  '-c idle_in_transaction_session_timeout=10000 ' +
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'

/**
 * While a change of a table waits for its lock, all other sessions wait behind it. So it gives up
 * after this time, and tries again. A vacuum yields to it only after `deadlock_timeout`, one
 * second; requests wait for at most 4.5 s.
 */
const lockTimeoutMs = 2000

async function connect(connectionString: string, purpose: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    options: sessionSettings,
    application_name: `credit-gateway migrate ${purpose}`,
    connectionTimeoutMillis: connectTimeoutMs(connectionString, 5000),
    keepAlive: true,
  })
  // The next statement reports the failure.
  client.on('error', () => {})
  await client.connect()
  return client
}

async function findPending(client: pg.Client, storages: readonly Storage[]): Promise<string[]> {
  const pending = await missingJobs(client, jobNamesOf(storages))
  for (const { name: schema, migrations } of [jobStorage, ...storages]) {
    const rows = await readIfPermitted<{ name: string }>(client, schema, 'migration', 'name')
    const done = new Set(rows.map(({ name }) => name))
    const steps = migrations.map(({ name }) => name).filter((name) => !done.has(name))
    pending.push(...steps.map((name) => `${schema}.${name}`))
  }
  return pending
}

/** The owner of a table can change everything in it. */
async function refuseServiceAsOwner(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT current_user AS name')
  if (rows[0]?.name !== serviceRole) return
  throw new UnsafeDatabase(
    `${serviceRole} must not own the schemas. Give MIGRATE_DATABASE_URL a login of another role.`,
  )
}

/** Any number would do, as long as every process of every version uses the same. */
const migrationLock = 7_462_001

/** An index of a large table takes its time. */
const lockPatienceMinutes = 30
const lockPauseMs = 100

/** Polls for the lock: `CREATE INDEX CONCURRENTLY` would wait for a waiting statement. */
async function acquireLock(client: pg.Client, warn: (message: string) => void): Promise<void> {
  const attempts = (lockPatienceMinutes * 60_000) / lockPauseMs
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [
      migrationLock,
    ])
    if (rows[0]?.locked === true) return
    if (attempt === 0) warn('Another process is migrating: waiting for it.')
    await sleep(lockPauseMs)
  }
  throw new MigrationFailed(
    `Another process has been migrating for more than ${lockPatienceMinutes} minutes.`,
  )
}

async function createServiceRoles(client: pg.Client): Promise<void> {
  for (const role of [serviceRole, 'gateway_auditor', workerRole]) {
    // Roles belong to the server: another of its databases may be migrated at the same time.
    const creation = client.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN RETURN; END IF;
        CREATE ROLE ${role} NOLOGIN;
        -- The one-login set-up of docs/contract.md §1: the owner's login works as the service by SET ROLE.
        GRANT ${role} TO CURRENT_USER;
        ${role === workerRole ? letFormerWorkersWork : ''}
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$`)
    await creation.catch((error: unknown) => refuseMissingRole(role, error))
  }
}

/** In releases before this role, every login of the service was a worker too. */
const letFormerWorkersWork = `
        DECLARE login text;
        BEGIN
          FOR login IN
            SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member
            WHERE a.roleid = '${serviceRole}'::regrole AND m.rolcanlogin AND m.rolname <> CURRENT_USER
          LOOP EXECUTE format('GRANT ${workerRole} TO %I', login); END LOOP;
        END;`

function refuseMissingRole(role: string, error: unknown): never {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '42501') throw error
  throw new UnsafeDatabase(
    `The role ${role} is missing, and this login may not make it. Have a superuser run ` +
      `"CREATE ROLE ${role} NOLOGIN", and grant it to the login that needs it (deploy/README.md, Upgrade).`,
  )
}

interface Work {
  /** The connection that holds the advisory lock. */
  readonly lock: pg.Client
  readonly ownerUrl: string
  readonly warn: (message: string) => void
  readonly lockAttempts: number
}

async function apply(storages: readonly Storage[], work: Work): Promise<void> {
  const names = jobNamesOf(storages)
  if ((await missingJobs(work.lock, names)).length > 0) {
    const settings = `${sessionSettings} -c lock_timeout=${lockTimeoutMs}`
    await patiently('jobs', work, () => installJobs(work.ownerUrl, settings, names))
  }
  for (const storage of [jobStorage, ...storages]) await migrateSchema(storage, work)
}

async function migrateSchema({ name, migrations }: Storage, work: Work): Promise<void> {
  const orm = new MikroORM({
    clientUrl: work.ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    ensureDatabase: false,
    // One session, so that a step can change settings of its session.
    pool: { min: 0, max: 1 },
    driverOptions: {
      // A step changes existing tables for all tenants.
      options: `${everyonesSession} ${sessionSettings} -c lock_timeout=${lockTimeoutMs}`,
      application_name: `credit-gateway migrate ${name}`,
      connectionTimeoutMillis: connectTimeoutMs(work.ownerUrl, 5000),
    },
    migrations: {
      migrationsList: migrations.map((migration) => ({ name: migration.name, class: migration })),
      tableName: `${name}.migration`,
      snapshot: false,
      silent: true,
      // Each step is a transaction.
      allOrNothing: false,
    },
  })
  try {
    for (const step of await orm.migrator.getPending()) {
      await patiently(`${name}.${step.name}`, work, () =>
        orm.migrator.up({ migrations: [step.name] }),
      )
    }
    await letServiceRead(work.lock, name)
  } finally {
    await orm.close(true)
  }
}

/** The service must be able to tell which steps are pending. */
async function letServiceRead(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query(`SELECT has_table_privilege($1, $2, 'SELECT') AS can_read`, [
    serviceRole,
    `${schema}.migration`,
  ])
  if (rows[0]?.can_read === true) return
  await client.query(`GRANT SELECT ON ${schema}.migration TO ${serviceRole}`)
}

async function patiently(
  step: string,
  { lock, warn, lockAttempts }: Work,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // A lost connection releases the advisory lock; another process may be migrating by now.
      await lock.query('SELECT')
      await work()
      return
    } catch (error) {
      if (!isLostRace(error)) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new MigrationFailed(`${step} failed: ${reason}. ${stateOf}`, { cause: error })
      }
      if (attempt >= lockAttempts) {
        throw new MigrationFailed(
          `${step} got its locks in none of ${attempt} attempts of ${lockTimeoutMs} ms: a transaction ` +
            `that goes on holds them. ${stateOf}`,
          { cause: error },
        )
      }
      warn(`${step} waits for its locks: attempt ${attempt} of ${lockAttempts}.`)
    }
    await sleep(500 + Math.random() * 1000)
  }
}

const stateOf =
  'The steps before it are done, nothing of this one is; the next run goes on from here.'

/** PostgreSQL: a lock did not come in time, or the transaction was the victim of a deadlock. */
function isLostRace(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === '55P03' || error.code === '40P01'
}
