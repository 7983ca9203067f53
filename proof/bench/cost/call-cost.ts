import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchCounts, meanBatch, parseBatchCounts } from '../machine/batch-counts.ts'
import { cpuUsOf } from '../machine/cpu-time.ts'
import { type DatabaseProbe, openDatabaseProbe } from '../machine/database-probe.ts'
import type { BenchContext } from '../support/bench.ts'
import type { Child } from '../support/child.ts'
import type { Defer } from '../support/cleanups.ts'
import { problemsOf, type Target } from '../support/compare.ts'
import { allocated, type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { revealRequest } from '../support/reveal.ts'

export const connections = 32
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
export const queues = ['reserve', 'settle', 'usage_log'] as const

/** A gateway and a plain proxy before the same backend. */
export interface Sides {
  readonly gateway: Child<GatewayReady>
  readonly proxyPid: number
  readonly probe: DatabaseProbe
  /** The same charged call, through the gateway and through the proxy. */
  readonly reveal: Target
  readonly proxied: Target
}

export async function startSides(context: BenchContext, defer: Defer): Promise<Sides> {
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
  return {
    ...{ gateway, proxyPid: proxy.pid, probe },
    reveal: { url: gateway.ready.baseUrl, ...request },
    proxied: { url: proxy.ready.url, ...request },
  }
}

export interface CostSlice {
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

export interface ProxySlice {
  readonly perSecond: number
  readonly proxyUs: number
}

export async function warmUp({ runLoad }: BenchContext, target: Target): Promise<void> {
  let calls = 0
  for (let s = 0; calls < warmUpCalls && s < maxWarmUpSeconds; s += sliceSeconds) {
    const { countByStatus } = await runLoad({ ...target, connections, seconds: sliceSeconds })
    calls += countByStatus[200] ?? 0
  }
}

export async function measureProxy(
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

export async function measureCost(
  { runLoad }: BenchContext,
  { gateway, probe }: Sides,
  { status = 200, ignoredStatus, ...load }: Target,
): Promise<CostSlice> {
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

/** What the gateway's process allocates for a call, on V8's heap. */
export async function measureAllocatedBytes(
  { runLoad }: BenchContext,
  { gateway }: Sides,
  target: Target,
): Promise<number> {
  await gateway.ask({ allocations: 'count' }, allocated)
  const { countByStatus } = await runLoad({ ...target, connections, seconds: sliceSeconds })
  await sleep(aftermathMs)
  const { bytes } = await gateway.ask({ allocations: 'tell' }, allocated)
  return bytes / (countByStatus[200] ?? 0)
}
