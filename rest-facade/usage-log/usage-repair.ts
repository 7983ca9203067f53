import { z } from 'zod'
import type { Ask } from './compare-with-ledger.ts'

const part = z.object({
  hours: z.number(),
  kinds: z.number(),
  sums: z.number(),
  last: z.nullable(z.looseObject({})),
})

export interface RepairSpan {
  /** ISO 8601: only hours that begin then or later. */
  readonly from?: string
  /** Only hours that begin earlier. */
  readonly to?: string
}

/** The number of hours that were examined, and the additions. */
export interface UsageRepair {
  readonly hours: number
  readonly kinds: number
  readonly sums: number
}

/**
 * Adds entries that an earlier release has recorded without kinds and sums to these: all logs, some
 * hours at a time, while requests are recorded.
 */
export async function repairUsage(ask: Ask, span: RepairSpan): Promise<UsageRepair> {
  let repaired: UsageRepair = { hours: 0, kinds: 0, sums: 0 }
  let after: object | null = null
  do {
    const done: z.infer<typeof part> = part.parse(await ask('RepairUsage', { ...span, after }))
    const { hours, kinds, sums } = repaired
    repaired = { hours: hours + done.hours, kinds: kinds + done.kinds, sums: sums + done.sums }
    after = done.last
  } while (after)
  return repaired
}
