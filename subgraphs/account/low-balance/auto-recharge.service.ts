import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { type Check, requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { isBlocked } from '../payment-blocks/payment-block.service.ts'
import type { Pricing } from '../payments/invoices/tax.service.ts'
import { noMethod } from '../payments/methods/stored-methods.service.ts'
import { priceList } from '../prices/price-list.ts'
import {
  type AutoRecharge,
  type AutoRechargeInput,
  AutoRechargeNeed,
  AutoRechargeState,
} from './auto-recharge.type.ts'

const columns = `enabled, threshold_credits AS "thresholdCredits", package_id AS "packageId",
  monthly_cap_cents AS "monthlyCapCents", last_recharge_at AS "lastRechargeAt",
  failure_reason AS "failureReason", state, payment_method AS "paymentMethod"`

interface StoredRecharge extends Omit<AutoRecharge, 'missing'> {
  /** The provider's id of the default method. */
  readonly paymentMethod: string
}

/** Whether the provider of the environment can charge a method while its holder is absent. */
type CanCharge = (paymentMethod: string) => boolean

const autoRechargeOf: Statement = {
  name: 'auto-recharge-of',
  text: `SELECT ${columns} FROM account.auto_recharge WHERE account_id = $1 AND environment = $2`,
}

const notConfigured: StoredRecharge = {
  enabled: false,
  thresholdCredits: null,
  packageId: null,
  monthlyCapCents: null,
  state: AutoRechargeState.idle,
  lastRechargeAt: null,
  failureReason: null,
  paymentMethod: noMethod,
}

/** The settings of recharging, its state, and what it lacks. */
export async function getAutoRecharge(
  database: Database,
  { accountId, environment }: AccountScope,
  canCharge: CanCharge,
): Promise<AutoRecharge> {
  const [stored] = await database.query<StoredRecharge>(autoRechargeOf, [accountId, environment])
  return withNeeds(stored ?? notConfigured, canCharge)
}

/** Whether credits are coming: a payment that needs its payer is not counted. */
export async function isRechargeUnderWay(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<boolean> {
  const [stored] = await database.query<StoredRecharge>(autoRechargeOf, [accountId, environment])
  return stored?.state === AutoRechargeState.pending
}

function withNeeds(stored: StoredRecharge, canCharge: CanCharge): AutoRecharge {
  const { paymentMethod, ...settings } = stored
  const needs = [
    { need: AutoRechargeNeed.threshold_credits, isThere: settings.thresholdCredits !== null },
    { need: AutoRechargeNeed.package_id, isThere: settings.packageId !== null },
    { need: AutoRechargeNeed.payment_method, isThere: canCharge(paymentMethod) },
  ]
  const missing = needs.filter(({ isThere }) => !isThere).map(({ need }) => need)
  return { ...settings, missing }
}

const addSettings: Statement = {
  name: 'auto-recharge-add',
  text: `INSERT INTO account.auto_recharge (account_id, environment) VALUES ($1, $2)
    ON CONFLICT DO NOTHING`,
}

const lockSettings: Statement = {
  name: 'auto-recharge-lock',
  text: `SELECT ${columns} FROM account.auto_recharge
    WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

/** Stores the settings; with $7, forgets declines and permits a recharge at once. */
const changeSettings: Statement = {
  name: 'auto-recharge-change',
  text: `UPDATE account.auto_recharge SET enabled = $3, threshold_credits = $4, package_id = $5,
      monthly_cap_cents = $6,
      declines = CASE WHEN $7 THEN 0 ELSE declines END,
      try_at = CASE WHEN $7 THEN now() ELSE try_at END,
      failure_reason = CASE WHEN $7 THEN NULL ELSE failure_reason END,
      state = CASE WHEN $7 AND state = 'suspended' THEN 'idle' ELSE state END
    WHERE account_id = $1 AND environment = $2 RETURNING ${columns}`,
}

interface Restriction {
  /**
   * Refuses callers that may not spend the account's money, or that need a fresh proof for it: such
   * a caller may only lower settings or turn them off. Null: the caller may.
   */
  readonly refuseMore: ((problems: readonly FieldError[]) => DomainError) | null
}

interface Conditions extends Restriction {
  readonly canCharge: CanCharge
  /** What the account pays for a package; asked only for one that `cappedPriceOf` has named. */
  readonly pricing: Pricing
}

/**
 * The net price of the package whose price with tax the monthly cap must cover after this change; null: no
 * cap needs a look at the tax.
 */
export async function cappedPriceOf(
  database: Database,
  { accountId, environment }: AccountScope,
  input: AutoRechargeInput,
): Promise<number | null> {
  const [stored] = await database.query<StoredRecharge>(autoRechargeOf, [accountId, environment])
  const known = stored ?? notConfigured
  const wanted = merge(known, input)
  return mayUndercut(known, wanted, input) ? priceUnderCap(wanted) : null
}

/**
 * Changes the settings, and tries again where declines had suspended recharging. Throws
 * INVALID_REQUEST for settings that could not work: a threshold above the package would start the
 * next recharge at once, and a cap below its price with tax would permit none.
 */
export async function configureAutoRecharge(
  tx: Transaction,
  owner: AccountScope,
  input: AutoRechargeInput,
  { refuseMore, canCharge, pricing }: Conditions,
): Promise<AutoRecharge> {
  const { accountId, environment } = owner
  const key = [accountId, environment]
  await tx.query(addSettings, key)
  // The restriction compares with the stored values, so the lock covers the comparison too.
  const [stored] = await tx.query<StoredRecharge>(lockSettings, key)
  if (!stored) throw new Error('A row that was just inserted is missing.')
  const more = refuseMore ? problemsOfMore(stored, input) : []
  if (refuseMore && more.length > 0) throw refuseMore(more)
  const wanted = merge(stored, input)
  if (isJudged(wanted, input)) {
    const netCents = mayUndercut(stored, wanted, input) ? priceUnderCap(wanted) : null
    const price = netCents === null ? null : await pricing(tx, owner, netCents)
    const hasMethod = input.enabled !== true || canCharge(stored.paymentMethod)
    requireWorkable(wanted, { totalCents: price?.totalCents ?? null, hasMethod })
  }
  // Only an operator ends the suspension by a dispute.
  const isSuspended = await isBlocked(tx, { accountId, environment })
  const startsAfresh = (!refuseMore || !wanted.enabled) && !isSuspended
  // A request without a change tries no declined card again, unless declines had suspended it.
  const revives = startsAfresh && stored.state === AutoRechargeState.suspended
  if (isSame(stored, wanted) && !revives) return withNeeds(stored, canCharge)
  const { enabled, thresholdCredits, packageId, monthlyCapCents } = wanted
  const [changed] = await tx.query<StoredRecharge>(changeSettings, [
    ...[...key, enabled, thresholdCredits, packageId, monthlyCapCents, startsAfresh],
  ])
  if (!changed) throw new Error('A locked row is missing.')
  return withNeeds(changed, canCharge)
}

type Settings = Pick<AutoRecharge, 'enabled' | 'thresholdCredits' | 'packageId' | 'monthlyCapCents'>

/** Every member that could make recharging spend more. */
function problemsOfMore(stored: StoredRecharge, input: AutoRechargeInput): FieldError[] {
  const { enabled, thresholdCredits, packageId, monthlyCapCents: cap } = stored
  const isOff = !enabled || stored.state === AutoRechargeState.suspended
  const isUncapped = input.monthlyCapCents === null && cap !== null
  const isCapRaised = isMore(input.monthlyCapCents, cap ?? Number.POSITIVE_INFINITY)
  const isOtherPackage = !isNone(input.packageId) && input.packageId !== packageId
  const isRaised = isMore(input.thresholdCredits, thresholdCredits ?? 0)
  const checks: readonly Check[] = [
    ['enabled', input.enabled !== true || !isOff, 'may only be turned off'],
    ['thresholdCredits', !isRaised, 'may only be lowered'],
    ['packageId', !isOtherPackage, 'may not be another'],
    ['monthlyCapCents', !isUncapped && !isCapRaised, 'may only be lowered'],
  ]
  return checks
    .filter(([, holds]) => !holds)
    .map(([field, , message]) => ({ field, in: 'body', message }))
}

/** The refusal for a role that never spends a customer's money. */
export function notForThisRole(details: readonly FieldError[]): DomainError {
  const named = details.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new DomainError('FORBIDDEN', `This role cannot spend a customer's money: ${named}.`, {
    details,
  })
}

