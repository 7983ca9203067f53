import type pg from 'pg'
import { getConstructionPlans, type QueueOptions } from 'pg-boss'
import pgBoss from 'pg-boss/package.json' with { type: 'json' }
import { readIfPermitted } from '../database/read-if-permitted.ts'
import { deadLetters, openBoss, schema } from './boss.ts'
import { eventJob, type JobNames } from './jobs.ts'

const tenYears = 10 * 365 * 86_400

/**
 * The policy of new queues; existing queues keep theirs until a step in `migrations/` changes it.
 */
const policy: QueueOptions = {
  // Five tries in about three minutes (docs/promises.md J9).
  retryLimit: 4,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 300,
  // When a worker dies, another one gets its job after this time.
  expireInSeconds: 60,
  // A job must still exist when it is due in a year, or became due during a long outage.
  retentionSeconds: tenYears,
  deleteAfterSeconds: 86_400,
}

/**
 * The policy of operations that may take an hour: another job watches over them when a worker dies.
 */
const longPolicy: QueueOptions = { ...policy, expireInSeconds: 2 * 3600 }

/**
 * The policy of events, which are not enqueued again: retries go on for a week, at most ten minutes
 * apart. So a subgraph can be unavailable for days, and the events of that time are published soon
 * after.
 */
const eventPolicy: QueueOptions = { ...policy, retryLimit: 1008, retryDelayMax: 600 }

/**
 * The things that a worker of this build needs and the database lacks: the schema of pg-boss, and
 * queues. Any role may ask. A newer schema of pg-boss lacks nothing.
 */
export async function missingJobs(client: pg.Client, names: JobNames): Promise<string[]> {
  const version = await readIfPermitted<{ version: number }>(client, schema, 'version', 'version')
  const queues = await readIfPermitted<{ name: string }>(client, schema, 'queue', 'name')
  const known = new Set(queues.map(({ name }) => name))
  return [
    ...(version.some(({ version }) => version >= pgBoss.pgboss.schema)
      ? []
      : [`pg-boss ${pgBoss.pgboss.schema}`]),
    ...[deadLetters, ...names.operations, ...names.longOperations]
      .filter((name) => !known.has(name))
      .map((name) => `queue ${name}`),
  ].map((missing) => `${schema}.${missing}`)
}

/**
 * Brings the schema of pg-boss up to date, as the role that owns it, and makes one queue for each
 * persisted operation that can be a job. `sessionSettings` are `options` of a connection. SQL and
 * `enqueueJob` make jobs by `jobs.enqueue(operation, variables, at)`, in the transaction of the change.
 */
export async function installJobs(
  ownerUrl: string,
  sessionSettings: string,
  names: JobNames,
): Promise<void> {
  const boss = await openBoss({
    connectionString: ownerUrl,
    options: sessionSettings,
    migrate: true,
  })
  try {
    const known = new Set((await boss.getQueues()).map(({ name }) => name))
    for (const { name, ...options } of queuesOf(names).filter(({ name }) => !known.has(name))) {
      await boss.createQueue(name, options)
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

/**
 * Makes the schema of pg-boss and the queues where neither exists, on this connection. It is what
 * `installJobs` makes, without a transaction for each queue. After a failure, `installJobs` goes on.
 */
export async function createJobs(client: pg.Client, names: JobNames): Promise<void> {
  try {
    await client.query(getConstructionPlans(schema))
  } catch (error) {
    // The text begins a transaction. If the connection is lost, there is nothing to roll back.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
  await client.query(
    `SELECT ${schema}.create_queue(q ->> 'name', q - 'name') FROM jsonb_array_elements($1) AS q`,
    [JSON.stringify(queuesOf(names))],
  )
}

/**
 * The queues of these jobs. The queue for dead letters comes first, because the others name it. Only
 * `createQueue` of pg-boss has a default policy.
 */
function queuesOf({ operations, longOperations }: JobNames) {
  const toOperation = { policy: 'standard', deadLetter: deadLetters, notify: true } as const
  return [
    { name: deadLetters, ...policy, policy: 'standard' as const, deleteAfterSeconds: tenYears },
    ...operations.map((name) => ({
      name,
      ...(name === eventJob ? eventPolicy : policy),
      ...toOperation,
    })),
    ...longOperations.map((name) => ({ name, ...longPolicy, ...toOperation })),
  ]
}
