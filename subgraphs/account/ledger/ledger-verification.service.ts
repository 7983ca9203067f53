import type { Database, Statement } from '../../shared/database/database.ts'
import type { LedgerAudit, LedgerDrift } from './ledger-verification.type.ts'

/**
 * Compares every balance with its newest entry, its open holds and its lots. The length of a ledger does
 * not matter. Lots follow late: they sum up to what the balance was at the entry `burnt_seq`.
 */
const balanceDrifts = `
  SELECT b.account_id AS "accountId", b.environment, NULL::bigint AS seq, d.problem
  FROM account.balance b
  LEFT JOIN LATERAL (
    SELECT e.seq, e.balance_after, e.hash FROM account.ledger_entry e
    WHERE e.account_id = b.account_id AND e.environment = b.environment
    ORDER BY e.seq DESC LIMIT 1
  ) e ON true
  LEFT JOIN (
    SELECT account_id, environment, sum(credits) AS credits FROM account.hold
    GROUP BY account_id, environment
  ) h ON h.account_id = b.account_id AND h.environment = b.environment
  LEFT JOIN (
    SELECT account_id, environment, sum(remaining) AS credits FROM account.lot
    GROUP BY account_id, environment
  ) l ON l.account_id = b.account_id AND l.environment = b.environment
  LEFT JOIN account.ledger_entry s ON s.account_id = b.account_id AND s.environment = b.environment
    AND s.seq = b.burnt_seq
  CROSS JOIN LATERAL (VALUES
    (b.balance <> coalesce(e.balance_after, 0),
      format('the balance is %s, the newest entry says %s', b.balance, coalesce(e.balance_after, 0))),
    (b.last_seq <> coalesce(e.seq, 0),
      format('the balance counts %s entries, the ledger %s', b.last_seq, coalesce(e.seq, 0))),
    (b.last_hash <> coalesce(e.hash, ''), 'the balance and the newest entry differ in their hash'),
    (b.held <> coalesce(h.credits, 0),
      format('%s credits are held, open holds are for %s', b.held, coalesce(h.credits, 0))),
    -- A balance without a lot has no lots yet: its first posting begins them.
    (l.credits <> greatest(0, coalesce(s.balance_after, 0)),
      format('the lots have %s credits, the balance was %s at entry %s', l.credits,
        coalesce(s.balance_after, 0), b.burnt_seq))
  ) d (is_wrong, problem)
  WHERE d.is_wrong`

/**
 * Compares every entry with the one before it. A charge takes a balance below 0 only if its hold is older
 * than an entry that took credits back; holds last a day at most.
 */
const entryDrifts = `
  SELECT e.account_id AS "accountId", e.environment, e.seq, d.problem
  FROM (
    SELECT *, lag(seq, 1, 0::bigint) OVER ledger AS previous_seq,
      lag(balance_after, 1, 0::bigint) OVER ledger AS previous_balance,
      max(created_at) FILTER (WHERE kind = 'clawback' OR (kind = 'adjustment' AND credits < 0))
        OVER ledger AS taken_back_at
    FROM account.ledger_entry
    WINDOW ledger AS (PARTITION BY account_id, environment ORDER BY seq)
  ) e
  CROSS JOIN LATERAL (VALUES
    (e.seq <> e.previous_seq + 1, format('entry %s follows entry %s', e.seq, e.previous_seq)),
    (e.balance_after <> e.previous_balance + e.credits,
      format('%s credits take %s to %s', e.credits, e.previous_balance, e.balance_after)),
    (e.kind = 'charge' AND e.balance_after < 0 AND e.previous_balance >= 0
        AND (e.taken_back_at > e.created_at - interval '1 day') IS NOT TRUE,
      format('a charge of %s credits takes the balance below 0', -e.credits)),
    (e.kind IN ('expiry', 'clawback') AND e.credits > 0,
      format('an entry of the kind %s gives %s credits', e.kind, e.credits)),
    (e.kind = 'expiry' AND e.balance_after < 0,
      format('%s credits expire of a balance of %s', -e.credits, e.previous_balance))
  ) d (is_wrong, problem)
  WHERE d.is_wrong`

/**
 * The text of one entry that the hash of its commit covers. A charge with budgets
 * has its request, all others have the line of their call.
 */
const contentOfEntry = `
  CASE WHEN call IS NULL THEN account.entry_content(account_id, environment, seq, id, kind, credits,
      balance_after, description, ref, request, created_at)
    WHEN kind = 'charge' AND request IS NULL AND id = 'led_' || substr(ref, 5) THEN
      CASE WHEN is_first
        THEN account.charge_header(account_id, environment, seq - 1, balance_after - credits)
        ELSE '' END
      || account.charge_line(ref, -credits, (extract(epoch FROM created_at) * 1000)::bigint,
        description, call)
    ELSE 'rewritten' END`

/** Recomputes the hash of every commit from its entries and the hash before. */
const hashDrifts = `
  SELECT account_id AS "accountId", environment, seq,
    'the hash does not fit the entries up to this one: one of them was rewritten' AS problem
  FROM (
    SELECT account_id, environment, max(seq) AS seq, max(encode(hash, 'hex')) AS hash,
      lag(max(encode(hash, 'hex')), 1, '') OVER (PARTITION BY account_id, environment
        ORDER BY max(seq)) AS previous_hash,
      string_agg(${contentOfEntry}, '' ORDER BY seq) AS content
    FROM (
      SELECT *, lag(hash IS NOT NULL, 1, true) OVER ledger AS is_first,
        count(hash) OVER (ledger ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS run
      FROM account.ledger_entry
      WINDOW ledger AS (PARTITION BY account_id, environment ORDER BY seq)
    ) e
    GROUP BY account_id, environment, run
  ) run
  WHERE hash IS NULL
    OR hash <> encode(sha256(decode(previous_hash, 'hex') || convert_to(content, 'UTF8')), 'hex')`

