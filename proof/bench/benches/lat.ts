import { setTimeout as sleep } from 'node:timers/promises'
import { measureDiskMs } from '../machine/disk.ts'
import { withSession } from '../machine/sessions.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import type { Child } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { problemsOf, type Target } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import type { Load, LoadResult } from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'

export const lat: Bench = {
  name: 'lat',
  title: 'What the gateway adds to the time of a call, at half of its capacity and alone',
  isLong: true,
  run: (context: BenchContext) => withCleanups((defer) => measureAll(context, defer)),
}

/** With that many, a gateway answers as fast as it can. */
const capacityConnections = 32
/** In an open loop, nobody waits for a connection. */
const openConnections = 512
const warmUpSeconds = 5
const capacitySeconds = 5
const firstSeconds = 2
const maxFirstMs = 100
/** The first requests of a load open its connections, all within a second. */
const leadSeconds = 3
const floorSeconds = 10
const alonePerSecond = 20
const aloneSeconds = 10

/** The time of a disk write for which the goals hold. What a disk takes beyond it is added to both goals. */
const diskMs = 0.5
const goals = { p50Ms: 1.5, p99Ms: 8 } as const

interface Way {
  readonly name: string
  readonly hasFreshKeys: boolean
}

const ways: readonly Way[] = [
  { name: 'reveal', hasFreshKeys: false },
  { name: 'reveal with a key', hasFreshKeys: true },
]

type Times = Pick<LoadResult, 'p50Ms' | 'p99Ms' | 'maxMs'>

async function measureAll(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const disksMs = [measureDiskMs()]
  const variables = { BACKEND_CONTACT_FINDER_URL: backend.ready.url }
  const options = { accounts: 400, variables }
  const start = () => startGatewayChild(options, context.gatewayFlags)
  const perSecond = await withGateway(start, (gateway) => halfCapacities(context, gateway.ready))
  const gateway = await start()
  defer(() => gateway.stop())
  const rows: Row[] = []
  for (const [index, way] of ways.entries()) {
    const ours = { ...revealOf(gateway.ready, way), perSecond: perSecond[index] ?? Number.NaN }
    const floor = { ...ours, url: backend.ready.url }
    if (index === 0) {
      rows.push(startRow(await context.runLoad(loadOf(ours, firstSeconds))))
    }
    const half = await atHalfLoad(context, gateway.ready, { ours, floor })
    const ofOneKey = { ...ours, headerSets: ours.headerSets.slice(0, 1) }
    const alone = await callAlone(context, { ours: ofOneKey, floor })
    const ofManyKeys = await callAlone(context, { ours, floor })
    disksMs.push(measureDiskMs())
    rows.push(...halfRows(way, half, median(disksMs)), aloneRow(way, alone, median(disksMs)))
    rows.push(unknownKeyRow(way, ofManyKeys))
  }
  return [
    ...rows,
    information('8 kB written, with fdatasync, p50', milliseconds(median(disksMs)), disksMs),
  ]
}

async function withGateway<Result>(
  start: () => Promise<Child<GatewayReady>>,
  work: (gateway: Child<GatewayReady>) => Promise<Result>,
): Promise<Result> {
  const gateway = await start()
  try {
    return await work(gateway)
  } finally {
    await gateway.stop()
  }
}

function revealOf(ready: GatewayReady, { hasFreshKeys }: Way): Target {
  return { url: ready.baseUrl, ...revealRequest(ready), hasFreshKeys }
}

function loadOf(target: Target, seconds: number): Load {
  return { ...target, connections: openConnections, seconds }
}

/** Half of the calls in a second that a warm gateway answers, for each way. */
async function halfCapacities(
  { runLoad }: BenchContext,
  ready: GatewayReady,
): Promise<readonly number[]> {
  const halves: number[] = []
  for (const way of ways) {
    const load = { ...revealOf(ready, way), connections: capacityConnections }
    await runLoad({ ...load, seconds: warmUpSeconds })
    const { countByStatus, seconds } = await runLoad({ ...load, seconds: capacitySeconds })
    halves.push(Math.round((countByStatus[200] ?? 0) / seconds / 2))
  }
  return halves
}

interface Sides {
  readonly ours: Target
  readonly floor: Target
}

interface Measured {
  readonly perSecond: number
  readonly ours: readonly LoadResult[]
  readonly floor: readonly LoadResult[]
}

