import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { cpuUsOf } from '../machine/cpu-time.ts'
import { stopPostgres } from '../machine/stopped-postgres.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate, perSecond, problemsOf } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import {
  type Load,
  type LoadResult,
  openConnections,
  peakOf,
  type RunLoad,
  startLoadGenerator,
} from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'

export const r7: Bench = {
  name: 'r7',
  title: 'Overload: goodput and answers at 2 and 4 times the peak, the cost of a refusal, fairness',
  run: (context: BenchContext) => withCleanups((defer) => measureAll(context, defer)),
}

const sliceSeconds = 5
/** The time until the bound has been found. */
const leadSeconds = 3
const loads = [2, 4] as const
const goals = { goodput: 0.9, p99Ms: 500, refusal: 1.2, others: 0.95 } as const
const stallMs = 300
/** About what a gateway at four times its peak refuses. Seldom requests cost more, because each wakes the process. */
const refusalsPerSecond = 8000
const inventedKeys = 20_000
/** The limit of the highest tier and subscription, in a second. */
const limit = 100

async function measureAll(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = {
    BACKEND_CONTACT_FINDER_URL: backend.ready.url,
    // All connections come from one address.
    MAX_CONNECTIONS_PER_ADDRESS: '0',
  }
  const refusals = await measureRefusals(context, variables, backend)
  const gateway = await startGatewayChild({ accounts: 400, variables }, context.gatewayFlags)
  defer(() => gateway.stop())
  const beside = await startLoadGenerator()
  defer(() => beside.stop())
  const overloads = await measureOverloads(context, gateway)
  return [
    ...loads.flatMap((load) => overloadRows(load, overloads, median(refusals.bareUs))),
    refusalRow(refusals),
    await othersRow(context, oneAccount(gateway.ready), beside.run),
    await othersRow(context, strangers(gateway.ready), beside.run),
    await stallRow(context, gateway.ready),
  ]
}

interface Server {
  readonly pid: number
  readonly ready: { readonly url: string }
}

/**
 * CPU in µs of a refusal, and of an exchange of a bare server with the same requests, in an open loop with as many
 * connections as the overload has.
 */
interface Refusals {
  readonly gatewayUs: readonly number[]
  readonly bareUs: readonly number[]
  readonly problems: readonly string[]
}

/** A gateway with one place, which a request takes that never becomes whole. */
async function measureRefusals(
  { runLoad, slices, gatewayFlags }: BenchContext,
  variables: Readonly<Record<string, string>>,
  bare: Server,
): Promise<Refusals> {
  const full = { ...variables, MAX_CONCURRENT_REQUESTS: '1' }
  const gateway = await startGatewayChild({ accounts: 10, variables: full }, gatewayFlags)
  const problems: string[] = []
  const { baseUrl, accounts } = gateway.ready
  async function usOf(pid: number, url: string, status: number): Promise<number> {
    const load = openLoad({ url, ...revealRequest({ accounts }) }, refusalsPerSecond)
    await runLoad({ ...load, seconds: 0.5 })
    const idleUs = await cpuUsOfWork(pid, () => sleep(sliceSeconds * 1000))
    const idleUsPerMs = idleUs / (sliceSeconds * 1000)
    const running = runLoad(load)
    await sleep(leadSeconds * 1000)
    const startedAtMs = performance.now()
    let answers = 0
    const us = await cpuUsOfWork(pid, async () => {
      const result = await running
      problems.push(...problemsOf(result, [String(status)]))
      answers = result.countByStatus[status] ?? 0
    })
    return (us - (performance.now() - startedAtMs) * idleUsPerMs) / answers
  }
  try {
    const measured = await alternate(
      slices,
      () => whileFull(gateway.ready, () => usOf(gateway.pid, baseUrl, 503)),
      () => usOf(bare.pid, bare.ready.url, 200),
    )
    return { gatewayUs: measured.ours, bareUs: measured.other, problems }
  } finally {
    await gateway.stop()
  }
}

async function cpuUsOfWork(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuUsOf(pid)
  await work()
  return cpuUsOf(pid) - before
}

