import { readdirSync, readFileSync } from 'node:fs'
import type { GatewayReady } from '../support/gateway.ts'

/** What a gateway's process has at one moment. */
export interface Sample {
  readonly atSeconds: number
  readonly rssMb: number
  readonly descriptors: number
  /** p99 of the delay of its event loop since the sample before. */
  readonly lagMs: number
  /** Items in memory, due jobs and due webhooks that nothing works on yet. */
  readonly waiting: number
}

const waitingMetrics = ['gateway_queue_depth', 'gateway_jobs_waiting', 'gateway_webhooks_waiting']

/** Takes a sample of the process `pid`, and of the metrics of the same gateway. */
export async function takeSample(
  pid: number,
  { internalUrl }: Pick<GatewayReady, 'internalUrl'>,
): Promise<Sample> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text()
  return {
    atSeconds: performance.now() / 1000,
    rssMb: takeRssMb(pid),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    lagMs: sumOf(text, 'nodejs_eventloop_lag_p99_seconds') * 1000,
    waiting: waitingMetrics.reduce((sum, name) => sum + sumOf(text, name), 0),
  }
}

/** The resident memory of a process. */
export function takeRssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** The sum of a metric over its labels; throws when the metric is absent. */
export function sumOf(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))]
  if (values.length === 0) throw new Error(`/metrics has no ${name}.`)
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** How much a figure grows in a minute: the slope of the line with the least squares. */
export function perMinute(samples: readonly Sample[], figure: keyof Sample): number {
  const meanOf = (key: keyof Sample) =>
    samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length
  const [meanAt, mean] = [meanOf('atSeconds'), meanOf(figure)]
  let both = 0
  let squares = 0
  for (const sample of samples) {
    both += (sample.atSeconds - meanAt) * (sample[figure] - mean)
    squares += (sample.atSeconds - meanAt) ** 2
  }
  return (both / squares) * 60
}
