import type { Operation } from '../../schema/catalog/operation.ts'
import type { AccountCaller } from '../../schema/credentials/caller.ts'
import type { BodyOf } from '../../schema/generated/operations.ts'
import { countedCredits } from '../../schema/vocabulary/counted-credits.ts'
import type { BudgetDetail, Remedy } from '../../schema/vocabulary/error-codes.ts'
import { coversScope } from '../../schema/vocabulary/scopes.ts'
import type { Execute } from '../graph/graph-client.ts'
import { ApiError } from '../http/errors.ts'

/** Why credits do not cover a call. */
export interface Shortage {
  /** The most that the call can cost. */
  readonly needed: number
  /** The balance less open holds and expired credits. */
  readonly available: number
  /** Whether the balance refuses the call. It is named where budgets refuse too. */
  readonly isOfBalance: boolean
  /** Every budget that refuses the call. */
  readonly refusing: readonly BudgetDetail[]
  /** The price of a unit, if the request says how many there may be; null for any other price. */
  readonly unitCredits: number | null
  /** Replaces the message, in scenarios of the sandbox. */
  readonly message?: string
}

/** The price of a unit, if the request says how many there may be; null for any other price. */
export function unitCreditsOf({ price }: Pick<Operation, 'price'>): number | null {
  return price.isBounded ? price.creditsPerUnit : null
}

export interface ShortageOptions {
  readonly execute: Execute
  /** The page to buy credits on; null: there is none. */
  readonly topUpUrl: string | null
}

/** A recharge takes a few seconds; then the call may be covered. */
const rechargeSeconds = 5

/**
 * The 402 of a call, and what would fix it (docs/contract.md §2). It has no amounts that the caller may not read.
 * Never rejects.
 */
export async function explainShortage(
  shortage: Shortage,
  caller: AccountCaller,
  { execute, topUpUrl }: ShortageOptions,
  read = () => readTopUp(execute, caller),
): Promise<ApiError> {
  const { isOfBalance, refusing } = shortage
  const topUp = isOfBalance ? await read() : nothingToBuy
  const tightest = refusing.toSorted((one, other) => leftOf(one) - leftOf(other))[0]
  const maySeeCredits = coversScope(caller.scopes, 'account:read')
  const remedy: Remedy = {
    needed: shortage.needed,
    ...(maySeeCredits && spendableOf(shortage)),
    ...(isOfBalance && topUpUrl !== null && { top_up_url: topUpUrl }),
    ...packageOf(shortage, topUp.packages, coversScope(caller.scopes, 'billing:read')),
    ...(tightest && { budget: tightest }),
  }
  if (!isOfBalance) {
    const logged = tightest && { layer: tightest.of, limit: tightest.limit_credits }
    const message = shortage.message ?? messageOfBudgets(shortage)
    return new ApiError('BUDGET_EXCEEDED', message, { details: refusing, remedy, logged })
  }
  const headers = topUp.is_recharging ? { 'Retry-After': String(rechargeSeconds) } : undefined
  const message = shortage.message ?? messageOfBalance(shortage, maySeeCredits)
  const logged = { layer: 'balance' }
  return new ApiError('INSUFFICIENT_CREDITS', message, { remedy, logged, headers })
}

function messageOfBalance({ needed, available }: Shortage, maySeeCredits: boolean): string {
  const left = maySeeCredits
    ? `${available} ${available === 1 ? 'is' : 'are'} available`
    : 'fewer are available'
  return `This request can cost ${countedCredits(needed)}; ${left}.`
}

const namesOf: Readonly<Record<BudgetDetail['of'], string>> = {
  key: 'the API key',
  consent: 'the consent',
  external_id: 'the external id',
  account: 'the account',
  max_credits: 'the call',
}

const spans: Readonly<Record<BudgetDetail['period'], string>> = {
  day: 'for the day',
  week: 'for the week',
  month: 'for the month',
  total: 'in total',
}

/** The message of a 402. It is not a 429, because clients retry a 429. */
function messageOfBudgets({ needed, refusing }: Shortage): string {
  const named = refusing.map(
    ({ of, period, remaining_credits }) =>
      `the budget of ${namesOf[of]} ${spans[period]} has ${remaining_credits} left`,
  )
  return `This request can cost ${countedCredits(needed)}; ${named.join('; ')}.`
}

function leftOf({ remaining_credits }: BudgetDetail): number {
  return remaining_credits
}

/** Budgets that do not refuse the call have at least what it needs, so they do not bound it. */
function spendableOf({ available, refusing, unitCredits }: Shortage) {
  const spendable = Math.min(available, ...refusing.map(leftOf))
  const units = unitCredits === null ? null : Math.max(0, Math.floor(spendable / unitCredits))
  return { spendable, affordable_units: units }
}

export type TopUp = BodyOf<'ReadTopUp'>

const nothingToBuy: TopUp = { packages: [], is_recharging: false }

/** What the account can buy. The call is refused in any case: what cannot be read is left out. */
export async function readTopUp(execute: Execute, caller: AccountCaller): Promise<TopUp> {
  try {
    return await execute('ReadTopUp', {}, caller)
  } catch {
    return nothingToBuy
  }
}

/** The cheapest package that covers what is lacking, or else the largest. */
function packageOf(
  { needed, available, isOfBalance }: Shortage,
  packages: TopUp['packages'],
  maySeePrices: boolean,
): Pick<Remedy, 'package'> {
  if (!isOfBalance) return {}
  const [cheapest] = packages
    .filter(({ credits }) => credits >= needed - available)
    .toSorted((one, other) => one.price_cents - other.price_cents)
  const [largest] = packages.toSorted((one, other) => other.credits - one.credits)
  const best = cheapest ?? largest
  if (!best) return {}
  const { id, credits, price_cents, currency } = best
  return { package: { id, credits, ...(maySeePrices && { price_cents, currency }) } }
}
