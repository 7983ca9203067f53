import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Storage } from '../database/database.ts'
import { connectTimeoutMs } from '../database/health/connect-timeout.ts'
import { readIfPermitted } from '../database/read-if-permitted.ts'
import { serviceRole, workerRole } from '../database/sessions.ts'
import { UnsafeDatabase } from '../database/unsafe-database.ts'
import { missingJobs } from '../jobs/install-jobs.ts'
import { jobNamesOf } from '../jobs/jobs-of-subgraphs.ts'
import { applySteps, jobStorage, MigrationFailed, sessionSettings } from './apply-steps.ts'
import { OtherBaseline } from './baseline.ts'

interface MigrateOptions {
  /** Receives a message when the migration has to wait. */
  readonly warn?: (message: string) => void
  /** How often a step tries to get its locks. */
  readonly lockAttempts?: number
}

/**
 * Brings every schema up to date, as the role that owns them. Many processes may call it at once,
 * beside a running service: one migrates while the others wait for its advisory lock. Returns the
 * steps that were pending; without any, it touches nothing. Throws MigrationFailed: then the
 * earlier steps are done, except those of a schema that did not exist, and the next call goes on
 * from there.
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
      await applySteps(storages, { lock, ownerUrl, warn, lockAttempts })
    }
    return pending
  } finally {
    await lock.end()
  }
}

/**
 * The steps that `migrate` would do, such as `account.Refunds0001`; needs the role that owns the
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
 * Checks the schema for a process that does not migrate, as the role of requests: throws SchemaBehind when a
 * step of this build is pending. A newer schema is accepted (see subgraphs/README.md).
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
    refuseOtherBaseline(schema, done, migrations[0]?.name)
    const steps = migrations.map(({ name }) => name).filter((name) => !done.has(name))
    pending.push(...steps.map((name) => `${schema}.${name}`))
  }
  return pending
}

/** A schema that has steps, and not the first one of this build, was made by another baseline. */
function refuseOtherBaseline(schema: string, done: ReadonlySet<string>, first = ''): void {
  const [found] = done
  if (found !== undefined && !done.has(first)) throw new OtherBaseline(schema, found, first)
}

/** The owner of a table can change everything in it. */
async function refuseServiceAsOwner(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT current_user AS name')
  if (rows[0]?.name !== serviceRole) return
  throw new UnsafeDatabase(
    `${serviceRole} must not own the schemas. Give MIGRATE_DATABASE_URL a login of another role.`,
  )
}

/**
 * The number of the advisory lock. Any number would do, as long as every process of every version uses the
 * same.
 */
const migrationLock = 7_462_001

/** How long a process waits for the advisory lock: an index of a large table takes its time. */
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
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$`)
    await creation.catch((error: unknown) => refuseMissingRole(role, error))
  }
}

function refuseMissingRole(role: string, error: unknown): never {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '42501') throw error
  throw new UnsafeDatabase(
    `The role ${role} is missing, and this login may not make it. Have a superuser run ` +
      `"CREATE ROLE ${role} NOLOGIN", and grant it to the login that needs it (deploy/README.md).`,
  )
}
