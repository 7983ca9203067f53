import type { ServiceStatement, Statement } from '../../shared/database/database.ts'

type Parameters = ServiceStatement['parameters']

/** What balance `b` has left for new calls: credits may have expired since it was reserved. */
const available =
  'account.available(b.account_id, b.environment, b.balance, b.held, b.next_expiry_at) AS available'

/**
 * A batch of reservations, one commit. An owner is a balance that the batch touches; `$1` to `$3` have
 * each of them once, in the order of account and environment: that is the order of all locks. Of an owner
 * whose items do not fit together nothing is held, and none of them is among the answered places: those
 * are judged apart, and so are all items of a batch with a request whose hold has ended.
 */
interface ReserveForm {
  /** Further CTEs, before the balances are touched. */
  readonly known?: string
  /** A further condition on owner `o` with balance `b`, beginning with AND. */
  readonly unless?: string
  /** Further CTEs, after the holds are placed. */
  readonly claimed?: string
  /** The columns that are answered beside the places. */
  readonly also: string
}

function reserveText({ known = '', unless = '', claimed = '', also }: ReserveForm): string {
  return `
    WITH ${known} held AS (
      UPDATE account.balance b SET held = b.held + o.credits
      FROM unnest($1::text[], $2::text[], $3::int8[]) WITH ORDINALITY
        AS o (account_id, environment, credits, place)
      WHERE b.account_id = o.account_id AND b.environment = o.environment
        AND b.balance - b.held >= o.credits AND (b.next_expiry_at <= now()) IS NOT TRUE
        AND NOT (SELECT EXISTS (
          SELECT FROM account.ended_hold e WHERE e.request_id = ANY ($4::text[])))
        ${unless}
      RETURNING o.place, b.balance - b.held AS available
    ), owners AS MATERIALIZED (
      SELECT array_agg(place) AS places, array_agg(available) AS availables,
        count(*) = cardinality($1::text[]) AS are_all
      FROM held
    ), placed AS (
      INSERT INTO account.hold
        (request_id, account_id, environment, credits, expires_at, endpoint, call)
      SELECT i.request_id, ($1::text[])[i.owner], ($2::text[])[i.owner], i.credits,
        now() + make_interval(secs => $9::int4), i.endpoint, i.call
      FROM owners w, unnest($4::text[], $5::int4[], $6::int8[], $7::text[], $8::text[])
        AS i (request_id, owner, credits, endpoint, call)
      WHERE w.are_all OR i.owner = ANY (w.places)
      RETURNING 1
    ) ${claimed}
    SELECT places, availables, ${also} FROM owners`
}

const reserveParameters: Parameters = [
  ...(['text[]', 'text[]', 'int8[]'] as const),
  ...(['text[]', 'int4[]', 'int8[]', 'text[]', 'text[]', 'int4'] as const),
]

/**
 * Reserves without a wait until the commit is on disk. A crash may lose the hold; its settlement then
 * charges what the balance covers.
 */
export const reservePlain: ServiceStatement = {
  name: 'reserve-credits-plain',
  text: reserveText({ also: `set_config('synchronous_commit', 'off', true)` }),
  parameters: reserveParameters,
  wire: 'service',
  givesUpLocks: true,
}

/**
 * `$10` key hashes, `$11` request hashes, `$12` how long answers are kept. An owner with a key that is
 * known already is left out; one that another statement claims at this moment refuses the batch. It waits
 * for its commit: after a claim that a crash forgets, a retry with another body would pass.
 */
export const reserveKeyed: ServiceStatement = {
  name: 'reserve-credits-keyed',
  text: reserveText({
    known: `known AS MATERIALIZED (
      SELECT array_agg(i.owner) AS owners
      FROM unnest($5::int4[], $10::text[]) AS i (owner, key_hash)
      JOIN account.key_claim k ON k.account_id = ($1::text[])[i.owner]
        AND k.environment = ($2::text[])[i.owner] AND k.key_hash = i.key_hash
    ),`,
    unless: `AND (o.place = ANY ((SELECT owners FROM known)::int4[])) IS NOT TRUE`,
    claimed: `, claimed AS (
      INSERT INTO account.key_claim (account_id, environment, key_hash, request_hash,
        request_id, lease_expires_at, expires_at)
      SELECT ($1::text[])[i.owner], ($2::text[])[i.owner], i.key_hash, i.request_hash,
        i.request_id, now() + make_interval(secs => $9), now() + make_interval(secs => $12::int4)
      FROM owners w, unnest($4::text[], $5::int4[], $10::text[], $11::text[])
        AS i (request_id, owner, key_hash, request_hash)
      WHERE w.are_all OR i.owner = ANY (w.places)
      ON CONFLICT DO NOTHING
      RETURNING 1
    )`,
    also: `CASE WHEN (SELECT count(*) FROM claimed) < (SELECT count(*) FROM placed)
      THEN account.refuse('another request claims a key') END`,
  }),
  parameters: [...reserveParameters, 'text[]', 'text[]', 'int4'],
  wire: 'service',
  givesUpLocks: true,
}

