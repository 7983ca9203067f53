import type { BodyOf } from '../../schema/generated/operations.ts'
import type { Ask } from './compare-with-ledger.ts'

const eventsInPart = 5000

type Part = BodyOf<'CheckAuditChains'>

/** A place where the audit trail was changed. Without `seq`, the whole chain is gone. */
export type AuditBreak = Part['breaks'][number]

/** The newest event of a chain. */
type AuditHead = Part['heads'][number]

interface CheckedChains {
  readonly chains: number
  readonly events: number
  /** The heads as they were after their chain was read. */
  readonly heads: readonly AuditHead[]
}

/**
 * Reads all chains of the audit trail, a few thousand events at a time, and reports each broken
 * place. Returns the number of chains and events, and the head of each chain.
 */
export async function verifyAuditChains(
  ask: Ask,
  tell: (found: AuditBreak) => void,
): Promise<CheckedChains> {
  let chains = 0
  let events = 0
  // A chain that grew between two parts has a head in both; the later one counts.
  const heads = new Map<string, AuditHead>()
  for (let after: Part['last'] = null, isLast = false; !isLast; isLast = after === null) {
    const checked: Part = await ask('CheckAuditChains', { after, limit: eventsInPart })
    for (const found of checked.breaks) tell(found)
    for (const head of checked.heads) heads.set(`${head.account_id}/${head.environment}`, head)
    chains += checked.chains
    events += checked.events
    after = checked.last
  }
  return { chains, events, heads: [...heads.values()] }
}
