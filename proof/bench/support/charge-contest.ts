import { z } from 'zod'
import { median, type Row } from './bench.ts'
import type { Child } from './child.ts'
import { alternate, perSecond } from './compare.ts'

/** How the role `charges` is to charge. */
export interface ChargeWork {
  readonly how: 'batched' | 'transaction' | 'statement'
  readonly accounts: number
  /** How many charges wait at any moment. */
  readonly waiting: number
}

export interface ChargeContest {
  readonly bench: string
  /** Null without a goal. */
  readonly minRatio: number | null
  readonly ours: ChargeWork
  readonly floor: ChargeWork
}

const warmUpSeconds = 2
const sliceSeconds = 4
const rate = z.object({ perSecond: z.number() })

/** Durable charges per second of the one work and of the other, in turn, by the same process. */
export async function contestCharges(
  contest: ChargeContest,
  child: Child<unknown>,
  slices: number,
): Promise<Row> {
  const { bench, minRatio, ours, floor } = contest
  async function measure(work: ChargeWork): Promise<number> {
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
