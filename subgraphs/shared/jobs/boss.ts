import { PgBoss } from 'pg-boss'
import { connectTimeoutMs } from '../database/health/connect-timeout.ts'
import { workerRole } from '../database/sessions.ts'
import { UnsafeDatabase } from '../database/unsafe-database.ts'

/** The PostgreSQL schema of pg-boss. */
export const schema = 'jobs'

/** The queue of jobs that failed too often, with the reason, until an operator retries them. */
export const deadLetters = 'dead_letter'

const errorPauseMs = 10_000

/**
 * A silent connection must not keep a worker waiting; the deletion of old jobs may take a while.
 */
const answerPatienceMs = 60_000

interface Connection {
  readonly connectionString: string
  readonly migrate: boolean
  readonly options?: string
  readonly useListenNotify?: boolean
}

export async function openBoss(
  connection: Connection,
  warn: (message: string, cause: unknown) => void = () => {},
): Promise<PgBoss> {
  // pg-boss makes a pool of pg, which accepts all options of pg.
  const options = {
    ...connection,
    schema,
    application_name: 'credit-gateway jobs',
    max: 2,
    connectionTimeoutMillis: connectTimeoutMs(connection.connectionString),
    query_timeout: answerPatienceMs,
    schedule: false,
    supervise: !connection.migrate,
    superviseIntervalSeconds: 15,
    // Finished jobs are deleted in one statement, so each deletion should be small.
    maintenanceIntervalSeconds: 600,
    // The role of the worker does not own the tables.
    reindex: false,
    monitorVacuum: false,
  }
  const boss = new PgBoss(options)
  // During an outage of the database every queue reports the same error each second; it is logged
  // at intervals.
  let saidAtMs = Number.NEGATIVE_INFINITY
  boss.on('error', (error) => {
    if (performance.now() - saidAtMs < errorPauseMs) return
    saidAtMs = performance.now()
    warn('A worker met an error', error)
  })
  return boss.start().catch(refuseOtherLogin)
}

/** PostgreSQL refuses the role that is among the settings of the session. */
function refuseOtherLogin(error: unknown): never {
  const isRefused = error instanceof Error && /permission denied to set role/.test(error.message)
  if (!isRefused) throw error
  throw new UnsafeDatabase(
    `The login of DATABASE_URL may not work off jobs. Have a superuser run "GRANT ${workerRole} TO" this login.`,
  )
}
