import { z } from 'zod'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type ChargeContest, contestCharges } from '../support/charge-contest.ts'
import { startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { perSecond } from '../support/compare.ts'

export const p4: Bench = {
  name: 'p4',
  title: 'Durable charges per second, batched, against one transaction per charge; usage entries',
  run,
}

const many = { how: 'batched', accounts: 100, waiting: 64 } as const
const more = { ...many, waiting: 256 }
const minRatio = 8

const contests: readonly ChargeContest[] = [
  {
    bench: 'P4 charges, 64 waiting / one transaction each',
    minRatio,
    ours: many,
    floor: { ...many, how: 'transaction' },
  },
  {
    bench: 'P4 charges, 256 waiting / one transaction each',
    minRatio,
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

async function run({ slices }: BenchContext): Promise<readonly Row[]> {
  return [
    ...(await withCleanups((defer) => holdAll(slices, defer))),
    await withCleanups((defer) => recordUsage(slices, defer)),
  ]
}

async function holdAll(slices: number, defer: Defer): Promise<readonly Row[]> {
  const child = await startChild({
    role: 'charges',
    ready: z.unknown(),
    options: { accounts: 100 },
  })
  defer(() => child.stop())
  const rows: Row[] = []
  for (const contest of contests) rows.push(await contestCharges(contest, child, slices))
  return rows
}

const recording = { accounts: 400, warmUpSeconds: 3, sliceSeconds: 5, minPerSecond: 40_000 }
const recorded = z.object({ perSecond: z.number(), batchSize: z.number() })

/** Each charge and each other call leaves an entry: the time includes adding them to the sums. */
async function recordUsage(slices: number, defer: Defer): Promise<Row> {
  const { accounts, warmUpSeconds, sliceSeconds, minPerSecond } = recording
  const child = await startChild({
    role: 'usage-recorder',
    ready: z.unknown(),
    options: { accounts },
  })
  defer(() => child.stop())
  const ask = (seconds: number) => child.ask({ seconds }, recorded)
  await ask(warmUpSeconds)
  const measured: z.infer<typeof recorded>[] = []
  for (let slice = 0; slice < slices; slice += 1) measured.push(await ask(sliceSeconds))
  const rate = median(measured.map((one) => one.perSecond))
  return {
    bench: `P4 usage entries, log and sums, ${accounts} accounts`,
    goal: `≥ ${perSecond(minPerSecond)}`,
    ours: perSecond(rate),
    floor: '',
    value: perSecond(rate),
    isMet: rate >= minPerSecond,
    problems: [],
    measured,
  }
}
