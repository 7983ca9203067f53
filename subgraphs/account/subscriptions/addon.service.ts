import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { priceList } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import { type Addon, AddonStatus, type Addons } from './addon.type.ts'
import { ending, type PeriodOutcome, renewal } from './period.ts'
import type { EntitlementStatus } from './subscription.type.ts'

interface AddonsRow {
  readonly massMail: AddonStatus | null
  readonly currentPeriodEnd: Date | null
  readonly rankTracking: AddonStatus | null
  readonly keywordsUsed: number
  readonly usedThisPeriod: number
}

/** SQL: charges `e` of Promote in the period of Mass Mail, `m`. */
const promotionsThisPeriod = `e.account_id = $1 AND e.environment = $2 AND e.kind = 'charge'
          AND starts_with(e.description, '/v1/promote/')
          AND e.created_at >= m.current_period_start`

const addonsOf: Statement = {
  name: 'addons-of',
  text: `
    WITH addon AS (
      SELECT name, current_period_start, current_period_end,
        CASE WHEN status = 'scheduled_to_cancel' AND current_period_end <= now() THEN 'canceled'
          ELSE status END AS status
      FROM account.addon WHERE account_id = $1 AND environment = $2
    )
    SELECT m.status AS "massMail", m.current_period_end AS "currentPeriodEnd",
      r.status AS "rankTracking",
      (SELECT count(*) FROM account.tracked_keyword k
        WHERE k.account_id = $1 AND k.environment = $2) AS "keywordsUsed",
      (SELECT coalesce(-sum(e.credits), 0)::bigint FROM account.ledger_entry e
        WHERE ${promotionsThisPeriod}) -
      -- A refund returns its whole charge. Refunds are few, so each one looks for its charge.
      (SELECT coalesce(sum(f.credits), 0)::bigint FROM account.ledger_entry f
        JOIN account.ledger_entry e ON e.ref = f.ref AND ${promotionsThisPeriod}
        WHERE f.account_id = $1 AND f.environment = $2 AND f.kind = 'refund'
          AND f.created_at >= m.current_period_start) AS "usedThisPeriod"
    FROM (SELECT 1) one
    LEFT JOIN addon m ON m.name = 'mass_mail'
    LEFT JOIN addon r ON r.name = 'rank_tracking'`,
}

