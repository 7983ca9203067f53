import { isDeepStrictEqual } from 'node:util'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Owner } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { type Check, requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { priceList } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import {
  type AutoRecharge,
  type AutoRechargeInput,
  AutoRechargeState,
} from './auto-recharge.type.ts'

/** As a statement or a transaction reads it: the one has numbers, the other text. */
interface AutoRechargeRow {
  readonly enabled: boolean
  readonly threshold_credits: number | string | null
  readonly package_id: string | null
  readonly monthly_cap_cents: number | string | null
  readonly state: AutoRechargeState
  readonly last_recharge_at: Date | string | null
  readonly failure_reason: string | null
}

const columns = `enabled, threshold_credits, package_id, monthly_cap_cents, state, last_recharge_at,
  failure_reason`

const autoRechargeOf: Statement = {
  name: 'auto-recharge-of',
  text: `SELECT ${columns} FROM account.auto_recharge WHERE account_id = $1 AND environment = $2`,
}

const never: AutoRechargeRow = {
  enabled: false,
  threshold_credits: null,
  package_id: null,
  monthly_cap_cents: null,
  state: AutoRechargeState.idle,
  last_recharge_at: null,
  failure_reason: null,
}

/** How recharging is set up, and how it is doing. */
export async function getAutoRecharge(
  database: Database,
  { accountId, environment }: Owner,
): Promise<AutoRecharge> {
  const [row = never] = await database.query<AutoRechargeRow>(autoRechargeOf, [
    accountId,
    environment,
  ])
  return toAutoRecharge(row)
}

function toAutoRecharge(row: AutoRechargeRow): AutoRecharge {
  const { enabled, threshold, packageId, cap } = toWanted(row)
  return {
    enabled,
    thresholdCredits: threshold,
    packageId,
    monthlyCapCents: cap,
    state: row.state,
    lastRechargeAt: row.last_recharge_at === null ? null : new Date(row.last_recharge_at),
    failureReason: row.failure_reason,
  }
}

interface Configuring {
  /** Of somebody who may spend nothing of the account's: only to less, and off. */
  readonly onlyToLess: boolean
}

/**
 * Changes the set-up, and tries again where declines had ended it. Throws INVALID_REQUEST for one
 * that could not work: a threshold above the package would fire again at once.
 */
export async function configureAutoRecharge(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  input: AutoRechargeInput,
  { onlyToLess }: Configuring,
): Promise<AutoRecharge> {
  await tx.execute(
    `INSERT INTO account.auto_recharge (account_id, environment) VALUES (?, ?)
     ON CONFLICT DO NOTHING`,
    [accountId, environment],
  )
  // The lock also covers the judgement: what is more is told by what there is until the change.
  const [row] = await tx.execute<AutoRechargeRow[]>(
    `SELECT ${columns} FROM account.auto_recharge WHERE account_id = ? AND environment = ? FOR UPDATE`,
    [accountId, environment],
  )
  if (!row) throw new Error('A row that was made is gone.')
  if (onlyToLess) refuseMore(row, input)
  const wanted = merge(row, input)
  // A package that is no longer for sale must not keep anybody from ending it.
  if (wanted.enabled || isSetUp(input)) requireWorkable(wanted)
  const startsAfresh = !onlyToLess || !wanted.enabled
  // Asking for what there is tries no declined card again, unless that had ended it.
  const revives = startsAfresh && row.state === AutoRechargeState.suspended
  if (isSame(row, wanted) && !revives) return toAutoRecharge(row)
  const [changed] = await tx.execute<AutoRechargeRow[]>(
    `UPDATE account.auto_recharge SET enabled = ?, threshold_credits = ?, package_id = ?,
       monthly_cap_cents = ?${startsAfresh ? afresh : ''}
     WHERE account_id = ? AND environment = ? RETURNING ${columns}`,
    [wanted.enabled, wanted.threshold, wanted.packageId, wanted.cap, accountId, environment],
  )
  if (!changed) throw new Error('A locked row is gone.')
  return toAutoRecharge(changed)
}

/** Forgets declines, and tries at once. */
const afresh = `, declines = 0, try_at = now(), failure_reason = NULL,
  state = CASE state WHEN 'pending' THEN 'pending' ELSE 'idle' END`

/** Throws FORBIDDEN, which names every member by which recharging could come to spend more. */
function refuseMore(row: AutoRechargeRow, input: AutoRechargeInput): void {
  const { enabled, threshold, packageId, cap } = toWanted(row)
  const isOff = !enabled || row.state === AutoRechargeState.suspended
  const isUncapped = input.monthlyCapCents === null && cap !== null
  const isCapRaised = isMore(input.monthlyCapCents, cap ?? Number.POSITIVE_INFINITY)
  const isOtherPackage = !isNone(input.packageId) && input.packageId !== packageId
  const checks: readonly Check[] = [
    ['enabled', input.enabled !== true || !isOff, 'may only be turned off'],
    ['thresholdCredits', !isMore(input.thresholdCredits, threshold ?? 0), 'may only be lowered'],
    ['packageId', !isOtherPackage, 'may not be another'],
    ['monthlyCapCents', !isUncapped && !isCapRaised, 'may only be lowered'],
  ]
  const details: FieldError[] = checks
    .filter(([, holds]) => !holds)
    .map(([field, , message]) => ({ field, in: 'body', message }))
  if (details.length === 0) return
  const named = details.map(({ field, message }) => `${field} ${message}`).join('; ')
  throw new DomainError('FORBIDDEN', `This role cannot spend what is a customer's: ${named}.`, {
    details,
  })
}

function isMore(value: number | null | undefined, known: number): boolean {
  return !isNone(value) && Number(value) > known
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

interface Wanted {
  readonly enabled: boolean
  readonly threshold: number | null
  readonly packageId: string | null
  readonly cap: number | null
}

function merge(row: AutoRechargeRow, input: AutoRechargeInput): Wanted {
  const { enabled, thresholdCredits, packageId, monthlyCapCents } = input
  const { threshold, packageId: knownPackage, cap } = toWanted(row)
  return {
    enabled: enabled ?? row.enabled,
    threshold: thresholdCredits === undefined ? threshold : thresholdCredits,
    packageId: packageId === undefined ? knownPackage : packageId,
    cap: monthlyCapCents === undefined ? cap : monthlyCapCents,
  }
}

function toWanted(row: AutoRechargeRow): Wanted {
  const { enabled, threshold_credits, package_id, monthly_cap_cents } = row
  return {
    enabled,
    threshold: threshold_credits === null ? null : Number(threshold_credits),
    packageId: package_id,
    cap: monthly_cap_cents === null ? null : Number(monthly_cap_cents),
  }
}

function isSame(row: AutoRechargeRow, wanted: Wanted): boolean {
  return isDeepStrictEqual(toWanted(row), wanted)
}

/** Whether it says how to recharge, not only whether. */
function isSetUp({ thresholdCredits, packageId, monthlyCapCents }: AutoRechargeInput): boolean {
  return [thresholdCredits, packageId, monthlyCapCents].some((member) => member !== undefined)
}

function requireWorkable({ enabled, threshold, packageId, cap }: Wanted): void {
  const { packages } = priceList
  const offer = packages.find(({ id }) => id === packageId)
  const most = offer?.credits ?? Number.MAX_SAFE_INTEGER
  requireAll([
    ['package_id', packageId === null || offer !== undefined, 'must be a package on sale'],
    ['package_id', !enabled || packageId !== null, 'is needed to recharge'],
    ['threshold_credits', !enabled || threshold !== null, 'is needed to recharge'],
    [
      'threshold_credits',
      threshold === null || (threshold >= 1 && threshold <= most),
      `must be 1 to the package's credits`,
    ],
    [
      'monthly_cap_cents',
      cap === null || cap >= (offer?.price_cents ?? 1),
      `must be at least the package's price`,
    ],
  ])
}

interface DueRow {
  readonly threshold_credits: string
  readonly package_id: string
  readonly monthly_cap_cents: string | null
  readonly payment_method: string
  readonly is_due: boolean
}

/** What a watched balance means for recharging. */
interface Recharge {
  /** Below it, one is due; null while none could start. */
  readonly thresholdCredits: number | null
  readonly step: RechargeStep | null
}

/** What recharging did, as the audit trail shows it. */
export interface RechargeStep {
  readonly action: 'auto_recharge.start' | 'auto_recharge.suspend' | 'auto_recharge.postpone'
  /** The payment that was started. */
  readonly resourceId?: string
  readonly details?: { readonly reason: string }
}

/**
 * Starts a payment when the balance is below the threshold: one at a time, within the monthly cap, and
 * only for an active account. The balance is locked.
 */
export async function rechargeIfLow(
  tx: SqlEntityManager,
  owner: Owner,
  balance: number,
): Promise<Recharge> {
  const [row] = await tx.execute<DueRow[]>(
    `SELECT r.threshold_credits, r.package_id, r.monthly_cap_cents, r.payment_method,
       ? < r.threshold_credits AS is_due
     FROM account.auto_recharge r
     JOIN account.account a ON a.id = r.account_id AND a.status = 'ACTIVE'
     WHERE r.account_id = ? AND r.environment = ?
       AND r.enabled AND r.state = 'idle' AND r.try_at <= now()
     FOR UPDATE OF r`,
    [balance, owner.accountId, owner.environment],
  )
  if (!row) return { thresholdCredits: null, step: null }
  if (row.is_due) return { thresholdCredits: null, step: await startRecharge(tx, owner, row) }
  return { thresholdCredits: Number(row.threshold_credits), step: null }
}

async function startRecharge(
  tx: SqlEntityManager,
  owner: Owner,
  row: DueRow,
): Promise<RechargeStep> {
  const { accountId, environment } = owner
  const offer = priceList.packages.find(({ id }) => id === row.package_id)
  // The price list may have changed since this was set up.
  if (!offer) return suspend(tx, owner, 'The package is not on sale.')
  if (offer.credits < Number(row.threshold_credits)) {
    return suspend(tx, owner, 'The package has too few credits.')
  }
  const [spent] = await tx.execute<{ cents: string }[]>(
    `SELECT coalesce(sum(total_cents), 0) AS cents FROM account.payment
     WHERE account_id = ? AND environment = ? AND kind = 'auto_recharge' AND status <> 'failed'
       AND created_at >= date_trunc('month', now(), 'UTC')`,
    [accountId, environment],
  )
  const cap = row.monthly_cap_cents === null ? Number.POSITIVE_INFINITY : row.monthly_cap_cents
  if (Number(spent?.cents) + offer.price_cents > Number(cap)) return waitForNextMonth(tx, owner)
  const id = newId('pay')
  await tx.execute(
    `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
       tier, credits, total_cents, currency, payment_method, reference)
     VALUES (?, ?, ?, 'auto_recharge', ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[id, accountId, environment, offer.id, offer.name, offer.tier, offer.credits],
      ...[offer.price_cents, priceList.currency, row.payment_method, id],
    ],
  )
  await tx.execute(
    `UPDATE account.auto_recharge SET state = 'pending' WHERE account_id = ? AND environment = ?`,
    [accountId, environment],
  )
  return { action: 'auto_recharge.start', resourceId: id }
}

async function suspend(tx: SqlEntityManager, owner: Owner, reason: string): Promise<RechargeStep> {
  await tx.execute(
    `UPDATE account.auto_recharge SET state = 'suspended', failure_reason = ?
     WHERE account_id = ? AND environment = ?`,
    [reason, owner.accountId, owner.environment],
  )
  await publish(tx, owner, 'auto_recharge.suspended', { payment_id: null, failure_reason: reason })
  return { action: 'auto_recharge.suspend', details: { reason } }
}

async function waitForNextMonth(tx: SqlEntityManager, owner: Owner): Promise<RechargeStep> {
  const reason = 'The monthly cap is reached.'
  await tx.execute(
    `UPDATE account.auto_recharge SET failure_reason = ?,
       try_at = date_trunc('month', now(), 'UTC') + interval '1 month'
     WHERE account_id = ? AND environment = ?`,
    [reason, owner.accountId, owner.environment],
  )
  await publish(tx, owner, 'auto_recharge.failed', { payment_id: null, failure_reason: reason })
  return { action: 'auto_recharge.postpone', details: { reason } }
}

/** After so many declines in a row it is over. */
const maxDeclines = 3

/** What became of a recharge: after a decline the next is tried an hour later, then four. */
export async function noteRecharge(
  tx: SqlEntityManager,
  owner: Owner,
  paymentId: string,
  failureReason: string | null,
): Promise<void> {
  const { accountId, environment } = owner
  if (failureReason === null) {
    await tx.execute(
      `UPDATE account.auto_recharge SET state = 'idle', declines = 0, failure_reason = NULL,
         last_recharge_at = now(), try_at = now()
       WHERE account_id = ? AND environment = ?`,
      [accountId, environment],
    )
    return publish(tx, owner, 'auto_recharge.succeeded', { payment_id: paymentId })
  }
  const [changed] = await tx.execute<{ state: string }[]>(
    `UPDATE account.auto_recharge SET declines = declines + 1, failure_reason = ?,
       state = CASE WHEN declines + 1 >= ? THEN 'suspended' ELSE 'idle' END,
       try_at = now() + power(4, declines) * interval '1 hour'
     WHERE account_id = ? AND environment = ? RETURNING state`,
    [failureReason, maxDeclines, accountId, environment],
  )
  const data = { payment_id: paymentId, failure_reason: failureReason }
  await publish(tx, owner, 'auto_recharge.failed', data)
  if (changed?.state === 'suspended') await publish(tx, owner, 'auto_recharge.suspended', data)
}
