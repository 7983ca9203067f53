import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchCounts, meanBatch, parseBatchCounts } from '../machine/batch-counts.ts'
import { cpuUsOf } from '../machine/cpu-time.ts'
import { type DatabaseProbe, openDatabaseProbe } from '../machine/database-probe.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import type { Child } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { perSecond, problemsOf, type Target } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { revealRequest } from '../support/reveal.ts'

export const cpu: Bench = {
  name: 'cpu',
  title: 'CPU per charged call of gateway and PostgreSQL, in multiples of a plain proxy',
  run: (context: BenchContext) => withCleanups((defer) => measureAll(context, defer)),
}

const connections = 32
/**
 * Once for each side. Code that is not compiled yet takes several times as long, and the compiler's threads
 * count as the process's: after so many calls they are at rest. A slow machine needs more time for them.
 */
const warmUpCalls = 25_000
const maxWarmUpSeconds = 60
const warmUpSeconds = 1
const sliceSeconds = 5
/** A call writes some of its data a moment later, and that work is part of its cost. */
const aftermathMs = 400
const accountCount = 400
/** They come first. */
const pathsWithGoals = 2
const queues = ['reserve', 'settle', 'usage_log'] as const

interface Path {
  readonly name: string
  readonly target: Target
  /** The greatest multiples of the proxy's CPU; null without a goal. */
  readonly goals: { readonly gateway: number; readonly postgres: number } | null
}

interface Slice {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly gatewayUs: number
  readonly postgresUs: number
  /** The part of it of autovacuum, and of sessions that ended: it comes in lumps. */
  readonly vacuumUs: number
  readonly walBytes: number
  readonly commits: number
  /** The mean sizes, by queue; null where the build has no such metrics. */
  readonly batches: Readonly<Record<string, number | null>>
  readonly problems: readonly string[]
}

interface ProxySlice {
  readonly perSecond: number
  readonly proxyUs: number
}

async function measureAll(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = {
    BACKEND_CONTACT_FINDER_URL: backend.ready.url,
    // All malformed keys come from one address, which would soon be over the limit of anonymous calls.
    ANONYMOUS_RPS: '1000000',
  }
  const gateway = await startGatewayChild(
    { accounts: accountCount, variables },
    context.gatewayFlags,
  )
  defer(() => gateway.stop())
  const proxy = await startServerChild('proxy-express', { backendUrl: backend.ready.url })
  defer(() => proxy.stop())
  const probe = await openDatabaseProbe(gateway.ready.ownerUrl)
  defer(() => probe.close())
  const request = revealRequest(gateway.ready)
  const paths = pathsOf(gateway.ready)
  const proxied = { url: proxy.ready.url, ...request }
  for (const target of [proxied, ...paths.slice(0, pathsWithGoals).map((path) => path.target)]) {
    await warmUp(context, target)
  }
  const proxySlices: ProxySlice[] = []
  const slices = new Map<Path, Slice[]>(paths.map((path) => [path, []]))
  for (let round = 0; round < context.slices; round += 1) {
    for (const [index, [path, measured]] of [...slices].entries()) {
      // Beside each of the two that have goals.
      if (index < pathsWithGoals) {
        proxySlices.push(await measureProxy(context, proxy.pid, proxied))
      }
      measured.push(await measurePath(context, { gateway, probe }, path.target))
    }
  }
  return [...slices].flatMap(([path, measured]) => rowsOf(path, measured, proxySlices))
}

async function warmUp({ runLoad }: BenchContext, target: Target): Promise<void> {
  let calls = 0
  for (let s = 0; calls < warmUpCalls && s < maxWarmUpSeconds; s += sliceSeconds) {
    const { countByStatus } = await runLoad({ ...target, connections, seconds: sliceSeconds })
    calls += countByStatus[200] ?? 0
  }
}

function pathsOf(ready: GatewayReady): readonly Path[] {
  const { baseUrl: url, accounts } = ready
  const reveal = { url, ...revealRequest(ready) }
  const credits = (keys: readonly string[]) => ({
    ...{ url, method: 'GET' as const, path: '/v1/account/credits' },
    headerSets: keys.map((key) => ({ authorization: `Bearer ${key}` })),
  })
  const keys = accounts.map(({ liveKey }) => liveKey)
  return [
    { name: 'reveal', target: reveal, goals: { gateway: 2.5, postgres: 1.5 } },
    {
      name: 'reveal with a key',
      target: { ...reveal, hasFreshKeys: true },
      goals: { gateway: 3, postgres: 2.5 },
    },
    { name: 'credits', target: credits(keys), goals: null },
    // The first few of each second are within the limit.
    {
      name: '429',
      target: { ...credits(keys.slice(0, 1)), status: 429, ignoredStatus: 200 },
      goals: null,
    },
    {
      name: '401',
      target: { ...credits(keys.map((key) => `${key.slice(0, -1)}-`)), status: 401 },
      goals: null,
    },
  ]
}

