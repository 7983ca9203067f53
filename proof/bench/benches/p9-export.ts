import { z } from 'zod'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate, perSecond } from '../support/compare.ts'

export const p9: Bench = {
  name: 'p9',
  title: 'A million rows of the usage log as CSV, against COPY to a client that drops it',
  run: ({ slices }: BenchContext) => withCleanups((defer) => measure(slices, defer)),
}

const rows = 1_000_000
const minPerSecond = 100_000
const minRatio = 0.3
const maxGrownMb = 64
const measurement = z.object({ perSecond: z.number(), grownMb: z.number() })

async function measure(slices: number, defer: Defer): Promise<readonly Row[]> {
  const child = await startChild({
    role: 'exports',
    ready: z.unknown(),
    options: { rows },
  })
  defer(() => child.stop())
  const ask = (how: 'export' | 'copy') => child.ask({ how }, measurement)
  // A first run: loading and compiling are not part of the export.
  await ask('export')
  const measured = await alternate(
    slices,
    () => ask('export'),
    () => ask('copy'),
  )
  const rate = (all: readonly z.infer<typeof measurement>[]) =>
    median(all.map((one) => one.perSecond))
  const [ours, floor] = [rate(measured.ours), rate(measured.other)]
  const grownMb = Math.max(...measured.ours.map((one) => one.grownMb))
  const common = { ours: perSecond(ours), floor: perSecond(floor), problems: [], measured }
  return [
    {
      ...common,
      bench: 'P9 export of 1,000,000 rows',
      goal: `≥ ${perSecond(minPerSecond)}`,
      value: perSecond(ours),
      isMet: ours >= minPerSecond,
    },
    {
      ...common,
      bench: 'P9 the same / COPY TO STDOUT',
      goal: `≥ ${minRatio.toFixed(2)}`,
      value: (ours / floor).toFixed(2),
      isMet: ours / floor >= minRatio,
    },
    {
      ...common,
      bench: 'P9 memory, beyond what the process had',
      goal: `≤ ${maxGrownMb} MB`,
      value: `${Math.round(grownMb)} MB`,
      isMet: grownMb <= maxGrownMb,
    },
  ]
}
