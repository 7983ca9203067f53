import type { Database, Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { AuditChainPart, AuditChainPositionInput } from './audit-chain-verification.type.ts'

const maxEvents = 5000

/**
 * Checks a part of the chains. One statement sees one instant. A recording transaction locks the
 * head of its chain until its commit, so the statement sees the beginning of each chain, up to its
 * head.
 */
const checkPart: Statement = {
  name: 'check-audit-chains',
  text: `
    WITH part AS (
      SELECT chain, seq, id, account_id, environment, hash,
        usage.audit_event_content(chain, seq, id, account_id, environment, occurred_at, actor_kind,
          actor_id, actor_role, action, resource_id, address, request_id, trace_id, result, details,
          recorded_at) AS content
      FROM usage.audit_event
      WHERE (chain, seq, id) > ($1, $2::bigint, $3)
      ORDER BY chain, seq, id LIMIT $5
    ), linked AS (
      SELECT *,
        coalesce(lag(seq) OVER chain, CASE WHEN chain = $1 THEN $2::bigint ELSE 0 END) AS before,
        coalesce(lag(hash) OVER chain, CASE WHEN chain = $1 THEN decode($4, 'hex') ELSE '' END)
          AS hash_before,
        lead(seq) OVER chain IS NULL AS is_end
      FROM part WINDOW chain AS (PARTITION BY chain ORDER BY seq, id)
    ), ends AS (
      SELECT e.*, h.last_seq, h.last_hash FROM linked e
      LEFT JOIN LATERAL (
        SELECT last_seq, last_hash FROM usage.audit_chain h WHERE h.chain = e.chain LIMIT 1
      ) h ON true
      WHERE e.is_end
        AND e.seq = (SELECT max(seq) FROM usage.audit_event o WHERE o.chain = e.chain)
    ), breaks AS (
      SELECT chain, account_id, environment, seq, id, CASE
        WHEN seq > before + 1 THEN format('%s before it are missing', seq - before - 1)
        WHEN seq <= before THEN 'another event has its number: one of them was inserted'
        ELSE 'it does not follow from what stands before it: it, or the event before it, was '
          'changed, inserted or moved'
      END AS problem
      FROM linked
      WHERE seq <> before + 1 OR hash <> sha256(hash_before || convert_to(content, 'UTF8'))
      UNION ALL
      SELECT chain, account_id, environment, seq, id, CASE
        WHEN last_seq IS NULL THEN 'the head of its chain is missing'
        WHEN last_seq > seq THEN format('%s after it are missing', last_seq - seq)
        WHEN last_seq < seq THEN 'it stands behind the head of its chain: it was inserted'
        ELSE 'the head of its chain has another hash'
      END
      FROM ends WHERE last_seq IS DISTINCT FROM seq OR last_hash <> hash
      UNION ALL
      SELECT chain, account_id, environment, NULL, NULL,
        format('all %s events of the chain are missing', last_seq)
      FROM usage.audit_chain h
      WHERE chain > $1 AND last_seq > 0
        AND (chain < (SELECT max(chain) FROM part) OR (SELECT count(*) FROM part) < $5)
        AND (SELECT min(seq) FROM usage.audit_event e WHERE e.chain = h.chain) IS NULL
    )
    SELECT (SELECT count(*) FROM part) AS events,
      (SELECT count(DISTINCT chain) FROM part WHERE chain <> $1) AS chains,
      (SELECT json_build_object('chain', chain, 'seq', seq, 'id', id, 'hash', encode(hash, 'hex'))
        FROM part ORDER BY chain DESC, seq DESC, id DESC LIMIT 1) AS last,
      (SELECT coalesce(json_agg(json_build_object('accountId', account_id,
          'environment', environment, 'seq', seq, 'eventId', id, 'problem', problem)
          ORDER BY chain, seq, id), '[]')
        FROM breaks) AS breaks,
      (SELECT coalesce(json_agg(json_build_object('accountId', account_id,
          'environment', environment, 'seq', seq, 'hash', encode(hash, 'hex')) ORDER BY chain), '[]')
        FROM ends) AS heads`,
}

const beginning: AuditChainPositionInput = { chain: '', seq: 0, id: '', hash: '' }

/** Verifies up to `limit` events of all chains, from a position on, while events are recorded. */
export async function verifyChains(
  database: Database,
  after: AuditChainPositionInput | null,
  limit: number,
): Promise<AuditChainPart> {
  requireAll([['limit', limit >= 1 && limit <= maxEvents, `must be 1 to ${maxEvents}`]])
  const { chain, seq, id, hash } = after ?? beginning
  const [part] = await database.query<AuditChainPart>(checkPart, [chain, seq, id, hash, limit])
  if (!part) throw new Error('The check of the audit chains returned no row.')
  const { events, chains, breaks, heads, last } = part
  return { events, chains, breaks, heads, last: events < limit ? null : last }
}
