import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { priceList } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import { type Addon, AddonStatus, type Addons } from './addon.type.ts'
import type { Turn } from './subscription.service.ts'
import type { EntitlementStatus } from './subscription.type.ts'

interface AddonsRow {
  readonly mass_mail: AddonStatus | null
  readonly mass_mail_period_end: Date | null
  readonly rank_tracking: AddonStatus | null
  readonly keywords: number
  readonly sent: number
}

const addonsOf: Statement = {
  name: 'addons-of',
  text: `
    WITH addon AS (
      SELECT name, current_period_start, current_period_end,
        CASE WHEN status = 'scheduled_to_cancel' AND current_period_end <= now() THEN 'canceled'
          ELSE status END AS status
      FROM account.addon WHERE account_id = $1 AND environment = $2
    )
    SELECT m.status AS mass_mail, m.current_period_end AS mass_mail_period_end,
      r.status AS rank_tracking,
      (SELECT count(*) FROM account.tracked_keyword k
        WHERE k.account_id = $1 AND k.environment = $2) AS keywords,
      (SELECT coalesce(-sum(e.credits), 0)::bigint FROM account.ledger_entry e
        WHERE e.account_id = $1 AND e.environment = $2 AND e.request ->> 'service' = 'promote'
          AND e.created_at >= m.current_period_start) AS sent
    FROM (SELECT 1) one
    LEFT JOIN addon m ON m.name = 'mass_mail'
    LEFT JOIN addon r ON r.name = 'rank_tracking'`,
}

/** Both add-ons as they stand. */
export async function getAddons(
  database: Database,
  { accountId, environment }: Owner,
): Promise<Addons> {
  const [row] = await database.query<AddonsRow>(addonsOf, [accountId, environment])
  if (!row) throw new Error('A query over one row gave none.')
  const massMail = row.mass_mail ?? AddonStatus.inactive
  const rankTracking = row.rank_tracking ?? AddonStatus.inactive
  return {
    massMail: {
      active: isInForce(massMail),
      status: massMail,
      currentPeriodEnd: row.mass_mail_period_end,
      cancelAtPeriodEnd: massMail === AddonStatus.scheduled_to_cancel,
      monthlyQuota: priceList.addons.mass_mail.monthly_quota,
      usedThisPeriod: row.sent,
    },
    rankTracking: {
      active: isInForce(rankTracking),
      status: rankTracking,
      keywordLimit: priceList.addons.rank_tracking.keyword_limit,
      keywordsUsed: row.keywords,
    },
  }
}

function isInForce(status: AddonStatus): boolean {
  return status === AddonStatus.active || status === AddonStatus.scheduled_to_cancel
}

/** As its events show it. */
interface AddonRow {
  readonly name: 'mass_mail' | 'rank_tracking'
  readonly status: EntitlementStatus
  readonly current_period_end: string
}

const nextPeriod = `
  current_period_start = anchor_at + (account.periods_begun(anchor_at, period, now()) - 1) * period,
  current_period_end = anchor_at + account.periods_begun(anchor_at, period, now()) * period`

/** From its period's end on there is none. Throws CONFLICT unless it is active. */
export async function cancelMassMail(tx: SqlEntityManager, owner: Owner): Promise<void> {
  const { accountId, environment } = owner
  const [canceled] = await tx.execute<AddonRow[]>(
    // One that was active when its period ended has renewed, also before the job has said so.
    `UPDATE account.addon SET status = 'scheduled_to_cancel', canceled_at = now(), ${nextPeriod}
     WHERE account_id = ? AND environment = ? AND name = 'mass_mail' AND status = 'active'
     RETURNING name, status, current_period_end`,
    [accountId, environment],
  )
  if (canceled) return publish(tx, owner, 'addon.cancel_scheduled', eventData(canceled))
  const [addon] = await tx.execute<{ status: AddonStatus }[]>(
    `SELECT CASE WHEN current_period_end <= now() THEN 'canceled' ELSE status END AS status
     FROM account.addon WHERE account_id = ? AND environment = ? AND name = 'mass_mail'`,
    [accountId, environment],
  )
  throw new DomainError('CONFLICT', `Mass Mail is ${describe(addon?.status)}.`)
}

function eventData({ name, status, current_period_end }: AddonRow) {
  return { name, status, current_period_end: new Date(current_period_end).toISOString() }
}

function describe(status: AddonStatus | undefined): string {
  if (status === AddonStatus.scheduled_to_cancel) return 'scheduled to be cancelled already'
  return status === AddonStatus.canceled ? 'cancelled' : 'not an add-on of this account'
}

interface NewAddon extends Owner {
  readonly addon: Addon
}

/** `period` is an ISO 8601 duration. */
export async function startAddon(
  tx: SqlEntityManager,
  { accountId, environment, addon }: NewAddon,
  period: string,
): Promise<void> {
  await tx.execute(
    `INSERT INTO account.addon (account_id, environment, name, period, current_period_end)
     VALUES (?, ?, ?, ?::interval, now() + ?::interval)`,
    [accountId, environment, addon.toLowerCase(), period, period],
  )
}

/**
 * Ends or renews an add-on whose period is over, once however many do this at the same time; null: it is
 * not over. It ends with the account.
 */
export async function turnAddon(
  tx: SqlEntityManager,
  owner: Owner,
  name: string,
): Promise<Turn | null> {
  const key = [owner.accountId, owner.environment, name]
  const [due] = await tx.execute<{ renews: boolean }[]>(
    `SELECT d.status = 'active' AND a.status = 'ACTIVE' AS renews
     FROM account.addon d JOIN account.account a ON a.id = d.account_id
     WHERE d.account_id = ? AND d.environment = ? AND d.name = ?
       AND d.status <> 'canceled' AND d.current_period_end <= now()
     FOR UPDATE OF d`,
    key,
  )
  if (!due) return null
  const ending = `status = 'canceled', canceled_at = coalesce(canceled_at, now())`
  const [turned] = await tx.execute<AddonRow[]>(
    `UPDATE account.addon SET ${due.renews ? nextPeriod : ending}
     WHERE account_id = ? AND environment = ? AND name = ?
     RETURNING name, status, current_period_end`,
    key,
  )
  if (!turned) throw new Error('A locked add-on is gone.')
  if (due.renews) return 'renewed'
  await publish(tx, owner, 'addon.canceled', eventData(turned))
  return 'canceled'
}
