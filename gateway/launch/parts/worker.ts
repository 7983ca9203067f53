import type { UsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { openDatabase } from '../../../subgraphs/shared/database/database.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import type { Addresses } from '../../config/addresses.ts'
import { startPeriodic } from '../../sweeps/periodic.ts'
import { processReport } from '../../sweeps/process-report.ts'
import { type DueJobs, type JobCounts, startSweeps } from '../../sweeps/sweeps.ts'
import { type OpenStore, workerUrlsOf } from '../databases/store.ts'
import type { ProcessContext } from '../process/process-context.ts'
import type { OpenGraph } from '../supergraph/graph.ts'
import { startJobs } from '../supergraph/jobs.ts'
import { openDailyDigest } from './digests.ts'
import { startMails } from './mails.ts'
import type { NoticeSubscription } from './notice-subscriptions.ts'
import { startWebhooks } from './webhooks.ts'

interface WorkerOptions {
  readonly store: OpenStore
  readonly graph: OpenGraph
  /** The base addresses of the links in mails; digests name the live one. */
  readonly addresses: Addresses
}

interface SweepOptions {
  readonly recorder: UsageRecorder
  /** The id of this process, if it charges. */
  readonly processId: string | null
  /** Whether no other process charges; by default if the database is embedded. */
  readonly isAlone?: boolean
}

export interface Worker {
  /** Tells webhooks and mails of new events; see `startWebhooks`. */
  readonly subscription: NoticeSubscription
  /** Starts the periodic tasks; see `startSweeps`. */
  startSweeps(options: SweepOptions): Promise<void>
}

/**
 * Runs the jobs of every database, delivers webhooks and sends mails. The sweeps start later: they
 * need a recorder.
 */
export async function startWorker(
  context: ProcessContext,
  { store, graph, addresses }: WorkerOptions,
): Promise<Worker> {
  const jobs = await startAllJobs(context, { store, graph })
  const subscription = await startOutgoing(context, store, addresses)
  const { gatewaySecret } = store
  const digest = await openDailyDigest(context, { gatewaySecret, addresses })
  return {
    subscription,
    async startSweeps({ recorder, processId, isAlone = store.isEmbedded }) {
      const { metrics, log, resources } = context
      const sweeps = await startSweeps({
        ...{ recorder, processId, isAlone, jobs, digest, metrics, log },
        execute: graph.execute,
      })
      resources.defer(() => sweeps.stop())
      // A process that charges too has its facade report for both.
      if (processId !== null) return
      const { role } = context
      const report = processReport({ execute: graph.execute, metrics, role, isWorker: true })
      resources.defer(startPeriodic([report], log))
    },
  }
}

/** Webhooks and mails have connections of their own, so that no request waits for them. */
const outgoingPoolSize = 2

/** Sends webhooks and mails; returns the subscription for both. */
async function startOutgoing(
  context: ProcessContext,
  { databases, gatewaySecret }: OpenStore,
  addresses: Addresses,
): Promise<NoticeSubscription> {
  const { config, log, resources } = context
  const url = databases.get(account.name)?.serviceUrl ?? ''
  const opened = await openDatabase(
    { ...account, entities: [] },
    {
      ...{ url, poolSize: outgoingPoolSize, timeoutMs: config.DATABASE_TIMEOUT_MS },
      warn: (message) => log.warn(message),
    },
  )
  resources.defer(() => opened.close())
  const database = opened.as(allTenants)
  const webhooks = startWebhooks(context, { database, gatewaySecret })
  const mails = await startMails(context, { database, gatewaySecret, addresses })
  return {
    url,
    channels: { ...webhooks.channels, ...mails?.channels },
    onGap() {
      webhooks.onGap()
      mails?.onGap()
    },
  }
}

/** Returns counts over the jobs of all databases. */
async function startAllJobs(
  { metrics, log, resources }: ProcessContext,
  { store, graph }: Omit<WorkerOptions, 'addresses'>,
): Promise<JobCounts> {
  const workers = await Promise.all(
    workerUrlsOf(store.databases).map((workerUrl) =>
      startJobs({
        workerUrl,
        execute: graph.execute,
        warn: (message, cause) => log.warn({ err: cause }, message),
        noteAttempt: (operation, outcome) => metrics.jobs.inc({ operation, outcome }),
      }),
    ),
  )
  resources.defer(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
  })
  resources.defer(() => graph.interrupt())
  return {
    async countDeadLetters() {
      const counts = await Promise.all(workers.map((worker) => worker.countDeadLetters()))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    async countDue() {
      const sums = new Map<string, DueJobs>()
      for (const due of await Promise.all(workers.map((worker) => worker.countDue()))) {
        for (const [operation, { count, oldestSeconds }] of due) {
          const sum = sums.get(operation) ?? { count: 0, oldestSeconds: 0 }
          sums.set(operation, {
            count: sum.count + count,
            oldestSeconds: Math.max(sum.oldestSeconds, oldestSeconds),
          })
        }
      }
      return sums
    },
  }
}
