import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { nextHash } from '../../shared/migrating/append-only.ts'
import type {
  AuditChainBreak,
  AuditChainHead,
  AuditChainPart,
  AuditChainPosition,
  AuditChainPositionInput,
} from './audit-chain-verification.type.ts'

const maxEvents = 5000

/**
 * One statement, so one instant: whoever records holds the head of a chain until all is there, so what
 * is seen of each chain is its beginning, up to its head.
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
      WHERE seq <> before + 1 OR hash <> ${nextHash('hash_before', 'content')}
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
      (SELECT coalesce(json_agg(b ORDER BY chain, seq, id), '[]') FROM breaks b) AS breaks,
      (SELECT coalesce(json_agg(json_build_object('account_id', account_id,
          'environment', environment, 'seq', seq, 'hash', encode(hash, 'hex')) ORDER BY chain), '[]')
        FROM ends) AS heads`,
}

interface BreakRow {
  readonly account_id: string | null
  readonly environment: Environment
  readonly seq: number | null
  readonly id: string | null
  readonly problem: string
}

interface HeadRow {
  readonly account_id: string | null
  readonly environment: Environment
  readonly seq: number
  readonly hash: string
}

interface PartRow {
  readonly events: number
  readonly chains: number
  readonly last: AuditChainPosition | null
  readonly breaks: readonly BreakRow[]
  readonly heads: readonly HeadRow[]
}

const beginning: AuditChainPositionInput = { chain: '', seq: 0, id: '', hash: '' }

/** Verifies up to `limit` events of all chains, from a position on, while others go on recording. */
export async function verifyChains(
  database: Database,
  after: AuditChainPositionInput | null,
  limit: number,
): Promise<AuditChainPart> {
  requireAll([['limit', limit >= 1 && limit <= maxEvents, `must be 1 to ${maxEvents}`]])
  const { chain, seq, id, hash } = after ?? beginning
  const [row] = await database.query<PartRow>(checkPart, [chain, seq, id, hash, limit])
  const { events = 0, chains = 0, last = null, breaks = [], heads = [] } = row ?? {}
  return {
    ...{ events, chains, breaks: breaks.map(toBreak), heads: heads.map(toHead) },
    last: events < limit ? null : last,
  }
}

function toHead({ account_id, environment, seq, hash }: HeadRow): AuditChainHead {
  return { accountId: account_id, environment: EnvironmentValue[environment], seq, hash }
}

function toBreak({ account_id, environment, seq, id, problem }: BreakRow): AuditChainBreak {
  const named = { accountId: account_id, environment: EnvironmentValue[environment] }
  return { ...named, seq, eventId: id, problem }
}