/** Finds which of these requests already hold credits, and the available credits of their balances. */
export const standingHolds: Statement = {
  name: 'standing-holds',
  text: `
    SELECT i.place, ${available}
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS i (request_id, account_id, environment, place)
    JOIN account.hold h ON h.request_id = i.request_id AND h.account_id = i.account_id
      AND h.environment = i.environment
    JOIN account.balance b
      ON b.account_id = i.account_id AND b.environment = i.environment`,
}

/** Finds which of these balances no other transaction has locked. */
export const freeOwners: ServiceStatement = {
  name: 'free-owners',
  text: `
    SELECT o.place FROM unnest($1::text[], $2::text[]) WITH ORDINALITY
      AS o (account_id, environment, place)
    JOIN account.balance b ON b.account_id = o.account_id AND b.environment = o.environment
    FOR NO KEY UPDATE OF b SKIP LOCKED`,
  parameters: ['text[]', 'text[]'],
  wire: 'service',
  givesUpLocks: true,
}

/** The time that this transaction waits for a lock. */
export const limitLockWait: Statement = {
  name: 'limit-lock-wait',
  text: `SELECT set_config('lock_timeout', '1s', true)`,
}

/** The time that this transaction waits for a lock, as short as on wire connections. */
export const limitLockWaitShortly: Statement = {
  name: 'limit-lock-wait-shortly',
  text: `SELECT set_config('lock_timeout', '100ms', true)`,
}

/** The time of all entries of a commit, and the same in milliseconds. */
const at = `(SELECT date_trunc('milliseconds', now()))`
const atMs = `(SELECT (extract(epoch FROM date_trunc('milliseconds', now())) * 1000)::int8)`
const header = 'account.charge_header(b.account_id, b.environment, b.last_seq, b.balance)'

function line(item: string): string {
  return `account.charge_line(${item}.request_id, ${item}.charged, ${atMs}, ${item}.endpoint, ${item}.call)`
}

/**
 * The place of a hold's request in the batch, by bisection. With a search from the beginning, batches of
 * 256 settle a tenth fewer holds in a second.
 */
const place = 'width_bucket(h.request_id, $1::text[])'

/**
 * Ends the open holds of a batch, one commit. `$1` request ids in ascending order, `$2` account ids, `$3`
 * environments, `$4` what to charge (0 voids), `$5` endpoints, `$6` calls; with keys, `$7` key hashes,
 * `$8` answers, `$9` bodies. Items without an open hold are not among the answered places.
 *
 * The holds are found by their ids alone, not by a join with the batch: for a table that was nearly empty
 * when it was last vacuumed, a join is planned as a walk through the whole index, with all its dead rows.
 */
function gone(isKeyed: boolean): string {
  const keyColumns = `,
        ($7::text[])[place] AS key_hash, ($8::text[])[place] AS answer, ($9::text[])[place] AS body`
  return `
    ended AS (
      DELETE FROM account.hold h
      WHERE h.request_id = ANY ($1::text[]) AND h.expires_at > clock_timestamp()
        AND h.account_id = ($2::text[])[${place}] AND h.environment = ($3::text[])[${place}]
      RETURNING ${place} AS place, h.request_id, h.account_id, h.environment, h.expires_at,
        h.credits AS held
    ), gone AS (
      SELECT e.*, greatest(0, least(($4::int8[])[place], e.held)) AS charged,
        ($5::text[])[place] AS endpoint, ($6::text[])[place] AS call${isKeyed ? keyColumns : ''}
      FROM ended e
    )`
}

/**
 * When a hold runs out, its key may be claimed anew. So a hold must not have run out while the statement
 * waited for its balance, which is locked from then on.
 */
const unlessLate = `, CASE WHEN expires_at <= clock_timestamp()
      THEN account.refuse('a hold ran out meanwhile') END AS refusal`

const entryColumns = `account_id, environment, seq, id, kind, credits, balance_after, description,
        ref, call, created_at, hash`

const ofClaim = `k.account_id = g.account_id AND k.environment = g.environment
        AND k.key_hash = g.key_hash AND k.request_id = g.request_id`

const keys = `, answered AS (
      INSERT INTO account.key_answer (request_id, account_id, answer, body)
      SELECT g.request_id, g.account_id, g.answer::jsonb, g.body
      FROM gone g JOIN account.key_claim k ON ${ofClaim}
      WHERE g.answer IS NOT NULL
    ), freed AS (
      DELETE FROM account.key_claim k USING gone g WHERE ${ofClaim} AND g.answer IS NULL
    )`