/** The refusal for a session whose last proof is too old; the facade says how to prove it. */
export function notWithoutProof(): DomainError {
  return new DomainError('STEP_UP_REQUIRED', 'Spending more needs a fresh proof.')
}

function isMore(value: number | null | undefined, known: number): boolean {
  return !isNone(value) && Number(value) > known
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

function merge(stored: Settings, input: AutoRechargeInput): Settings {
  const { thresholdCredits, packageId, monthlyCapCents } = input
  return {
    enabled: input.enabled ?? stored.enabled,
    thresholdCredits: thresholdCredits === undefined ? stored.thresholdCredits : thresholdCredits,
    packageId: packageId === undefined ? stored.packageId : packageId,
    monthlyCapCents: monthlyCapCents === undefined ? stored.monthlyCapCents : monthlyCapCents,
  }
}

function isSame(stored: Settings, wanted: Settings): boolean {
  return (
    stored.enabled === wanted.enabled &&
    stored.thresholdCredits === wanted.thresholdCredits &&
    stored.packageId === wanted.packageId &&
    stored.monthlyCapCents === wanted.monthlyCapCents
  )
}

/** Whether the input has settings other than on and off. */
function isSetUp({ thresholdCredits, packageId, monthlyCapCents }: AutoRechargeInput): boolean {
  return [thresholdCredits, packageId, monthlyCapCents].some((member) => member !== undefined)
}

/** A package that is no longer sold must not prevent an account from turning recharging off. */
function isJudged({ enabled }: Settings, input: AutoRechargeInput): boolean {
  return enabled || isSetUp(input)
}

/** Whether the change can leave a cap below the price with tax. Any other change asks for no tax. */
function mayUndercut(stored: StoredRecharge, wanted: Settings, input: AutoRechargeInput): boolean {
  if (!isJudged(wanted, input)) return false
  const isOff = !stored.enabled || stored.state === AutoRechargeState.suspended
  return (
    (input.enabled === true && isOff) ||
    stored.packageId !== wanted.packageId ||
    stored.monthlyCapCents !== wanted.monthlyCapCents
  )
}

function offerOf({ packageId }: Settings) {
  return priceList.packages.find(({ id }) => id === packageId)
}

/** The net price of the package, if a cap covers it; null: there is no tax to look at. */
function priceUnderCap(settings: Settings): number | null {
  const { monthlyCapCents: cap } = settings
  const netCents = offerOf(settings)?.price_cents
  return netCents === undefined || cap === null || cap < netCents ? null : netCents
}

interface Found {
  /** The price of the package with tax; null: it was not looked at. */
  readonly totalCents: number | null
  /**
   * Whether the account has a method that can be charged; false only where recharging is turned on
   * without one.
   */
  readonly hasMethod: boolean
}

function requireWorkable(settings: Settings, { totalCents, hasMethod }: Found): void {
  const { enabled, thresholdCredits: threshold, packageId, monthlyCapCents: cap } = settings
  const offer = offerOf(settings)
  const most = offer?.credits ?? Number.MAX_SAFE_INTEGER
  const leastCap = totalCents ?? offer?.price_cents ?? 1
  requireAll([
    ['enabled', hasMethod, 'needs a stored payment method: buy with one first'],
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
      cap === null || cap >= leastCap,
      `must be at least ${leastCap}, the package's price${totalCents === null ? '' : ' with tax'}`,
    ],
  ])
}
