import { setTimeout as sleep } from 'node:timers/promises'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import type pg from 'pg'
import type { Storage } from '../database/database.ts'
import { connectTimeoutMs } from '../database/health/connect-timeout.ts'
import { serviceRole } from '../database/sessions.ts'
import { sessionOfAllTenants } from '../database/tenant.ts'
import { createJobs, installJobs, missingJobs } from '../jobs/install-jobs.ts'
import type { JobNames } from '../jobs/jobs.ts'
import { jobNamesOf } from '../jobs/jobs-of-subgraphs.ts'
import { baselineIn } from './baseline.ts'
import { makeSchema } from './new-schema.ts'

/** The gateway's own functions and roles in the schema of pg-boss. */
export const jobStorage: Storage = {
  name: 'jobs',
  entities: [],
  migrations: [baselineIn('shared/jobs/migrations')],
}

interface Work {
  /** The connection that holds the advisory lock. */
  readonly lock: pg.Client
  readonly ownerUrl: string
  readonly warn: (message: string) => void
  readonly lockAttempts: number
}

/** A step failed; the message names the reason. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed'
}

/**
 * The locks of a frozen migrator must come free, and a waiting migrator must keep its connection.
 */
export const sessionSettings =
  '-c idle_in_transaction_session_timeout=10000 ' +
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'

/**
 * While a change of a table waits for its lock, all other sessions wait behind it. So it gives up
 * after this time, and tries again. A vacuum yields to it only after `deadlock_timeout`, one
 * second; requests wait for at most 4.5 s.
 */
const lockTimeoutMs = 2000

/**
 * Runs the steps that are missing, while the advisory lock is held: all steps of a schema that does
 * not exist in one transaction, those of the others one by one. Throws MigrationFailed.
 */
export async function applySteps(storages: readonly Storage[], work: Work): Promise<void> {
  const existing = await existingSchemas(work.lock)
  await applyJobs(jobNamesOf(storages), existing.has(jobStorage.name), work)
  for (const storage of [jobStorage, ...storages]) {
    await (existing.has(storage.name) ? migrateSchema(storage, work) : createSchema(storage, work))
  }
}

async function applyJobs(names: JobNames, exists: boolean, work: Work): Promise<void> {
  if ((await missingJobs(work.lock, names)).length === 0) return
  const settings = `${sessionSettings} -c lock_timeout=${lockTimeoutMs}`
  await patiently(work, {
    name: () => jobStorage.name,
    run: () =>
      exists ? installJobs(work.ownerUrl, settings, names) : createJobs(work.lock, names),
  })
}

async function existingSchemas(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>('SELECT nspname AS name FROM pg_namespace')
  return new Set(rows.map(({ name }) => name))
}

function openOrm({ ownerUrl }: Work, purpose: string, options: Options = {}): MikroORM {
  return new MikroORM({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    // One session, so that a step can change settings of its session.
    pool: { min: 0, max: 1 },
    driverOptions: {
      // A step changes existing tables for all tenants.
      options: `${sessionOfAllTenants} ${sessionSettings} -c lock_timeout=${lockTimeoutMs}`,
      application_name: `credit-gateway migrate ${purpose}`,
      connectionTimeoutMillis: connectTimeoutMs(ownerUrl, 5000),
    },
    ...options,
  })
}

async function createSchema(storage: Storage, work: Work): Promise<void> {
  // This MikroORM opens no connection: it only has the driver and the configuration.
  const orm = openOrm(work, storage.name)
  const of = { driver: orm.em.getDriver(), config: orm.config, lockTimeoutMs }
  let step = 'migration'
  const onStep = (name: string) => {
    step = name
  }
  await patiently(work, {
    name: () => `${storage.name}.${step}`,
    run: () => makeSchema(work.lock, storage, { ...of, onStep }),
    afterFailure: `None of the steps of ${storage.name} is done; the next run begins with the first.`,
  })
}

async function migrateSchema({ name, migrations }: Storage, work: Work): Promise<void> {
  const orm = openOrm(work, name, {
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations.map((migration) => ({ name: migration.name, class: migration })),
      tableName: `${name}.migration`,
      snapshot: false,
      silent: true,
      // Each step is a transaction of its own.
      allOrNothing: false,
    },
  })
  try {
    for (const step of await orm.migrator.getPending()) {
      await patiently(work, {
        name: () => `${name}.${step.name}`,
        run: () => orm.migrator.up({ migrations: [step.name] }),
      })
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

interface Attempt {
  readonly name: () => string
  readonly run: () => Promise<unknown>
  readonly afterFailure?: string
}

async function patiently(
  { lock, warn, lockAttempts }: Work,
  { name, run, afterFailure = stateOfSteps }: Attempt,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // A lost connection releases the advisory lock; another process may be migrating by now.
      await lock.query('SELECT')
      await run()
      return
    } catch (error) {
      if (!isLostRace(error)) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new MigrationFailed(`${name()} failed: ${reason}. ${afterFailure}`, { cause: error })
      }
      if (attempt >= lockAttempts) {
        throw new MigrationFailed(
          `${name()} got its locks in none of ${attempt} attempts of ${lockTimeoutMs} ms: a transaction ` +
            `that goes on holds them. ${afterFailure}`,
          { cause: error },
        )
      }
      warn(`${name()} waits for its locks: attempt ${attempt} of ${lockAttempts}.`)
    }
    await sleep(500 + Math.random() * 1000)
  }
}

const stateOfSteps =
  'The steps before it are done, nothing of this one is; the next run goes on from here.'

/** PostgreSQL: a lock did not come in time, or the transaction was the victim of a deadlock. */
function isLostRace(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === '55P03' || error.code === '40P01'
}
