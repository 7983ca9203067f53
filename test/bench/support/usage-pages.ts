import { z } from 'zod'

/** How a page of the usage log is asked for, and how often. */
export const pageQuestion = z.object({
  /** As `ListUsageLog` takes it. */
  filter: z.record(z.string(), z.unknown()),
  isDeep: z.boolean(),
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