async function whileFull<Result>(
  { baseUrl, accounts }: Pick<GatewayReady, 'baseUrl' | 'accounts'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { hostname, port } = new URL(baseUrl)
  const head = [
    'POST /v1/contacts/reveal HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${accounts[0]?.liveKey}`,
    'Content-Type: application/json',
    'Content-Length: 2',
  ]
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(`${head.join('\r\n')}\r\n\r\n{`)
  try {
    return await work()
  } finally {
    socket.destroy()
  }
}

interface Overloads {
  readonly peakPerSecond: number
  readonly byLoad: readonly { readonly load: number; readonly result: LoadResult }[]
}

/** The peak, then so many times that, again and again. */
async function measureOverloads(
  { runLoad, slices }: BenchContext,
  { ready }: { readonly ready: GatewayReady },
): Promise<readonly Overloads[]> {
  const reveal = revealOf(ready)
  const measured: Overloads[] = []
  for (let slice = 0; slice < slices; slice += 1) {
    // Anew before each use: on a shared machine it changes.
    const peakPerSecond = await peakOf(runLoad, reveal)
    const byLoad: { load: number; result: LoadResult }[] = []
    for (const load of loads) {
      byLoad.push({ load, result: await runLoad(openLoad(reveal, load * peakPerSecond)) })
    }
    measured.push({ peakPerSecond, byLoad })
  }
  return measured
}

type Unsent = Omit<Load, 'connections' | 'seconds'>

function revealOf(ready: GatewayReady): Unsent {
  return { url: ready.baseUrl, ...revealRequest(ready) }
}

function openLoad(load: Unsent, rate: number): Load {
  const perSecond = Math.round(rate)
  return { ...load, perSecond, connections: openConnections, leadSeconds, seconds: sliceSeconds }
}

function servedPerSecond({ countByStatus }: LoadResult): number {
  return (countByStatus[200] ?? 0) / sliceSeconds
}

function refusedPerSecond({ countByStatus }: LoadResult): number {
  return (countByStatus[503] ?? 0) / sliceSeconds
}

/** From the second load on, refusals cost time that is subtracted; at twice the peak they must cost nothing. */
function overloadRows(load: number, all: readonly Overloads[], bareUs: number): readonly Row[] {
  const measured = all.map(({ peakPerSecond, byLoad }) => {
    const result = byLoad.find((one) => one.load === load)?.result
    if (!result) throw new Error(`Nothing was measured at ${load} times the peak.`)
    const left = load === loads[0] ? 1 : 1 - (refusedPerSecond(result) * bareUs) / 1e6
    return { result, served: servedPerSecond(result), possible: peakPerSecond * left }
  })
  const ratio = median(measured.map(({ served, possible }) => served / possible))
  const p99Ms = median(measured.map(({ result }) => result.p99Ms))
  const results = measured.map(({ result }) => result)
  const problems = results.flatMap((result) => problemsOf(result, ['200', '503']))
  return [
    {
      bench: `R7 goodput at ${load} × the peak`,
      goal: `≥ ${goals.goodput.toFixed(2)}`,
      ours: perSecond(median(measured.map(({ served }) => served))),
      floor: perSecond(median(measured.map(({ possible }) => possible))),
      value: ratio.toFixed(2),
      isMet: ratio >= goals.goodput,
      problems,
      measured,
    },
    {
      bench: `R7 p99 of all answers at ${load} × the peak`,
      goal: `≤ ${goals.p99Ms} ms`,
      ours: milliseconds(p99Ms),
      floor: '–',
      value: `${perSecond(median(results.map(refusedPerSecond)))} refused`,
      isMet: p99Ms <= goals.p99Ms,
      problems: [],
      measured: null,
    },
  ]
}

function refusalRow(measured: Refusals): Row {
  const [ours, floor] = [median(measured.gatewayUs), median(measured.bareUs)]
  return {
    bench: 'R7 CPU of a refusal / bare node:http',
    goal: `≤ ${goals.refusal.toFixed(2)}`,
    ours: `${ours.toFixed(1)} µs`,
    floor: `${floor.toFixed(1)} µs`,
    value: (ours / floor).toFixed(2),
    isMet: ours / floor <= goals.refusal,
    problems: measured.problems,
    measured,
  }
}

