import type { Registry } from '@prometheus-io/client'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import { version } from '../../schema/process/version.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { PeriodicTask } from './periodic.ts'

interface ReportOptions {
  readonly execute: Execute
  readonly metrics: Pick<Metrics, 'registry'>
  readonly role: string
  /** `proc_…`; by default one of its own. */
  readonly processId?: string
  /** Whether the process runs jobs and compares the books. */
  readonly isWorker: boolean
}

const intervalMs = 15_000
const caller = serviceCaller()

/**
 * Tells operators what this process knows of itself, by its own metrics: the state of modules and overload is in no
 * database. The report is kept for a minute.
 */
export function processReport(options: ReportOptions): PeriodicTask {
  const { execute, metrics, role, isWorker, processId = newId('proc') } = options
  const startedAt = new Date().toISOString()
  let before: Counted = { overload: 0, modules: new Map() }
  return {
    name: 'report process',
    intervalMs,
    async run() {
      const read = reader(metrics.registry)
      const now = {
        overload: await sumOf(read('gateway_overload_refused_total')),
        modules: await countModules(read),
      }
      const report = {
        overloadRefusals: now.overload - before.overload,
        modules: await modulesOf(read, now, before),
        ...(isWorker && (await worksOf(read))),
      }
      before = now
      const about = { id: processId, role, version, startedAt, report }
      await execute('ReportProcess', { report: about }, caller)
    },
  }
}

interface Value {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
}

type Reader = (name: string) => Promise<readonly Value[]>

function reader(registry: Registry): Reader {
  return async (name) => {
    const metric = registry.getSingleMetric(name)
    if (!metric) throw new Error(`There is no metric ${name}.`)
    return (await metric.get()).values as readonly Value[]
  }
}

async function sumOf(values: Promise<readonly Value[]>): Promise<number> {
  return (await values).reduce((sum, { value }) => sum + value, 0)
}

interface ModuleCounts {
  readonly calls: number
  readonly failures: number
  readonly sent: number
  readonly seconds: number
}

interface Counted {
  readonly overload: number
  readonly modules: ReadonlyMap<string, ModuleCounts>
}

const none: ModuleCounts = { calls: 0, failures: 0, sent: 0, seconds: 0 }

/** The live calls of each module since the process was started. */
async function countModules(read: Reader): Promise<ReadonlyMap<string, ModuleCounts>> {
  const counts = new Map<string, ModuleCounts>()
  const add = ({ labels }: Value, more: Partial<ModuleCounts>) => {
    if (labels.environment !== 'live') return
    const name = String(labels.module)
    const { calls, failures, sent, seconds } = counts.get(name) ?? none
    counts.set(name, {
      calls: calls + (more.calls ?? 0),
      failures: failures + (more.failures ?? 0),
      sent: sent + (more.sent ?? 0),
      seconds: seconds + (more.seconds ?? 0),
    })
  }
  for (const one of await read('gateway_backend_requests_total')) {
    const isFailure = one.labels.outcome !== 'answered'
    add(one, { calls: one.value, failures: isFailure ? one.value : 0 })
  }
  for (const one of await read('gateway_backend_request_duration_seconds')) {
    if (one.metricName?.endsWith('_sum')) add(one, { seconds: one.value })
    if (one.metricName?.endsWith('_count')) add(one, { sent: one.value })
  }
  return counts
}

async function modulesOf(read: Reader, now: Counted, before: Counted) {
  const breakers = await read('gateway_backend_breaker_open')
  return breakers.map(({ labels, value }) => {
    const name = String(labels.module)
    const { calls, failures, sent, seconds } = now.modules.get(name) ?? none
    const earlier = before.modules.get(name) ?? none
    const newlySent = sent - earlier.sent
    return {
      ...{ name, isBreakerOpen: value === 1 },
      ...{ calls: calls - earlier.calls, failures: failures - earlier.failures },
      meanMs: newlySent > 0 ? (1000 * (seconds - earlier.seconds)) / newlySent : null,
    }
  })
}

/** What a worker alone knows: jobs, and books. */
async function worksOf(read: Reader) {
  const one = async (name: string) => sumOf(read(name))
  const ages = new Map(
    (await read('gateway_jobs_oldest_seconds')).map(({ labels, value }) => [
      labels.operation,
      value,
    ]),
  )
  const jobs = (await read('gateway_jobs_waiting')).map(({ labels, value }) => ({
    ...{ name: String(labels.operation), waiting: value },
    oldestSeconds: ages.get(labels.operation ?? '') ?? 0,
  }))
  const outgoing = await Promise.all(
    ['webhooks', 'mails'].map(async (name) => ({
      ...{ name, waiting: await one(`gateway_${name}_waiting`) },
      oldestSeconds: await one(`gateway_${name}_oldest_seconds`),
    })),
  )
  return {
    queues: [...jobs, ...outgoing].filter(({ waiting }) => waiting > 0),
    deadJobs: await one('gateway_dead_jobs'),
    books: {
      drifts: await one('gateway_ledger_drifts'),
      comparedAt: instantOf(await one('gateway_ledger_reconciled_timestamp_seconds')),
      digestAt: instantOf(await one('gateway_digest_timestamp_seconds')),
      digestOverdueSeconds: await one('gateway_digest_overdue_seconds'),
    },
  }
}

function instantOf(seconds: number): string | null {
  return seconds === 0 ? null : new Date(seconds * 1000).toISOString()
}
