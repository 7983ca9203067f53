import { z } from 'zod'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Child, startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate, perSecond } from '../support/compare.ts'

export const p4: Bench = {
  name: 'p4',
  title: 'Durable charges per second, gathered, against one transaction per charge',
  run,
}

interface Work {
  readonly how: 'gathered' | 'transaction' | 'statement'
  readonly accounts: number
  readonly waiting: number
}

interface Contest {
  readonly bench: string
  /** Null without a goal. */
  readonly minRatio: number | null
  readonly ours: Work
  readonly floor: Work
}

const many = { how: 'gathered', accounts: 100, waiting: 64 } as const
const more = { ...many, waiting: 256 }

const contests: readonly Contest[] = [
  {
    bench: 'P4 charges, 64 waiting / one transaction each',
    minRatio: 10,
    ours: many,
    floor: { ...many, how: 'transaction' },
  },
  {
    bench: 'P4 charges, 256 waiting / one transaction each',
    minRatio: 10,
    ours: more,
    floor: { ...more, how: 'transaction' },
  },
  {
    bench: 'P4 charges, 256 waiting / one statement each',
    minRatio: null,
    ours: more,
    floor: { ...more, how: 'statement' },
  },
  {
    bench: 'P4 one hot account / 100 accounts, 64 waiting',
    minRatio: 0.9,
    ours: { ...many, accounts: 1 },
    floor: many,
  },
]

const warmUpSeconds = 2
const sliceSeconds = 4
const rate = z.object({ perSecond: z.number() })

function run({ slices }: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => holdAll(slices, defer))
}

async function holdAll(slices: number, defer: Defer): Promise<readonly Row[]> {
  const child = await startChild({ role: 'charges', ready: z.unknown() })
  defer(() => child.stop())
  const rows: Row[] = []
  for (const one of contests) rows.push(await hold(one, child, slices))
  return rows
}

async function hold(contest: Contest, child: Child<unknown>, slices: number): Promise<Row> {
  const { bench, minRatio, ours, floor } = contest
  async function measure(work: Work): Promise<number> {
    await child.ask({ ...work, seconds: warmUpSeconds }, rate)
    return (await child.ask({ ...work, seconds: sliceSeconds }, rate)).perSecond
  }
  const measured = await alternate(
    slices,
    () => measure(ours),
    () => measure(floor),
  )
  const ratio = median(measured.ours) / median(measured.other)
  return {
    bench,
    goal: minRatio === null ? '–' : `≥ ${minRatio.toFixed(2)}`,
    ours: perSecond(median(measured.ours)),
    floor: perSecond(median(measured.other)),
    value: ratio.toFixed(2),
    isMet: minRatio === null ? null : ratio >= minRatio,
    problems: [],
    measured,
  }
}
