import { z } from 'zod'
import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { type ChargeContest, contestCharges } from '../support/charge-contest.ts'
import { startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'

export const p4: Bench = {
  name: 'p4',
  title: 'Durable charges per second, gathered, against one transaction per charge',
  run,
}

const many = { how: 'gathered', accounts: 100, waiting: 64 } as const
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

function run({ slices }: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => holdAll(slices, defer))
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
