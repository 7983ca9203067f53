import type pg from 'pg'
import type { QueueOptions } from 'pg-boss'
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
 * Makes the schema of pg-boss, as the role that owns it, and one queue for each persisted operation
 * that can be a job. `sessionSettings` are `options` of a connection. SQL and `enqueueJob` make
 * jobs by `jobs.enqueue(operation, variables, at)`, in the transaction of the change.
 */
export async function installJobs(
  ownerUrl: string,
  sessionSettings: string,
  { operations, longOperations }: JobNames,
): Promise<void> {
  const all = [
    ...operations.map((name) => ({ name, policy: name === eventJob ? eventPolicy : policy })),
    ...longOperations.map((name) => ({ name, policy: longPolicy })),
  ]
  const boss = await openBoss({
    connectionString: ownerUrl,
    options: sessionSettings,
    migrate: true,
  })
  try {
    const known = new Set((await boss.getQueues()).map(({ name }) => name))
    if (!known.has(deadLetters)) {
      await boss.createQueue(deadLetters, { ...policy, deleteAfterSeconds: tenYears })
    }
    for (const { name, policy } of all.filter(({ name }) => !known.has(name))) {
      await boss.createQueue(name, { ...policy, deadLetter: deadLetters, notify: true })
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}