/** The backend asked directly before and after each piece, and a checkpoint in the midst of it. */
async function atHalfLoad(
  { runLoad, longRounds, longSeconds }: BenchContext,
  { superuserUrl }: GatewayReady,
  sides: Sides,
): Promise<Measured> {
  const ours: LoadResult[] = []
  const floor: LoadResult[] = []
  const [oursLoad, floorLoad] = [
    { ...loadOf(sides.ours, longSeconds), leadSeconds },
    { ...loadOf(sides.floor, floorSeconds), leadSeconds },
  ]
  await runLoad(loadOf(sides.ours, warmUpSeconds))
  for (let round = 0; round < longRounds; round += 1) {
    floor.push(await runLoad(floorLoad))
    const [result] = await Promise.all([
      runLoad(oursLoad),
      checkpointAfter(superuserUrl, leadSeconds + longSeconds / 2),
    ])
    ours.push(result)
    floor.push(await runLoad(floorLoad))
  }
  return { perSecond: sides.ours.perSecond ?? 0, ours, floor }
}

async function checkpointAfter(superuserUrl: string | null, seconds: number): Promise<void> {
  if (superuserUrl === null) throw new Error('LAT needs the embedded PostgreSQL.')
  await sleep(seconds * 1000)
  await withSession(superuserUrl, (client) => client.query('CHECKPOINT'))
}

/** Measures calls that are so few that no two of them meet. */
async function callAlone({ runLoad }: BenchContext, { ours, floor }: Sides): Promise<Measured> {
  const slow = { connections: 1, seconds: aloneSeconds, perSecond: alonePerSecond }
  return {
    perSecond: alonePerSecond,
    floor: [await runLoad({ ...floor, ...slow })],
    ours: [await runLoad({ ...ours, ...slow })],
  }
}

function halfRows({ name }: Way, measured: Measured, foundDiskMs: number): readonly Row[] {
  const { perSecond, ours, floor } = measured
  const moreMs = Math.max(0, foundDiskMs - diskMs)
  const row = (label: string, figure: keyof Times, maxMs: number | null): Row => {
    const [oursMs, floorMs] = [medianOf(ours, figure), medianOf(floor, figure)]
    return {
      bench: `LAT ${label} added at half load, ${name}`,
      goal: maxMs === null ? '–' : `≤ ${milliseconds(maxMs)}`,
      ours: milliseconds(oursMs),
      floor: milliseconds(floorMs),
      value: milliseconds(oursMs - floorMs),
      isMet: maxMs === null ? null : oursMs - floorMs <= maxMs,
      problems: problemsIn(ours),
      measured,
    }
  }
  return [
    row('p50', 'p50Ms', goals.p50Ms + moreMs),
    row('p99', 'p99Ms', goals.p99Ms + moreMs),
    row('the longest', 'maxMs', null),
    information(`half load, ${name}`, `${perSecond}/s`, null),
  ]
}

function aloneRow({ name }: Way, measured: Measured, foundDiskMs: number): Row {
  const maxMs = 2 * foundDiskMs + 1
  const p50Ms = medianOf(measured.ours, 'p50Ms')
  return {
    bench: `LAT p50 of a call alone, ${name}`,
    goal: `≤ ${milliseconds(maxMs)}`,
    ours: milliseconds(p50Ms),
    floor: milliseconds(medianOf(measured.floor, 'p50Ms')),
    value: milliseconds(p50Ms),
    isMet: p50Ms <= maxMs,
    problems: problemsIn(measured.ours),
    measured,
  }
}

/** Each key comes again after 20 s, and is looked up each time. */
function unknownKeyRow({ name }: Way, { ours }: Measured): Row {
  const label = `p50 of a call alone, ${name}, key not remembered`
  return information(label, milliseconds(medianOf(ours, 'p50Ms')), ours)
}

function startRow(result: LoadResult): Row {
  return {
    bench: `LAT p99 of the first ${firstSeconds} s after the start, half load`,
    goal: `≤ ${milliseconds(maxFirstMs)}`,
    ours: milliseconds(result.p99Ms),
    floor: '–',
    value: `p50 ${milliseconds(result.p50Ms)}`,
    isMet: result.p99Ms <= maxFirstMs,
    problems: problemsIn([result]),
    measured: result,
  }
}

function information(label: string, ours: string, measured: unknown): Row {
  const nothing = { goal: '–', floor: '–', value: '–', isMet: null, problems: [] }
  return { bench: `LAT ${label}`, ours, ...nothing, measured }
}

function medianOf(results: readonly LoadResult[], figure: keyof Times): number {
  return median(results.map((result) => result[figure]))
}

function problemsIn(results: readonly LoadResult[]): string[] {
  return results.flatMap((result) => problemsOf(result, ['200']))
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(2)} ms`
}
