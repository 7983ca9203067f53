import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'
import { nextHash, refuseRewriting } from '../../shared/migrating/append-only.ts'

/** In the order in which `audit_event_content` names them. */
const hashed = `chain, seq, id, account_id, environment, occurred_at, actor_kind, actor_id, actor_role,
  action, resource_id, address, request_id, trace_id, result, details, recorded_at`

/** The columns of an event that are recorded as they came: all but those that the trail itself adds. */
const recorded = `id, account_id, environment, occurred_at, actor_kind, actor_id, actor_role, action,
  resource_id, address, request_id, trace_id, result, details`

/**
 * The audit trail as chains, one for each account and environment: events are numbered without gaps,
 * and each has a hash over its content and the hash before.
 */
export class AuditChain0006 extends Migration {
  override up(): void {
    this.addSql(chains)
    this.addSql(content)
    this.addSql(chainWhatIsThere)
    this.addSql(indexes)
    this.addSql(recordFunction)
    this.addSql(`
      -- By the function and in no other way, so that nothing stands outside its chain.
      REVOKE INSERT ON usage.audit_event FROM gateway_service;
      REVOKE ALL ON FUNCTION usage.record_audit_events FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION usage.record_audit_events TO gateway_service;
      GRANT SELECT ON usage.audit_chain TO gateway_service;
      ${refuseRewriting('usage', 'audit_event')}`)
  }
}

const chains = `
  CREATE FUNCTION usage.chain_of(account_id text, environment text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN coalesce(account_id, '') || '/' || environment;
  CREATE FUNCTION usage.shown_actor(actor_kind text, actor_id text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN actor_kind = 'internal' THEN 'internal' ELSE actor_id END;

  -- The newest event of each chain: who adds to it locks this row first.
  CREATE TABLE usage.audit_chain (
    chain text COLLATE "C" PRIMARY KEY CHECK (chain = usage.chain_of(account_id, environment)),
    account_id text COLLATE "C",
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    last_seq bigint NOT NULL DEFAULT 0,
    last_hash bytea NOT NULL DEFAULT ''
  ) WITH (fillfactor = 50);
  ${isolateTenants('usage', ['audit_chain'])}

  ALTER TABLE usage.audit_event
    ADD COLUMN chain text COLLATE "C",
    -- An account holder does not learn which token of an internal tool it was.
    ADD COLUMN shown_actor_id text COLLATE "C",
    ADD COLUMN seq bigint CHECK (seq > 0),
    ADD COLUMN hash bytea CHECK (length(hash) = 32);`

const content = `
  -- The text of an event that a hash covers: JSON tells where a member ends, and null from an empty text.
  CREATE FUNCTION usage.audit_event_content(
    chain text, seq bigint, id text, account_id text, environment text, occurred_at timestamptz,
    actor_kind text, actor_id text, actor_role text, action text, resource_id text, address text,
    request_id text, trace_id text, result text, details jsonb, recorded_at timestamptz
  ) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN jsonb_build_array(chain, seq, id, account_id, environment,
      (extract(epoch FROM occurred_at) * 1000)::bigint, actor_kind, actor_id, actor_role, action,
      resource_id, address, request_id, trace_id, result, details,
      (extract(epoch FROM recorded_at) * 1000)::bigint)::text;

  -- The hash of each event of a run that follows \`first\`, as a window function.
  CREATE FUNCTION usage.follow(hash bytea, first bytea, content text) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE RETURN ${nextHash('coalesce(hash, first)', 'content')};
  CREATE AGGREGATE usage.running_hash(first bytea, content text)
    (SFUNC = usage.follow, STYPE = bytea);`

