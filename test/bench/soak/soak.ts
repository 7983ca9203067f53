import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { problemsOf } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { revealRequest } from '../support/reveal.ts'
import { startActivities } from './activities.ts'
import { drawCurves } from './curves.ts'
import { perMinute, type Sample, takeSample } from './samples.ts'

export const soak: Bench = {
  name: 'soak',
  title: 'Memory, open files, event loop and queues while everything runs at half load',
  isLong: true,
  run: (context: BenchContext) => withCleanups((defer) => measure(context, defer)),
}

const goals = { rssMbPerMinute: 1, descriptorsPerMinute: 1, lagMs: 50 } as const
const capacityConnections = 32
const capacitySeconds = 5
const openConnections = 512
const sampleMs = 5000
/** The part of the time in which caches fill and code is compiled: its samples do not count. */
const warmUpPart = 0.2
const emptyPatienceMs = 60_000

async function measure(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const { runLoad, soakMinutes, gatewayFlags } = context
  if (!(soakMinutes >= 1)) throw new Error('--minutes must be a number from 1 on.')
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = {
    BACKEND_CONTACT_FINDER_URL: backend.ready.url,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  }
  const gateway = await startGatewayChild({ accounts: 400, variables }, gatewayFlags)
  defer(() => gateway.stop())
  const reveal = { ...revealRequest(gateway.ready), url: gateway.ready.baseUrl }
  const closed = { ...reveal, connections: capacityConnections, seconds: capacitySeconds }
  await runLoad(closed)
  const { countByStatus } = await runLoad(closed)
  const perSecond = Math.round((countByStatus[200] ?? 0) / capacitySeconds / 2)

  const activities = await startActivities(gateway.ready)
  // Also when the load fails: they would keep this process busy for ever.
  defer(async () => void (await activities.stop()))
  const sampling = startSampling(gateway.pid, gateway.ready)
  defer(async () => void (await sampling.stop()))
  const seconds = soakMinutes * 60
  const load = await runLoad({ ...reveal, connections: openConnections, seconds, perSecond })
  const counts = await activities.stop()
  const samples = await sampling.stop()
  const emptiedMs = await untilQueuesAreEmpty(gateway.pid, gateway.ready)

  const warm = samples.slice(Math.floor(samples.length * warmUpPart))
  const problems = [...problemsOf(load, ['200']), ...counts.problems]
  const figures = await drawCurves(samples, {
    title: `${soakMinutes} minutes, ${perSecond} charged calls a second`,
  })
  const rss = perMinute(warm, 'rssMb')
  const descriptors = perMinute(warm, 'descriptors')
  const lagMs = median(warm.map((sample) => sample.lagMs))
  const greatest = (figure: keyof Sample) => Math.max(...warm.map((sample) => sample[figure]))
  const row = (bench: string, goal: string, ours: string, isMet: boolean | null): Row => ({
    ...{ bench: `soak ${bench}`, goal, ours, floor: '', value: '', isMet, problems: [] },
    measured: null,
  })
  return [
    {
      ...row(
        'resident memory, growth',
        `≤ ${goals.rssMbPerMinute} MB/min`,
        `${rss.toFixed(2)} MB/min`,
        rss <= goals.rssMbPerMinute,
      ),
      ...{ problems, measured: { samples, load, counts, figures } },
    },
    row('resident memory, the most', '–', `${greatest('rssMb').toFixed(0)} MB`, null),
    row(
      'open files, growth',
      `≤ ${goals.descriptorsPerMinute}/min`,
      `${descriptors.toFixed(2)}/min`,
      descriptors <= goals.descriptorsPerMinute,
    ),
    row(
      'event loop, p99 of 5 s, median',
      `≤ ${goals.lagMs} ms`,
      `${lagMs.toFixed(0)} ms`,
      lagMs <= goals.lagMs,
    ),
    row('event loop, p99 of 5 s, greatest', '–', `${greatest('lagMs').toFixed(0)} ms`, null),
    row(
      'queues empty after the load',
      `≤ ${emptyPatienceMs / 1000} s`,
      emptiedMs === null ? 'never' : `${(emptiedMs / 1000).toFixed(1)} s`,
      emptiedMs !== null,
    ),
    row('calls; p99', '–', `${perSecond}/s; ${load.p99Ms.toFixed(0)} ms`, null),
    row(
      'webhooks; exports; reads of consoles',
      '–',
      `${counts.webhooks}; ${counts.exports}; ${counts.consoleReads}`,
      null,
    ),
    row('curves', '–', figures.join(', '), null),
  ]
}

function startSampling(pid: number, ready: GatewayReady) {
  const samples: Sample[] = []
  const stopping = new AbortController()
  async function keepSampling(): Promise<void> {
    while (!stopping.signal.aborted) {
      samples.push(await takeSample(pid, ready))
      await sleep(sampleMs, null, { signal: stopping.signal }).catch(() => {})
    }
  }
  const sampling = keepSampling()
  return {
    async stop(): Promise<readonly Sample[]> {
      stopping.abort()
      await sampling
      return samples
    },
  }
}

/** How long it took; null: they are not empty yet. */
async function untilQueuesAreEmpty(pid: number, ready: GatewayReady): Promise<number | null> {
  const startedAtMs = performance.now()
  while (performance.now() - startedAtMs < emptyPatienceMs) {
    const { waiting } = await takeSample(pid, ready)
    if (waiting === 0) return performance.now() - startedAtMs
    await sleep(1000)
  }
  return null
}
