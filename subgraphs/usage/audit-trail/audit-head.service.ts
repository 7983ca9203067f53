import type { Database, Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { AuditChainHead } from './audit-chain-verification.type.ts'
import type { AuditHeadBreak, AuditHeadInput } from './audit-head.type.ts'

const maxHeads = 1000

const newestEvents: Statement = {
  name: 'audit-heads',
  text: `
    SELECT account_id AS "accountId", environment, last_seq AS seq,
      encode(last_hash, 'hex') AS hash
    FROM usage.audit_chain WHERE chain > $1 AND last_seq > 0 ORDER BY chain LIMIT $2`,
}

const comparedHeads: Statement = {
  name: 'audit-heads-compared',
  text: `
    SELECT h."accountId", h.environment, h.seq, CASE
      WHEN e.seq IS NULL THEN 'the event is missing: the end of the chain was cut off'
      ELSE 'the event has another hash: it, or an event before it, was rewritten'
    END AS problem
    FROM jsonb_to_recordset($1)
      AS h("accountId" text, environment text, seq bigint, hash text)
    LEFT JOIN usage.audit_event e
      ON e.chain = usage.chain_of(h."accountId", h.environment) AND e.seq = h.seq
    WHERE encode(e.hash, 'hex') IS DISTINCT FROM h.hash
    ORDER BY usage.chain_of(h."accountId", h.environment)`,
}

/** The newest event of each chain of the trail that has one. */
export function listAuditHeads(
  database: Database,
  { afterChain, limit }: { readonly afterChain: string; readonly limit: number },
): Promise<AuditChainHead[]> {
  requireAll([['limit', limit >= 1 && limit <= maxHeads, `must be 1 to ${maxHeads}`]])
  return database.readLong((read) => read(newestEvents, [afterChain, limit]))
}

/** Looks for events that were the newest ones of their chains. */
export function compareAuditHeads(
  database: Database,
  heads: readonly AuditHeadInput[],
): Promise<AuditHeadBreak[]> {
  requireAll([['heads', heads.length <= maxHeads, `must be at most ${maxHeads}`]])
  return database.readLong((read) => read(comparedHeads, [JSON.stringify(heads)]))
}