const chainWhatIsThere = `
  UPDATE usage.audit_event e SET chain = n.chain, seq = n.seq, hash = n.hash,
    shown_actor_id = usage.shown_actor(e.actor_kind, e.actor_id)
  FROM (
    SELECT id, chain, seq, usage.running_hash('', usage.audit_event_content(${hashed}))
      OVER (PARTITION BY chain ORDER BY seq) AS hash
    FROM (
      SELECT ${recorded}, recorded_at, usage.chain_of(account_id, environment) AS chain,
        row_number() OVER (PARTITION BY account_id, environment ORDER BY recorded_at, id) AS seq
      FROM usage.audit_event
    ) e
  ) n WHERE n.id = e.id;
  INSERT INTO usage.audit_chain (chain, account_id, environment, last_seq, last_hash)
    SELECT DISTINCT ON (chain) chain, account_id, environment, seq, hash
    FROM usage.audit_event ORDER BY chain, seq DESC;`

const indexes = `
  ALTER TABLE usage.audit_event
    ALTER COLUMN chain SET NOT NULL,
    ALTER COLUMN shown_actor_id SET NOT NULL,
    ALTER COLUMN seq SET NOT NULL,
    ALTER COLUMN hash SET NOT NULL,
    ADD CHECK (chain = usage.chain_of(account_id, environment)),
    ADD CHECK (shown_actor_id = usage.shown_actor(actor_kind, actor_id)),
    ADD UNIQUE (chain, seq);
  DROP INDEX usage.audit_event_account;
  -- Newest first, of all events and of those that one filter lets through.
  CREATE INDEX audit_event_newest ON usage.audit_event (chain, occurred_at, id);
  CREATE INDEX audit_event_actor ON usage.audit_event (chain, shown_actor_id, occurred_at, id);
  CREATE INDEX audit_event_action ON usage.audit_event (chain, action, occurred_at, id);
  CREATE INDEX audit_event_resource ON usage.audit_event (chain, resource_id, occurred_at, id);
  CREATE INDEX audit_event_result ON usage.audit_event (chain, result, occurred_at, id);`

/**
 * One transaction, several statements: what follows the lock sees all that was recorded by those who
 * had it before.
 */
const recordFunction = `
  CREATE FUNCTION usage.record_audit_events(events jsonb) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  -- A plan that a session made while the trail was short must not read all of it when it is long.
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
  DECLARE
    now_recorded timestamptz(3);
  BEGIN
    INSERT INTO usage.audit_chain (chain, account_id, environment)
      SELECT DISTINCT usage.chain_of(account_id, environment) AS chain, account_id, environment
      FROM jsonb_populate_recordset(NULL::usage.audit_event, events)
      -- Every recording takes this order, so that no two wait for each other.
      ORDER BY chain
      ON CONFLICT DO NOTHING;
    PERFORM FROM usage.audit_chain
      WHERE chain IN (SELECT usage.chain_of(account_id, environment)
        FROM jsonb_populate_recordset(NULL::usage.audit_event, events))
      ORDER BY chain FOR UPDATE;
    now_recorded := clock_timestamp();
    WITH given AS (
      SELECT DISTINCT ON (id) ${recorded}, usage.chain_of(account_id, environment) AS chain
      FROM jsonb_populate_recordset(NULL::usage.audit_event, events) WITH ORDINALITY
      ORDER BY id, ordinality
    ), numbered AS (
      SELECT g.*, c.last_hash, now_recorded AS recorded_at,
        c.last_seq + row_number() OVER (PARTITION BY g.chain ORDER BY g.id) AS seq
      FROM given g JOIN usage.audit_chain c ON c.chain = g.chain
      WHERE NOT EXISTS (SELECT FROM usage.audit_event e WHERE e.id = g.id)
    ), added AS (
      INSERT INTO usage.audit_event (${recorded}, recorded_at, chain, shown_actor_id, seq, hash)
      SELECT ${recorded}, recorded_at, chain, usage.shown_actor(actor_kind, actor_id), seq,
        usage.running_hash(last_hash, usage.audit_event_content(${hashed}))
          OVER (PARTITION BY chain ORDER BY seq)
      FROM numbered
      RETURNING chain, seq, hash
    )
    UPDATE usage.audit_chain c SET last_seq = a.seq, last_hash = a.hash
    FROM (SELECT DISTINCT ON (chain) * FROM added ORDER BY chain, seq DESC) a
    WHERE c.chain = a.chain;
  END $body$;`