/** The present state of both add-ons. */
export async function getAddons(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<Addons> {
  const [row] = await database.query<AddonsRow>(addonsOf, [accountId, environment])
  if (!row) throw new Error('A query over one row returned none.')
  const massMail = row.massMail ?? AddonStatus.inactive
  const rankTracking = row.rankTracking ?? AddonStatus.inactive
  return {
    massMail: {
      active: isInForce(massMail),
      status: massMail,
      currentPeriodEnd: row.currentPeriodEnd,
      cancelAtPeriodEnd: massMail === AddonStatus.scheduled_to_cancel,
      monthlyQuota: priceList.addons.mass_mail.monthly_quota,
      usedThisPeriod: row.usedThisPeriod,
    },
    rankTracking: {
      active: isInForce(rankTracking),
      status: rankTracking,
      keywordLimit: priceList.addons.rank_tracking.keyword_limit,
      keywordsUsed: row.keywordsUsed,
    },
  }
}

function isInForce(status: AddonStatus): boolean {
  return status === AddonStatus.active || status === AddonStatus.scheduled_to_cancel
}

const eventColumns = 'name, status, current_period_end AS "currentPeriodEnd"'

/** The data of an add-on's events. */
interface ChangedAddon {
  readonly name: 'mass_mail' | 'rank_tracking'
  readonly status: EntitlementStatus
  readonly currentPeriodEnd: Date
}

// An add-on that was active at the end of its period has renewed, even if the job has not run yet.
const scheduleCancellation: Statement = {
  name: 'addon-schedule-cancellation',
  text: `UPDATE account.addon SET status = 'scheduled_to_cancel', canceled_at = now(), ${renewal}
    WHERE account_id = $1 AND environment = $2 AND name = 'mass_mail' AND status = 'active'
    RETURNING ${eventColumns}`,
}

const massMailStatus: Statement = {
  name: 'addon-mass-mail-status',
  text: `SELECT CASE WHEN current_period_end <= now() THEN 'canceled' ELSE status END AS status
    FROM account.addon WHERE account_id = $1 AND environment = $2 AND name = 'mass_mail'`,
}

/** Cancels Mass Mail at the end of its period. Throws CONFLICT unless it is active. */
export async function cancelMassMail(tx: Transaction, owner: AccountScope): Promise<void> {
  const key = [owner.accountId, owner.environment]
  const [canceled] = await tx.query<ChangedAddon>(scheduleCancellation, key)
  if (canceled) return publish(tx, owner, 'addon.cancel_scheduled', eventData(canceled))
  const [addon] = await tx.query<{ status: AddonStatus }>(massMailStatus, key)
  throw new DomainError('CONFLICT', `Mass Mail is ${describe(addon?.status)}.`)
}

function eventData({ name, status, currentPeriodEnd }: ChangedAddon) {
  return { name, status, current_period_end: currentPeriodEnd.toISOString() }
}

function describe(status: AddonStatus | undefined): string {
  if (status === AddonStatus.scheduled_to_cancel) return 'scheduled to be cancelled already'
  return status === AddonStatus.canceled ? 'cancelled' : 'not an add-on of this account'
}

const insertAddons: Statement = {
  name: 'addon-start',
  text: `INSERT INTO account.addon (account_id, environment, name, period, current_period_end)
    SELECT $1, environment, name, $4::interval, now() + $4::interval
    FROM unnest($2::text[]) AS environment, unnest($3::text[]) AS name`,
}

interface NewAddons {
  readonly accountId: string
  readonly environments: readonly Environment[]
  /** The add-ons, each named once. */
  readonly addons: readonly Addon[]
}

/** `period` is an ISO 8601 duration. */
export async function startAddons(
  tx: Transaction,
  { accountId, environments, addons }: NewAddons,
  period: string,
): Promise<void> {
  const names = addons.map((addon) => addon.toLowerCase())
  await tx.query(insertAddons, [accountId, environments, names, period])
}

const lockDueAddon: Statement = {
  name: 'addon-lock-due',
  text: `SELECT d.status = 'active' AND a.status = 'ACTIVE' AS renews
    FROM account.addon d JOIN account.account a ON a.id = d.account_id
    WHERE d.account_id = $1 AND d.environment = $2 AND d.name = $3
      AND d.status <> 'canceled' AND d.current_period_end <= now()
    FOR UPDATE OF d`,
}

const endPeriod = (name: string, change: string): Statement => ({
  name,
  text: `UPDATE account.addon SET ${change}
    WHERE account_id = $1 AND environment = $2 AND name = $3 RETURNING ${eventColumns}`,
})

const renewAddon = endPeriod('addon-renew', renewal)
const endAddon = endPeriod('addon-end', ending)

/**
 * Ends or renews an add-on whose period is over. Concurrent calls do this once; null if the period
 * is not over. An add-on of a suspended or closed account ends.
 */
export async function endAddonPeriod(
  tx: Transaction,
  owner: AccountScope,
  name: string,
): Promise<PeriodOutcome | null> {
  const key = [owner.accountId, owner.environment, name]
  const [due] = await tx.query<{ renews: boolean }>(lockDueAddon, key)
  if (!due) return null
  const [changed] = await tx.query<ChangedAddon>(due.renews ? renewAddon : endAddon, key)
  if (!changed) throw new Error('A locked add-on is missing.')
  if (due.renews) return 'renewed'
  await publish(tx, owner, 'addon.canceled', eventData(changed))
  return 'canceled'
}