/** The text for a batch with one item of each owner: nothing has to be counted. */
function settleEachText(isKeyed: boolean): string {
  return `
    WITH ${gone(isKeyed)}, booked AS (
      UPDATE account.balance b
      SET balance = b.balance - g.charged, held = b.held - g.held,
        last_seq = b.last_seq + (g.charged > 0)::int,
        last_hash = CASE WHEN g.charged > 0
          THEN sha256(b.last_hash || convert_to(${header} || ${line('g')}, 'UTF8'))
          ELSE b.last_hash END
      -- Every settlement takes this order, so that no two wait for each other.
      FROM (SELECT * FROM gone ORDER BY account_id, environment) g
      WHERE b.account_id = g.account_id AND b.environment = g.environment
      RETURNING g.place, g.request_id, g.account_id, g.environment, g.endpoint, g.call, g.charged,
        g.expires_at, b.balance, b.last_seq, b.last_hash, ${available}
    ), entered AS (
      INSERT INTO account.ledger_entry (${entryColumns})
      SELECT account_id, environment, last_seq, 'led_' || substr(request_id, 5), 'charge', -charged,
        balance, endpoint, request_id, call, ${at}, last_hash
      FROM booked WHERE charged > 0
    ) ${isKeyed ? keys : ''}
    SELECT place, charged, available ${isKeyed ? unlessLate : ''} FROM booked`
}

/**
 * The text for a batch with several items of an owner: they are charged in the order of their request ids,
 * and chained with one hash.
 */
function settleManyText(isKeyed: boolean): string {
  return `
    WITH ${gone(isKeyed)}, numbered AS (
      SELECT *, dense_rank() OVER (ORDER BY account_id, environment) AS owner,
        count(*) FILTER (WHERE charged > 0) OVER so_far AS entries,
        (sum(charged) OVER so_far)::int8 AS so_far
      FROM gone
      WINDOW so_far AS
        (PARTITION BY account_id, environment ORDER BY place ROWS UNBOUNDED PRECEDING)
    ), totals AS (
      SELECT owner, account_id, environment, sum(held)::int8 AS held, max(so_far) AS charged,
        max(entries) AS entries,
        string_agg(${line('n')}, '' ORDER BY place) FILTER (WHERE charged > 0) AS content
      FROM numbered n GROUP BY owner, account_id, environment ORDER BY owner
    ), booked AS (
      UPDATE account.balance b
      SET balance = b.balance - t.charged, held = b.held - t.held,
        last_seq = b.last_seq + t.entries,
        last_hash = CASE WHEN t.entries > 0
          THEN sha256(b.last_hash || convert_to(${header} || t.content, 'UTF8'))
          ELSE b.last_hash END
      FROM totals t WHERE b.account_id = t.account_id AND b.environment = t.environment
      RETURNING t.owner, t.entries, b.balance + t.charged AS balance,
        b.last_seq - t.entries AS last_seq, b.last_hash, ${available}
    ), book AS MATERIALIZED (
      SELECT array_agg(balance ORDER BY owner) AS balances,
        array_agg(last_seq ORDER BY owner) AS seqs, array_agg(entries ORDER BY owner) AS entries,
        array_agg(last_hash ORDER BY owner) AS hashes,
        array_agg(available ORDER BY owner) AS availables
      FROM booked
    ), entered AS (
      INSERT INTO account.ledger_entry (${entryColumns})
      SELECT account_id, environment, seqs[owner] + n.entries, 'led_' || substr(request_id, 5),
        'charge', -charged, balances[owner] - so_far, endpoint, request_id, call, ${at},
        CASE WHEN n.entries = book.entries[owner] THEN hashes[owner] END
      FROM book, numbered n WHERE charged > 0
    ) ${isKeyed ? keys : ''}
    SELECT place, charged, availables[owner] AS available ${isKeyed ? unlessLate : ''}
    FROM book, numbered`
}

/** Makes a statement of a text. Each text has a name of its own: PostgreSQL prepares it by its name. */
function settling(name: string, text: string, isKeyed: boolean): ServiceStatement {
  return {
    name,
    text,
    parameters: [
      ...(['text[]', 'text[]', 'text[]', 'int8[]', 'text[]', 'text[]'] as const),
      ...(isKeyed ? (['text[]', 'text[]', 'text[]'] as const) : []),
    ],
    wire: 'service',
    givesUpLocks: true,
  }
}

const settleEach = settling('settle-holds-each', settleEachText(false), false)
const settleMany = settling('settle-holds-many', settleManyText(false), false)
const settleEachKeyed = settling('settle-holds-each-keyed', settleEachText(true), true)
const settleManyKeyed = settling('settle-holds-many-keyed', settleManyText(true), true)

export function settlementOf({
  isOneOfEach,
  isKeyed,
}: {
  /** Whether no two items are of one balance. */
  readonly isOneOfEach: boolean
  readonly isKeyed: boolean
}): ServiceStatement {
  if (isOneOfEach) return isKeyed ? settleEachKeyed : settleEach
  return isKeyed ? settleManyKeyed : settleMany
}

/** Settles items that had no open hold; what it does is in the migrations. */
export const settleLost: Statement = {
  name: 'settle-holds-lost',
  text: `SELECT place, outcome, credits, available FROM account.settle_lost(
    $1::text[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[])`,
}
