import type { z } from 'zod'
import { keyOfUsageRows } from '../../../test/support/database/usage-rows.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate } from '../support/compare.ts'
import { openUsageLog, pageTimes, type UsageLogChild } from '../support/usage-pages.ts'

export const p6b: Bench = {
  name: 'p6b',
  title: 'A summary of a month from a usage log with 10,000,000 rows against one with 10,000',
  run,
}

/** The month has the same groups in both, so that both answers are as long. */
const small = { rows: 10_000, months: 1 }
const keys = 10
const maxRatio = 1.3
const warmUps = 100
const summaries = 500

interface Case {
  readonly name: string
  readonly operation?: 'ListUsageLog' | 'SummarizeUsage'
  readonly filter: object
}

const key_id = keyOfUsageRows(3)
const days = { interval: 'day' }

const cases: readonly Case[] = [
  { name: 'by service', filter: { ...days, group_by: 'service' } },
  { name: 'by endpoint', filter: { ...days, group_by: 'endpoint' } },
  { name: 'by key', filter: { ...days, group_by: 'key', by_key: true } },
  { name: 'by external id', filter: { ...days, group_by: 'external_id', by_external_id: true } },
  { name: 'of one key', filter: { ...days, group_by: 'service', key_id } },
  { name: 'page of one key', operation: 'ListUsageLog', filter: { key_id } },
]

function run(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => hold(context, defer))
}

async function hold({ slices, logRows }: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const short = await openUsageLog({ ...small, keys }, defer)
  const long = await openUsageLog({ rows: logRows, months: 13, keys }, defer)
  const rows: Row[] = []
  for (const one of cases) rows.push(await compare(one, { long, short, slices }))
  return rows
}

interface Contest {
  readonly long: UsageLogChild
  readonly short: UsageLogChild
  readonly slices: number
}

async function compare(
  { name, operation = 'SummarizeUsage', filter }: Case,
  { long, short, slices }: Contest,
): Promise<Row> {
  async function measure(log: UsageLogChild) {
    const question = { operation, filter }
    await log.ask({ ...question, pages: warmUps }, pageTimes)
    return log.ask({ ...question, pages: summaries }, pageTimes)
  }
  const measured = await alternate(
    slices,
    () => measure(long),
    () => measure(short),
  )
  const p99 = (times: readonly z.infer<typeof pageTimes>[]) =>
    median(times.map(({ p99Ms }) => p99Ms))
  const ratio = p99(measured.ours) / p99(measured.other)
  return {
    bench: `P6b ${name}, p99`,
    goal: `≤ ${maxRatio.toFixed(2)}`,
    ours: `${p99(measured.ours).toFixed(2)} ms`,
    floor: `${p99(measured.other).toFixed(2)} ms`,
    value: ratio.toFixed(2),
    isMet: ratio <= maxRatio,
    problems: [],
    measured,
  }
}