async function measureProxy(
  { runLoad }: BenchContext,
  pid: number,
  target: Target,
): Promise<ProxySlice> {
  await runLoad({ ...target, connections, seconds: warmUpSeconds })
  const before = cpuUsOf(pid)
  const { countByStatus, seconds } = await runLoad({
    ...target,
    connections,
    seconds: sliceSeconds,
  })
  const calls = countByStatus[200] ?? 0
  return { perSecond: calls / seconds, proxyUs: (cpuUsOf(pid) - before) / calls }
}

interface Measured {
  readonly gateway: Child<GatewayReady>
  readonly probe: DatabaseProbe
}

async function measurePath(
  { runLoad }: BenchContext,
  { gateway, probe }: Measured,
  { status = 200, ignoredStatus, ...load }: Target,
): Promise<Slice> {
  const { pid, ready } = gateway
  await runLoad({ ...load, connections, seconds: warmUpSeconds })
  await sleep(aftermathMs)
  const batchesBefore = await batchCounts(ready)
  const before = { gatewayUs: cpuUsOf(pid), database: await probe.read() }
  const result = await runLoad({ ...load, connections, seconds: sliceSeconds })
  await sleep(aftermathMs)
  const after = { gatewayUs: cpuUsOf(pid), database: await probe.read() }
  const batchesAfter = await batchCounts(ready)
  const calls =
    (result.countByStatus[status] ?? 0) + (result.countByStatus[ignoredStatus ?? 0] ?? 0)
  const perCall = (figure: 'cpuUs' | 'shortLivedUs' | 'walBytes' | 'commits') =>
    (after.database[figure] - before.database[figure]) / calls
  return {
    perSecond: calls / result.seconds,
    ...{ p50Ms: result.p50Ms, p99Ms: result.p99Ms },
    gatewayUs: (after.gatewayUs - before.gatewayUs) / calls,
    postgresUs: perCall('cpuUs'),
    vacuumUs: perCall('shortLivedUs'),
    walBytes: perCall('walBytes'),
    commits: perCall('commits'),
    batches: Object.fromEntries(
      queues.map((queue) => [queue, meanBatch(batchesBefore, batchesAfter, queue)]),
    ),
    problems: problemsOf(result, [String(status), String(ignoredStatus)]),
  }
}

async function batchCounts({ internalUrl }: GatewayReady): Promise<BatchCounts> {
  return parseBatchCounts(await (await fetch(`${internalUrl}/metrics`)).text())
}

function rowsOf(
  { name, goals }: Path,
  slices: readonly Slice[],
  proxySlices: readonly ProxySlice[],
): readonly Row[] {
  const proxyUs = median(proxySlices.map((slice) => slice.proxyUs))
  const proxyPerSecond = median(proxySlices.map((slice) => slice.perSecond))
  const of = (
    figure:
      | 'gatewayUs'
      | 'postgresUs'
      | 'vacuumUs'
      | 'perSecond'
      | 'walBytes'
      | 'commits'
      | 'p50Ms',
  ) => median(slices.map((slice) => slice[figure]))
  const problems = slices.flatMap((slice) => slice.problems)
  const multiple = (what: string, us: number, goal: number | undefined): Row => ({
    bench: `CPU ${what}, ${name} / proxy`,
    goal: goal === undefined ? '–' : `≤ ${goal.toFixed(2)}`,
    ours: `${Math.round(us)} µs`,
    floor: `${proxyUs.toFixed(1)} µs`,
    value: (us / proxyUs).toFixed(2),
    isMet: goal === undefined ? null : us / proxyUs <= goal,
    problems,
    measured: { slices, proxySlices },
  })
  const context = (what: string, ours: string, rest: Partial<Row> = {}): Row => ({
    ...{ bench: `CPU ${what}, ${name}`, goal: '–', ours, floor: '–', value: '–', isMet: null },
    ...{ problems: [], measured: null, ...rest },
  })
  const batches = queues.map((queue) => {
    const sizes = slices
      .map((slice) => slice.batches[queue] ?? null)
      .filter((size) => size !== null)
    return sizes.length === 0 ? '–' : median(sizes).toFixed(1)
  })
  return [
    multiple('gateway', of('gatewayUs'), goals?.gateway),
    multiple('PostgreSQL', of('postgresUs'), goals?.postgres),
    context('calls', perSecond(of('perSecond')), {
      floor: perSecond(proxyPerSecond),
      value: (of('perSecond') / proxyPerSecond).toFixed(2),
    }),
    ...(goals === null
      ? []
      : [
          context('autovacuum, in PostgreSQL', `${Math.round(of('vacuumUs'))} µs`),
          context('p50', `${of('p50Ms').toFixed(1)} ms`),
          context('WAL a call', `${Math.round(of('walBytes'))} B`),
          context('commits a call', of('commits').toFixed(2)),
          context(`mean batches of ${queues.join(', ')}`, batches.join(', ')),
        ]),
  ]
}
