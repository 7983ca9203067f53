import { z } from 'zod'
import { type Child, startChild } from './child.ts'
import type { Defer } from './cleanups.ts'

/** How a page of the usage log, or a series, is asked for, and how often. */
export const pageQuestion = z.object({
  operation: z.enum(['ListUsageLog', 'SummarizeUsage']).default('ListUsageLog'),
  /** The filter as the operation takes it. */
  filter: z.record(z.string(), z.unknown()),
  isDeep: z.boolean().default(false),
  pages: z.int(),
  isExplained: z.boolean().default(false),
})

export const pageTimes = z.object({
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** On the last page that was read. */
  items: z.int(),
  plan: z.string(),
})

export type UsageLogChild = Child<{ buildSeconds: number }>

interface UsageLogSize {
  readonly rows: number
  readonly months: number
  /** Several have sums, too. */
  readonly keys: number
}

/** A usage log in a process and a database of its own. */
export async function openUsageLog(options: UsageLogSize, defer: Defer): Promise<UsageLogChild> {
  const ready = z.object({ buildSeconds: z.number() })
  const log = await startChild({ role: 'usage-log', ready, options })
  defer(() => log.stop())
  const seconds = log.ready.buildSeconds.toFixed(0)
  console.log(`${options.rows.toLocaleString('en')} rows in ${seconds} s`)
  return log
}
