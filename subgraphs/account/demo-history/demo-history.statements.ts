import type { Statement } from '../../shared/database/database.ts'
import type { SubscriptionTier } from '../prices/tiers.ts'

/** Every writer of entries locks the balance first. An empty ledger has no history to overwrite. */
export const lockIfUnused: Statement = {
  name: 'demo-lock',
  text: `SELECT account_id FROM account.balance
    WHERE account_id = $1 AND environment = 'live' AND last_seq = 0 FOR UPDATE`,
}

export interface PastPeriod {
  readonly tier: SubscriptionTier
  readonly startsAt: Date
  readonly endsAt: Date
}

const periodsFromOpening = `
  anchor_at = $2,
  current_period_start = $2 + (account.periods_begun($2, period, now()) - 1) * period,
  current_period_end = $2 + account.periods_begun($2, period, now()) * period
  WHERE account_id = $1 AND environment = 'live'`

/** Returns the last two periods of the subscription. Its very first period has no allowance. */
export const moveBack: Statement = {
  name: 'demo-move-back',
  text: `
    WITH opened AS (UPDATE account.account SET created_at = $2::timestamptz WHERE id = $1),
    addons AS (UPDATE account.addon SET ${periodsFromOpening}),
    subscription AS (
      UPDATE account.subscription SET ${periodsFromOpening}
      RETURNING tier, period, account.periods_begun($2, period, now()) AS begun
    )
    SELECT tier, $2 + n * period AS "startsAt", $2 + (n + 1) * period AS "endsAt"
    FROM subscription, generate_series(greatest(1, begun - 2), begun - 1) AS n ORDER BY n`,
}

export const insertPayments: Statement = {
  name: 'demo-payments',
  text: `
    WITH bought AS (
      SELECT * FROM jsonb_to_recordset($2::jsonb) AS p (id text, invoice_id text, package_id text,
        package_name text, tier text, credits bigint, price_cents bigint, currency text,
        description text, at timestamptz)
    ), payment AS (
      INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
        tier, tier_before, credits, price_cents, total_cents, currency, payment_method, provider,
        status, reference, ask_at, created_at, settled_at)
      SELECT id, $1, 'live', 'checkout', package_id, package_name, tier, tier, credits, price_cents,
        price_cents, currency, 'simulated', 'simulated', 'paid', id, at, at, at
      FROM bought
    )
    INSERT INTO account.invoice (id, account_id, environment, status, price_cents, total_cents,
      currency, credits, description, seller, buyer, payment_id, created_at)
    SELECT invoice_id, $1, 'live', 'paid', price_cents, price_cents, currency, credits, description,
      $3, $4, id, at
    FROM bought ORDER BY at`,
}

export const insertAutoRecharge: Statement = {
  name: 'demo-auto-recharge',
  text: `INSERT INTO account.auto_recharge
      (account_id, environment, threshold_credits, package_id, monthly_cap_cents)
    VALUES ($1, 'live', $2, $3, $4)`,
}

export const insertKeywords: Statement = {
  name: 'demo-keywords',
  text: `INSERT INTO account.tracked_keyword
      (id, account_id, environment, keyword, domain, country, device, created_at)
    SELECT id, $1, 'live', keyword, domain, country, device, at
    FROM jsonb_to_recordset($2::jsonb) AS k (id text, keyword text, domain text, country text,
      device text, at timestamptz)`,
}

/** A commit has one hash, on its last entry. */
export const insertEntries: Statement = {
  name: 'demo-entries',
  text: `
    WITH entry AS (
      SELECT $1::text AS account_id, 'live' AS environment, e.*
      FROM jsonb_to_recordset($2::jsonb) AS e (seq bigint, id text, kind text, credits bigint,
        balance_after bigint, description text, ref text, request jsonb, at timestamptz(3))
    ), last AS (
      SELECT max(seq) AS seq, sha256(convert_to(string_agg(account.entry_content(account_id,
        environment, seq, id, kind, credits, balance_after, description, ref, request, at),
        '' ORDER BY seq), 'UTF8')) AS hash
      FROM entry
    ), entered AS (
      INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
        balance_after, description, ref, request, created_at, hash)
      SELECT account_id, environment, seq, id, kind, credits, balance_after, description, ref,
        request, at, hash
      FROM entry LEFT JOIN last USING (seq)
      RETURNING account_id, environment, seq, balance_after, hash
    )
    UPDATE account.balance b
    SET balance = e.balance_after, last_seq = e.seq, last_hash = e.hash
    FROM entered e
    WHERE b.account_id = e.account_id AND b.environment = e.environment AND e.hash IS NOT NULL`,
}

export const insertLots: Statement = {
  name: 'demo-lots',
  text: `
    INSERT INTO account.lot (account_id, environment, seq, id, source, granted, remaining, expired,
      priority, expires_at, payment_id, created_at)
    SELECT $1, 'live', seq, 'lot_' || substr(id, 5), kind, credits, remaining, expired,
      CASE WHEN "expiresAt" IS NULL THEN 101 ELSE $3 END, coalesce("expiresAt", 'infinity'),
      CASE kind WHEN 'purchase' THEN ref END, at
    FROM jsonb_to_recordset($2::jsonb) AS l (seq bigint, id text, kind text, credits bigint,
      remaining bigint, expired bigint, "expiresAt" timestamptz, ref text, at timestamptz)`,
}

export const burnGrants: Statement = {
  name: 'demo-burn',
  text: `SELECT account.burn_grants($1, 'live')`,
}

/**
 * $1 is the process that the charges name. While it is listed, its charges since `recorded_until` are known
 * to be missing in the usage log. It never counts as dead, so nobody else writes them.
 */
export const listProcess: Statement = {
  name: 'demo-list-process',
  text: `INSERT INTO account.facade_process (id, seen_at, recorded_until)
    VALUES ($1, 'infinity', $2)`,
}

export const takeProcess: Statement = {
  name: 'demo-take-process',
  text: `DELETE FROM account.facade_process WHERE id = $1 RETURNING recorded_until AS "openedAt"`,
}

export const chargesOfProcess: Statement = {
  name: 'demo-charges',
  text: `SELECT ref AS "requestId", -credits AS credits, created_at AS at, request
    FROM account.ledger_entry
    WHERE account_id = $1 AND environment = 'live' AND kind = 'charge'
      AND request ->> 'processId' = $2
    ORDER BY seq`,
}
