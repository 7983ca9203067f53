import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { problemsOf } from '../support/compare.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import {
  type Load,
  type LoadResult,
  openConnections,
  peakOf,
  type RunLoad,
} from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'
import { type ActivityCounts, startActivities } from './activities.ts'
import { drawCurves } from './curves.ts'
import { perMinute, type Sample } from './samples.ts'
import { isAlive, startSampling, untilMeasured, untilQueuesAreEmpty } from './sampling.ts'

export const soak: Bench = {
  name: 'soak',
  title:
    'Memory, open files, event loop and queues while everything runs, at half load or `--load`',
  isLong: true,
  run: (context: BenchContext) => withCleanups((defer) => measure(context, defer)),
}

const goals = {
  ...{ rssMbPerMinute: 1, descriptorsPerMinute: 1, lagMs: 50, emptySeconds: 60 },
  /** In overload. */
  rssMb: 350,
} as const
/** At half load. */
const usual = { capacityConnections: 32, capacitySeconds: 5, openConnections: 512 } as const
/** The part of the time in which caches fill and code is compiled: it does not count. */
const warmUpPart = 0.2

/** What the gateway is asked for beside the activities. */
interface SoakLoad {
  readonly perSecond: number
  readonly connections: number
  /** Whether it is more than the gateway can serve, so that it has to refuse. */
  readonly isOverload: boolean
}

type Unsent = Omit<Load, 'connections' | 'seconds'>

async function measure(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const { runLoad, soakMinutes, soakLoad: multiple, gatewayFlags } = context
  if (!(soakMinutes > 0)) throw new Error('--minutes must be a number above 0.')
  if (multiple !== null && !(multiple > 0)) throw new Error('--load must be a number above 0.')
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = {
    BACKEND_CONTACT_FINDER_URL: backend.ready.url,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // All connections come from one address.
    ...(multiple === null ? {} : { MAX_CONNECTIONS_PER_ADDRESS: '0' }),
  }
  const gateway = await startGatewayChild({ accounts: 400, variables }, gatewayFlags)
  defer(() => gateway.stop())
  const reveal = { ...revealRequest(gateway.ready), url: gateway.ready.baseUrl }
  const { isOverload, ...rate } =
    multiple === null ? await halfLoad(runLoad, reveal) : await loadOf(multiple, runLoad, reveal)

  const activities = await startActivities({ ...gateway.ready, isOverloaded: isOverload })
  // Activities stop also when the load fails: they would keep this process busy for ever.
  defer(async () => void (await activities.stop()))
  await untilMeasured(gateway)
  const sampling = startSampling(gateway)
  defer(async () => void (await sampling.stop()))
  const seconds = soakMinutes * 60
  const warmAt = performance.now() / 1000 + seconds * warmUpPart
  const load = await runLoad({ ...reveal, ...rate, seconds })
  const counts = await activities.stop()
  const samples = await sampling.stop()
  const emptiedMs = await untilQueuesAreEmpty(gateway)
  const figures = await drawCurves(samples, {
    title: `${soakMinutes} minutes, ${rate.perSecond} charged calls a second`,
  })
  return rowsOf({
    ...{ samples, load, counts, figures, isOverload, emptiedMs, perSecond: rate.perSecond },
    mostRssMb: sampling.mostRssMb(warmAt),
    lives: isAlive(gateway.pid),
  })
}

async function halfLoad(runLoad: RunLoad, reveal: Unsent): Promise<SoakLoad> {
  const { capacityConnections: connections, capacitySeconds: seconds } = usual
  const closed = { ...reveal, connections, seconds }
  await runLoad(closed)
  const { countByStatus } = await runLoad(closed)
  const perSecond = Math.round((countByStatus[200] ?? 0) / seconds / 2)
  return { perSecond, connections: usual.openConnections, isOverload: false }
}

/** The load in multiples of the peak, which is measured as R7 measures it. */
async function loadOf(multiple: number, runLoad: RunLoad, reveal: Unsent): Promise<SoakLoad> {
  const perSecond = Math.round(multiple * (await peakOf(runLoad, reveal)))
  return { perSecond, connections: openConnections, isOverload: multiple > 1 }
}

interface Soaked {
  readonly samples: readonly Sample[]
  readonly load: LoadResult
  readonly counts: ActivityCounts
  readonly figures: readonly string[]
  readonly isOverload: boolean
  readonly perSecond: number
  readonly emptiedMs: number | null
  readonly mostRssMb: number
  readonly lives: boolean
}

function rowsOf(soaked: Soaked): readonly Row[] {
  const { samples, load, counts, figures, isOverload, perSecond, emptiedMs } = soaked
  const warm = samples.slice(Math.floor(samples.length * warmUpPart))
  const problems = [...problemsOf(load, isOverload ? ['200', '503'] : ['200']), ...counts.problems]
  const rss = perMinute(warm, 'rssMb')
  const descriptors = perMinute(warm, 'descriptors')
  const lagMs = median(warm.map((sample) => sample.lagMs))
  const mostLagMs = Math.max(...warm.map((sample) => sample.lagMs))
  const row = (bench: string, goal: string, ours: string, isMet: boolean | null): Row => ({
    ...{ bench: `soak ${bench}`, goal, ours, floor: '', value: '', isMet, problems: [] },
    measured: null,
  })
  const answered = ([status, count]: [string, number]) =>
    `${Math.round(count / load.seconds)} × ${status}`
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
    row(
      'resident memory, the most',
      isOverload ? `≤ ${goals.rssMb} MB` : '–',
      `${soaked.mostRssMb.toFixed(0)} MB`,
      isOverload ? soaked.mostRssMb <= goals.rssMb : null,
    ),
    row(
      'open files, growth',
      `≤ ${goals.descriptorsPerMinute}/min`,
      `${descriptors.toFixed(2)}/min`,
      descriptors <= goals.descriptorsPerMinute,
    ),
    row(
      'event loop, p99 of 5 s, median',
      isOverload ? '–' : `≤ ${goals.lagMs} ms`,
      `${lagMs.toFixed(0)} ms`,
      isOverload ? null : lagMs <= goals.lagMs,
    ),
    row('event loop, p99 of 5 s, greatest', '–', `${mostLagMs.toFixed(0)} ms`, null),
    row('process after the load', 'lives', soaked.lives ? 'lives' : 'has ended', soaked.lives),
    row(
      'queues empty after the load',
      `≤ ${goals.emptySeconds} s`,
      emptiedMs === null ? 'never' : `${(emptiedMs / 1000).toFixed(1)} s`,
      emptiedMs !== null,
    ),
    row(
      'calls; answers in a second; p99',
      '–',
      `${perSecond}/s; ${Object.entries(load.countByStatus).map(answered).join(', ')}; ${load.p99Ms.toFixed(0)} ms`,
      null,
    ),
    row(
      'webhooks; exports; reads of consoles; 503 to these',
      '–',
      `${counts.webhooks}; ${counts.exports}; ${counts.consoleReads}; ${counts.refused}`,
      null,
    ),
    row('curves', '–', figures.join(', '), null),
  ]
}
