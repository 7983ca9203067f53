import { z } from 'zod'
import { cpuUsOfTree } from '../machine/cpu-time.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Child, startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'

/** Each shard is a PostgreSQL server and the process that charges its accounts; shards share nothing. */
export const shards: Bench = {
  name: 'shards',
  title: 'Charges of a second of processor time, accounts spread over several servers against one',
  isLong: true,
  run: (context: BenchContext) => withCleanups((defer) => contest(context, defer)),
}

const counts = [2, 4] as const
const accounts = 100
/** Charges that wait at any moment, over all shards. */
const waiting = 64
const seconds = 5
const warmUpSeconds = 3
/** A batch of a shard has fewer items, which costs something. */
const minRatio = 0.8

interface Slice {
  readonly perSecond: number
  /** Charges for each second that a core worked, PostgreSQL included. */
  readonly perCoreSecond: number
}

async function contest({ slices }: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const children: Child<unknown>[] = []
  for (let index = 0; index < Math.max(...counts); index += 1) {
    const child = await startChild({ role: 'charges', ready: z.unknown(), options: { accounts } })
    defer(() => child.stop())
    await chargeOn([child], warmUpSeconds)
    children.push(child)
  }
  const measured = new Map<number, Slice[]>([1, ...counts].map((count) => [count, []]))
  for (let round = 0; round < slices; round += 1) {
    for (const [count, list] of measured) {
      list.push(await chargeOn(children.slice(0, count), seconds))
    }
  }
  return counts.map((count) => rowOf(count, measured.get(count) ?? [], measured.get(1) ?? []))
}

async function chargeOn(shards: readonly Child<unknown>[], seconds: number): Promise<Slice> {
  const cpuUs = () => shards.reduce((sum, { pid }) => sum + cpuUsOfTree(pid), 0)
  const before = cpuUs()
  const share = { how: 'batched', accounts, waiting: waiting / shards.length, seconds }
  const answer = z.object({ perSecond: z.number() })
  const answers = await Promise.all(shards.map((shard) => shard.ask(share, answer)))
  const perSecond = answers.reduce((sum, one) => sum + one.perSecond, 0)
  return { perSecond, perCoreSecond: (perSecond * seconds * 1e6) / (cpuUs() - before) }
}

function rowOf(count: number, ours: readonly Slice[], floor: readonly Slice[]): Row {
  const perCore = (slices: readonly Slice[]) => median(slices.map((slice) => slice.perCoreSecond))
  const together = (slices: readonly Slice[]) =>
    Math.round(median(slices.map((slice) => slice.perSecond)))
  const shown = (slices: readonly Slice[]) =>
    `${Math.round(perCore(slices))} (${together(slices)}/s)`
  const ratio = perCore(ours) / perCore(floor)
  return {
    bench: `SHARDS charges of a core-second, ${count} servers / one`,
    goal: `≥ ${minRatio.toFixed(2)}`,
    ours: shown(ours),
    floor: shown(floor),
    value: ratio.toFixed(2),
    isMet: ratio >= minRatio,
    problems: [],
    measured: { ours, floor },
  }
}