/** Compares every lot with its entry. Returned credits may have gone into other lots, or in part. */
const lotDrifts = `
  SELECT account_id AS "accountId", environment, seq, d.problem
  FROM (SELECT *, seq AS lot_seq FROM account.lot) l
  FULL JOIN (
    SELECT e.account_id, e.environment, e.seq, e.kind, e.credits FROM account.ledger_entry e
    JOIN account.balance b USING (account_id, environment)
    WHERE e.kind <> 'charge' AND e.credits > 0 AND e.seq <= b.burnt_seq AND EXISTS (
      SELECT FROM account.lot l
      WHERE l.account_id = e.account_id AND l.environment = e.environment)
  ) e USING (account_id, environment, seq)
  CROSS JOIN LATERAL (VALUES
    (e.kind IS NULL, 'a lot has no entry that brought its credits'),
    (l.lot_seq IS NULL AND e.kind NOT IN ('refund', 'reinstatement'),
      format('%s credits came, and have no lot', e.credits)),
    (l.source <> e.kind OR l.granted > e.credits
        OR (l.granted < e.credits AND e.kind NOT IN ('refund', 'reinstatement')),
      format('a lot of the source %s was granted %s credits, the entry says %s and %s', l.source,
        l.granted, e.kind, e.credits))
  ) d (is_wrong, problem)
  WHERE d.is_wrong`

/** Recomputes what every budget has used and held in its window, from charges and open holds. */
const budgetDrifts = `
  SELECT b.account_id AS "accountId", b.environment, NULL::bigint AS seq, d.problem
  FROM account.budget b
  LEFT JOIN LATERAL (
    SELECT sum(s.credits - s.refunded) AS used FROM account.spending s
    WHERE s.account_id = b.account_id AND s.environment = b.environment
      AND s.reserved_at >= b.counts_from AND b.spender = ANY (s.spenders)
  ) u ON true
  LEFT JOIN LATERAL (
    SELECT sum(h.counted) AS held FROM account.hold h
    WHERE h.account_id = b.account_id AND h.environment = b.environment
      AND h.reserved_at >= b.counts_from AND b.spender = ANY (h.spenders)
  ) h ON true
  CROSS JOIN LATERAL (VALUES
    (b.used <> coalesce(u.used, 0), format('the budget of %s for %s says %s used, charges say %s',
      b.spender, b.period, b.used, coalesce(u.used, 0))),
    (b.held <> coalesce(h.held, 0), format('the budget of %s for %s says %s held, open holds say %s',
      b.spender, b.period, b.held, coalesce(h.held, 0)))
  ) d (is_wrong, problem)
  WHERE d.is_wrong`

/**
 * The counted credits of a call must equal its charge in the ledger. The sandbox charges nothing.
 */
const spendingDrifts = `
  SELECT s.account_id AS "accountId", s.environment, e.seq,
    format('%s counts %s credits in budgets and %s refunded, the ledger says %s and %s',
      s.request_id, s.credits, s.refunded, coalesce(-e.credits, 0), coalesce(r.credits, 0)) AS problem
  FROM account.spending s
  LEFT JOIN account.ledger_entry e ON e.kind = 'charge' AND e.ref = s.request_id
    AND e.account_id = s.account_id AND e.environment = s.environment
  LEFT JOIN account.ledger_entry r ON r.kind = 'refund' AND r.ref = s.request_id
    AND r.account_id = s.account_id AND r.environment = s.environment
  WHERE s.environment = 'live'
    AND (s.credits <> coalesce(-e.credits, 0) OR s.refunded <> coalesce(r.credits, 0))`

const counts: Statement = {
  name: 'ledger-counted',
  text: `
    SELECT (SELECT count(*) FROM account.ledger_entry) AS entries,
      (SELECT count(*) FROM account.balance) AS balances`,
}

const maxDrifts = 100

const balancesOnly: Statement = {
  name: 'balance-drifts',
  text: `${balanceDrifts} LIMIT ${maxDrifts}`,
}

const allDrifts: Statement = {
  name: 'ledger-drifts',
  text: `${[balanceDrifts, entryDrifts, hashDrifts, lotDrifts, budgetDrifts, spendingDrifts]
    .map((sql) => `(${sql})`)
    .join(' UNION ALL ')} LIMIT ${maxDrifts}`,
}

/** The quick check of all balances, which runs in the background. */
export function verifyBalances(database: Database): Promise<LedgerDrift[]> {
  return database.readLong((read) => read(balancesOnly, []))
}

/** The whole check, of one instant, while charges go on. */
export function verifyLedger(database: Database): Promise<LedgerAudit> {
  return database.readLong(async (read) => {
    const [count] = await read<{ entries: number; balances: number }>(counts, [])
    const drifts = await read<LedgerDrift>(allDrifts, [])
    return { entries: count?.entries ?? 0, balances: count?.balances ?? 0, drifts }
  })
}
