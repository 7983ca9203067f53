import type { z } from 'zod'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate } from '../support/compare.ts'
import { openUsageLog, pageTimes, type UsageLogChild } from '../support/usage-pages.ts'

export const p6: Bench = {
  name: 'p6',
  title: 'A page of the usage log with 10,000,000 rows against one with 10,000',
  run,
}

const small = 10_000
const maxRatio = 1.3
const warmUpPages = 200
const pages = 1000

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

interface Case {
  readonly name: string
  readonly filter: object
  readonly isDeep?: boolean
}

const cases: readonly Case[] = [
  { name: 'first page', filter: {} },
  { name: 'deep pages', filter: {}, isDeep: true },
  { name: 'service', filter: { service: 'contacts' } },
  { name: 'service, deep', filter: { service: 'contacts' }, isDeep: true },
  { name: 'status_class', filter: { status_class: 4 } },
  { name: 'status_class, deep', filter: { status_class: 4 }, isDeep: true },
  { name: 'min_credits', filter: { min_credits: 100 } },
  { name: 'min_credits, deep', filter: { min_credits: 100 }, isDeep: true },
  { name: 'service and status', filter: { service: 'contacts', status_class: 4 } },
  { name: 'from and to', filter: { from: daysAgo(100), to: daysAgo(50) } },
  { name: 'request_id', filter: { request_id: newId('req', Date.now() - 86_400_000) } },
]

function run(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => hold(context, defer))
}

async function hold({ slices, logRows }: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const short = await openUsageLog({ rows: small, months: 13, keys: 1 }, defer)
  const large = await openUsageLog({ rows: logRows, months: 13, keys: 1 }, defer)
  const measured: Row[] = []
  for (const one of cases) measured.push(await compare(one, large, short, slices))
  for (const isDeep of [false, true]) {
    const question = { filter: {}, isDeep, pages: 0, isExplained: true }
    console.log(
      `${isDeep ? 'Half-way' : 'First page'}:\n${(await large.ask(question, pageTimes)).plan}`,
    )
  }
  return measured
}

async function compare(
  { name, filter, isDeep = false }: Case,
  large: UsageLogChild,
  small: UsageLogChild,
  slices: number,
): Promise<Row> {
  async function measure(log: UsageLogChild) {
    await log.ask({ filter, isDeep, pages: warmUpPages }, pageTimes)
    return log.ask({ filter, isDeep, pages }, pageTimes)
  }
  const measured = await alternate(
    slices,
    () => measure(large),
    () => measure(small),
  )
  const p99 = (times: readonly z.infer<typeof pageTimes>[]) =>
    median(times.map(({ p99Ms }) => p99Ms))
  const ratio = p99(measured.ours) / p99(measured.other)
  return {
    bench: `P6 ${name}, p99`,
    goal: `≤ ${maxRatio.toFixed(2)}`,
    ours: `${p99(measured.ours).toFixed(2)} ms`,
    floor: `${p99(measured.other).toFixed(2)} ms`,
    value: ratio.toFixed(2),
    isMet: ratio <= maxRatio,
    problems: [],
    measured,
  }
}