interface Noise {
  readonly what: string
  /**
   * The gateway for the others, who call at half of the peak; then the noise beside them, and how
   * much of it in a second.
   */
  readonly others: GatewayReady
  readonly noise: Unsent
  readonly perSecond: (peakPerSecond: number) => number
}

/** One that sends ten times its limit. */
function oneAccount(ready: GatewayReady): Noise {
  const [noisy, ...accounts] = ready.accounts
  const noise = revealOf({ ...ready, accounts: noisy ? [noisy] : [] })
  const what = 'one at 10 × its limit'
  return { what, others: { ...ready, accounts }, noise, perSecond: () => 10 * limit }
}

/** Keys that no account has, as many as the gateway can serve requests in a few seconds. */
function strangers(ready: GatewayReady): Noise {
  const headerSets = Array.from({ length: inventedKeys }, () => ({
    authorization: `Bearer ${newApiKey('svc', 'live').plaintext}`,
    'content-type': 'application/json',
  }))
  const [, load] = loads
  return {
    what: `invented keys at ${load} × the peak`,
    others: ready,
    noise: { ...revealOf(ready), headerSets },
    perSecond: (peakPerSecond) => load * peakPerSecond,
  }
}

/** All others at half of the peak, beside the noise. */
async function othersRow(
  { runLoad, slices }: BenchContext,
  { what, others: ready, noise, perSecond: perSecondOf }: Noise,
  beside: RunLoad,
): Promise<Row> {
  const measured: { sent: number; others: LoadResult; noisy: LoadResult }[] = []
  for (let slice = 0; slice < slices; slice += 1) {
    const load = revealOf(ready)
    const peakPerSecond = await peakOf(runLoad, load)
    const half = openLoad(load, peakPerSecond / 2)
    const connections = openConnections / 2
    const [quiet, loud] = await Promise.all([
      runLoad({ ...half, connections }),
      beside({ ...openLoad(noise, perSecondOf(peakPerSecond)), connections }),
    ])
    measured.push({ sent: half.perSecond ?? 0, others: quiet, noisy: loud })
  }
  const served = measured.map(({ others: result }) => servedPerSecond(result))
  const share = median(served.map((rate, slice) => rate / (measured[slice]?.sent ?? 0)))
  return {
    bench: `R7 others at half of the peak beside ${what}`,
    goal: `≥ ${goals.others.toFixed(2)}`,
    ours: perSecond(median(served)),
    floor: perSecond(median(measured.map(({ sent }) => sent))),
    value: share.toFixed(2),
    isMet: share >= goals.others,
    problems: measured.flatMap(({ others: result }) => problemsOf(result, ['200', '503'])),
    measured,
  }
}

/** At half of the peak, PostgreSQL does nothing for 300 ms. */
async function stallRow({ runLoad, slices }: BenchContext, ready: GatewayReady): Promise<Row> {
  const { superuserUrl } = ready
  if (superuserUrl === null) throw new Error('R7 needs the embedded PostgreSQL.')
  const measured: LoadResult[] = []
  for (let slice = 0; slice < slices; slice += 1) {
    const half = (await peakOf(runLoad, revealOf(ready))) / 2
    const [result] = await Promise.all([
      runLoad(openLoad(revealOf(ready), half)),
      sleep((leadSeconds + sliceSeconds / 2) * 1000).then(() =>
        stopPostgres(superuserUrl, stallMs),
      ),
    ])
    measured.push(result)
  }
  const refused = measured.reduce((sum, { countByStatus }) => sum + (countByStatus[503] ?? 0), 0)
  return {
    bench: `R7 refused at half of the peak, with a stall of ${stallMs} ms`,
    goal: '0',
    ours: String(refused),
    floor: '–',
    value: `longest ${milliseconds(median(measured.map(({ maxMs }) => maxMs)))}`,
    isMet: refused === 0,
    problems: measured.flatMap((result) => problemsOf(result, ['200', '503'])),
    measured,
  }
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`
}
