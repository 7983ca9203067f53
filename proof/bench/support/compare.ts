import { type BenchContext, median, type Row } from './bench.ts'
import type { Load, LoadResult } from './load.ts'

/** A server under load, and the answer that counts. */
export interface Target extends Omit<Load, 'connections' | 'seconds'> {
  /** Only answers with this status are counted; 200 unless said. */
  readonly status?: number
  /** Answers with this status are neither counted nor a problem. */
  readonly ignoredStatus?: number
}

/** Requests that can be used only once are made again before each load, for so many seconds. */
type Targets = Target | ((seconds: number) => Promise<Target>)

interface Slice {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly problems: readonly string[]
}

const usualConnections = 64
const warmUpSeconds = 2
const sliceSeconds = 4

/** Ours, the other, ours, the other …; each warmed up before each slice. */
export async function alternate<Measurement>(
  slices: number,
  ours: () => Promise<Measurement>,
  other: () => Promise<Measurement>,
): Promise<{ ours: readonly Measurement[]; other: readonly Measurement[] }> {
  const measured = { ours: [] as Measurement[], other: [] as Measurement[] }
  for (let slice = 0; slice < slices; slice += 1) {
    measured.ours.push(await ours())
    measured.other.push(await other())
  }
  return measured
}

interface Comparison {
  readonly bench: string
  /** The least that ours must reach, as a multiple of the floor. */
  readonly minRatio: number
  /** 64 unless told. */
  readonly connections?: number
  readonly ours: Targets
  readonly floor: Targets
}

/** Requests per second of the gateway and of the floor. */
export async function compare(context: BenchContext, comparison: Comparison): Promise<Row> {
  const { bench, minRatio, connections = usualConnections, ours, floor } = comparison
  const measured = await alternate(
    context.slices,
    () => measureSlice(context, ours, connections),
    () => measureSlice(context, floor, connections),
  )
  const rate = (slices: readonly Slice[]) => median(slices.map(({ perSecond }) => perSecond))
  const ratio = rate(measured.ours) / rate(measured.other)
  return {
    bench,
    goal: `≥ ${minRatio.toFixed(2)}`,
    ours: perSecond(rate(measured.ours)),
    floor: perSecond(rate(measured.other)),
    value: ratio.toFixed(2),
    isMet: ratio >= minRatio,
    problems: [
      ...measured.ours.flatMap(({ problems }) => problems.map((text) => `ours: ${text}`)),
      ...measured.other.flatMap(({ problems }) => problems.map((text) => `floor: ${text}`)),
    ],
    measured,
  }
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`
}

async function measureSlice(
  { runLoad }: BenchContext,
  targets: Targets,
  connections: number,
): Promise<Slice> {
  const targetFor = async (seconds: number) =>
    typeof targets === 'function' ? targets(seconds) : targets
  const warmUp = await targetFor(warmUpSeconds)
  await runLoad({ ...warmUp, connections, seconds: warmUpSeconds })
  const { status = 200, ignoredStatus, ...load } = await targetFor(sliceSeconds)
  const result = await runLoad({ ...load, connections, seconds: sliceSeconds })
  const counted = result.countByStatus[status] ?? 0
  return {
    perSecond: counted / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    problems: problemsOf(result, [String(status), String(ignoredStatus)]),
  }
}

/** Broken connections, and answers with another status than these. */
export function problemsOf(
  { errors, countByStatus }: LoadResult,
  expected: readonly string[],
): string[] {
  const unexpected = Object.entries(countByStatus)
    .filter(([status]) => !expected.includes(status))
    .map(([status, count]) => `${count} × ${status}`)
  return errors > 0 ? [...unexpected, `${errors} errors`] : unexpected
}
