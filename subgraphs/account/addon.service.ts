import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database, Statement } from '../shared/database.ts'
import { DomainError } from '../shared/errors.ts'
import type { Addon } from './account.input.ts'
import { AddonStatus, type Addons } from './addon.type.ts'
import { priceList } from './price-list.ts'
import type { Owner } from './subscription.service.ts'

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

const cancelMassMailAddon: Statement = {
  name: 'mass-mail-cancel',
  // One that was active when its period ended has renewed, also before the job has said so.
  text: `UPDATE account.addon SET status = 'scheduled_to_cancel', canceled_at = now(),
      current_period_start = anchor_at
        + (account.periods_begun(anchor_at, period, now()) - 1) * period,
      current_period_end = anchor_at + account.periods_begun(anchor_at, period, now()) * period
    WHERE account_id = $1 AND environment = $2 AND name = 'mass_mail' AND status = 'active'
    RETURNING name`,
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

/** From its period's end on there is none. Throws CONFLICT unless it is active. */
export async function cancelMassMail(database: Database, owner: Owner): Promise<Addons> {
  const { accountId, environment } = owner
  const changed = await database.query(cancelMassMailAddon, [accountId, environment])
  const addons = await getAddons(database, owner)
  if (changed.length > 0) return addons
  throw new DomainError('CONFLICT', `Mass Mail is ${describe(addons.massMail.status)}.`)
}

function describe(status: AddonStatus): string {
  if (status === AddonStatus.scheduled_to_cancel) return 'scheduled to be cancelled already'
  return status === AddonStatus.canceled ? 'cancelled' : 'not an add-on of this account'
}

interface NewAddon extends Owner {
  readonly addon: Addon
}

export async function startAddon(
  tx: SqlEntityManager,
  { accountId, environment, addon }: NewAddon,
): Promise<void> {
  const { period } = priceList
  await tx.execute(
    `INSERT INTO account.addon (account_id, environment, name, period, current_period_end)
     VALUES (?, ?, ?, ?::interval, now() + ?::interval)`,
    [accountId, environment, addon.toLowerCase(), period, period],
  )
}

/** Ends or renews up to `limit` add-ons whose period is over; returns how many. */
export async function turnAddons(em: SqlEntityManager, limit: number): Promise<number> {
  const turned = await em.execute<object[]>(
    `WITH due AS (
       SELECT account_id, environment, name,
         account.periods_begun(anchor_at, period, now()) AS periods
       FROM account.addon WHERE status <> 'canceled' AND current_period_end <= now()
       ORDER BY account_id, environment, name LIMIT ? FOR UPDATE SKIP LOCKED
     )
     UPDATE account.addon a SET
       status = CASE a.status WHEN 'active' THEN 'active' ELSE 'canceled' END,
       current_period_start = CASE a.status WHEN 'active'
         THEN a.anchor_at + (d.periods - 1) * a.period ELSE a.current_period_start END,
       current_period_end = CASE a.status WHEN 'active'
         THEN a.anchor_at + d.periods * a.period ELSE a.current_period_end END
     FROM due d
     WHERE a.account_id = d.account_id AND a.environment = d.environment AND a.name = d.name
     RETURNING a.name`,
    [limit],
  )
  return turned.length
}
