import { z } from 'zod'
import type { Ask } from './usage-log-audit.ts'

const eventsInPart = 5000

const auditBreak = z.object({
  account_id: z.nullable(z.string()),
  environment: z.string(),
  seq: z.nullable(z.number()),
  event_id: z.nullable(z.string()),
  problem: z.string(),
})
const part = z.object({
  events: z.number(),
  chains: z.number(),
  breaks: z.array(auditBreak),
  last: z.nullable(z.looseObject({})),
})

/** A place where the audit trail is not as it was recorded; without `seq` none of the chain is left. */
export type AuditBreak = z.infer<typeof auditBreak>

/**
 * Walks all chains of the audit trail, a few thousand events at a time, and tells of each broken place.
 * Returns how many chains and events there are.
 */
export async function checkAuditChains(
  ask: Ask,
  tell: (found: AuditBreak) => void,
): Promise<{ readonly chains: number; readonly events: number }> {
  let chains = 0
  let events = 0
  for (let after: object | null = null, isLast = false; !isLast; isLast = after === null) {
    const answer = await ask('CheckAuditChains', { after, limit: eventsInPart })
    const checked: z.infer<typeof part> = part.parse(answer)
    for (const found of checked.breaks) tell(found)
    chains += checked.chains
    events += checked.events
    after = checked.last
  }
  return { chains, events }
}
