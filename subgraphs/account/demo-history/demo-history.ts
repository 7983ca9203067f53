import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { usualPriority } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { currentBuyer, currentSeller } from '../payments/invoices/invoice-parties.service.ts'
import { planOf, priceList } from '../prices/price-list.ts'
import {
  burnGrants,
  chargesOfProcess,
  insertAutoRecharge,
  insertEntries,
  insertKeywords,
  insertLots,
  insertPayments,
  listProcess,
  lockIfUnused,
  moveBack,
  type PastPeriod,
  takeProcess,
} from './demo-history.statements.ts'

/** The invented past of the demo account. */
export interface DemoHistory {
  readonly accountId: string
  /** When the account was opened, and its subscription and add-ons began. */
  readonly openedAt: Date
  /** The end of the history, at which the account has this balance. */
  readonly endsAt: Date
  readonly closingBalance: number
  /** The charges in order of time, as all lists here. */
  readonly charges: readonly DemoCharge[]
  readonly refunds: readonly DemoRefund[]
  readonly purchases: readonly DemoPurchase[]
  readonly keywords: readonly DemoKeyword[]
  readonly autoRecharge: DemoAutoRecharge
}

export interface DemoCharge {
  readonly requestId: string
  /** The time of the answer. */
  readonly at: Date
  readonly credits: number
  readonly request: DemoRequest
}

/** The data for the usage log, as a hold has it, and the status of the answer. */
interface DemoRequest {
  /** The arrival: ISO 8601. */
  readonly ts: string
  readonly method: string
  readonly endpoint: string
  readonly route: string
  readonly service: string
  readonly status: number
  readonly traceId: string
  readonly backendModule: string
  readonly keyId: null
}

interface DemoRefund {
  readonly requestId: string
  readonly at: Date
  readonly credits: number
  readonly reason: string
}

interface DemoPurchase {
  readonly packageId: string
  readonly at: Date
}

interface DemoKeyword {
  readonly keyword: string
  readonly domain: string
  readonly country: string
  readonly device: 'desktop' | 'mobile'
  readonly at: Date
}

/** The settings of recharging, which is switched off. */
interface DemoAutoRecharge {
  readonly thresholdCredits: number
  readonly packageId: string
  readonly monthlyCapCents: number
}

/**
 * Writes live history that did not happen, for the demo account only. The real functions cannot do
 * this, because they know only the present time. It needs an account with an empty ledger, and
 * returns whether it was empty. The books are right afterwards: balance, hash chain, lots and
 * invoices. The charges are not in the usage log yet (`takeDemoCharges`).
 */
export async function writeDemoHistory(
  transaction: Queryable,
  history: DemoHistory,
): Promise<boolean> {
  const { accountId, openedAt, keywords } = history
  const unused = await transaction.query(lockIfUnused, [accountId])
  if (unused.length === 0) return false
  const periods = await transaction.query<PastPeriod>(moveBack, [accountId, openedAt])
  const allowances = periods.flatMap((period) => toAllowance(period, history))
  const payments = history.purchases.flatMap(toPayment)
  const owner = { accountId, environment: 'live' } as const
  await transaction.query(insertPayments, [
    ...[accountId, JSON.stringify(payments)],
    ...[currentSeller(), await currentBuyer(transaction, owner)],
  ])
  const { thresholdCredits, packageId, monthlyCapCents } = history.autoRecharge
  await transaction.query(insertAutoRecharge, [
    ...[accountId, thresholdCredits, packageId, monthlyCapCents],
  ])
  const tracked = keywords.map((one) => ({ ...one, id: newId('kw', one.at.getTime()) }))
  await transaction.query(insertKeywords, [accountId, JSON.stringify(tracked)])
  const entries = numbered(balanced(history, postingsOf(history, allowances, payments)))
  await transaction.query(insertEntries, [accountId, JSON.stringify(entries)])
  await transaction.query(insertLots, [accountId, JSON.stringify(lotsOf(entries)), usualPriority])
  await transaction.query(burnGrants, [accountId])
  await transaction.query(listProcess, [processOf(accountId), openedAt])
  return true
}

/** The charges of a demo account that the usage log lacks. */
export interface DemoCharges {
  /** See `DemoHistory`. */
  readonly openedAt: Date
  /** In order of time. */
  readonly charges: readonly DemoCharge[]
}

/**
 * Returns the charges for the caller to write into the usage log in the same transaction, and notes
 * that the log has them; null if it has them already. Of several callers one gets them.
 */
export async function takeDemoCharges(
  transaction: Queryable,
  accountId: string,
): Promise<DemoCharges | null> {
  const processId = processOf(accountId)
  const [taken] = await transaction.query<{ openedAt: Date }>(takeProcess, [processId])
  if (!taken) return null
  const charges = await transaction.query<DemoCharge>(chargesOfProcess, [accountId, processId])
  return { ...taken, charges }
}

/** The process that made the charges of the history, which has never run. */
function processOf(accountId: string): string {
  return accountId.replace(/^acct_/, 'proc_')
}

interface Posting {
  readonly kind: LedgerEntryKind
  readonly at: Date
  readonly credits: number
  readonly description: string
  /** The reference of the entry; null for an expiry, whose reference is its number in the ledger. */
  readonly ref: string | null
  readonly request?: object
  /** The time at which the remaining credits expire. */
  readonly expiresAt?: Date
}

/** The jobs that renew periods and expire grants run a second late. */
const jobDelayMs = 1000

/** The allowance of a period, and the expiry of the credits that remain at its end. */
function toAllowance(
  { tier, startsAt, endsAt }: PastPeriod,
  { charges, endsAt: now }: DemoHistory,
): Posting[] {
  const { name, monthly_credits: credits } = planOf(tier)
  const granted = {
    ...{ kind: LedgerEntryKind.allowance, credits, description: `${name} subscription` },
    at: new Date(startsAt.getTime() + jobDelayMs),
    ref: `allowance:${startsAt.toISOString()}`,
    expiresAt: endsAt,
  }
  const spent = charges
    .filter(({ at }) => at > granted.at && at <= endsAt)
    .reduce((sum, charge) => sum + charge.credits, 0)
  if (endsAt > now || spent >= credits) return [granted]
  const rest = { credits: spent - credits, description: 'Expired credits', ref: null }
  return [granted, { ...rest, kind: LedgerEntryKind.expiry, at: endsAt }]
}

/** The payment of a purchase; none for a package that is not on sale. */
function toPayment({ packageId, at }: DemoPurchase) {
  const { currency, packages } = priceList
  return packages
    .filter(({ id }) => id === packageId)
    .map(({ tier, name, credits, price_cents }) => ({
      ...{ id: newId('pay', at.getTime()), invoice_id: newId('inv', at.getTime()) },
      ...{ package_id: packageId, package_name: name, tier, credits, price_cents, currency, at },
      description: `${name} package`,
    }))
}

function postingsOf(
  { accountId, charges, refunds }: DemoHistory,
  allowances: readonly Posting[],
  payments: readonly ReturnType<typeof toPayment>[number][],
): Posting[] {
  const processId = processOf(accountId)
  const postings: Posting[] = [
    ...charges.map(({ requestId: ref, at, credits, request }) => ({
      ...{ kind: LedgerEntryKind.charge, at, credits: -credits, ref },
      ...{ request: { ...request, processId }, description: request.endpoint },
    })),
    ...refunds.map(({ requestId: ref, at, credits, reason: description }) => ({
      ...{ kind: LedgerEntryKind.refund, at, credits, description, ref },
    })),
    ...payments.map(({ id: ref, at, credits, description }) => ({
      ...{ kind: LedgerEntryKind.purchase, at, credits, description, ref },
    })),
    ...allowances,
  ]
  return postings.sort((a, b) => a.at.getTime() - b.at.getTime())
}

/**
 * Adds an opening balance that leads to the closing balance. With some prices it must be larger, or
 * an earlier balance would be negative: then a correction removes the surplus at the end.
 */
function balanced(
  { openedAt, endsAt, closingBalance }: DemoHistory,
  postings: readonly Posting[],
): Posting[] {
  let sum = 0
  let lowest = 0
  for (const { credits } of postings) {
    sum += credits
    lowest = Math.min(lowest, sum)
  }
  const opening = Math.max(-lowest, closingBalance - sum)
  const correction = closingBalance - sum - opening
  const all: Posting[] = [
    {
      ...{ kind: LedgerEntryKind.grant, at: openedAt, credits: opening },
      ...{ description: 'Opening balance', ref: 'opening-balance' },
    },
    ...postings,
    {
      ...{ kind: LedgerEntryKind.adjustment, at: endsAt, credits: correction },
      ...{ description: 'Demo balance', ref: 'demo-balance' },
    },
  ]
  return all.filter(({ credits }) => credits !== 0)
}

interface Entry extends Posting {
  readonly id: string
  readonly seq: number
  readonly balance_after: number
}

function numbered(postings: readonly Posting[]): Entry[] {
  let balanceAfter = 0
  return postings.map((posting, index) => {
    const seq = index + 1
    balanceAfter += posting.credits
    const ref = posting.ref ?? `expiry:${seq}`
    const id = newId('led', posting.at.getTime())
    return { ...posting, ref, id, seq, balance_after: balanceAfter }
  })
}

interface Lot extends Entry {
  remaining: number
  expired: number
}

/** The lots of the entries, burned in the order in which the lots of every account burn. */
function lotsOf(entries: readonly Entry[]): Lot[] {
  const lots: Lot[] = []
  for (const entry of entries) {
    if (entry.credits > 0) lots.push({ ...entry, remaining: entry.credits, expired: 0 })
    else burn(lots, entry)
  }
  return lots
}

function burn(lots: readonly Lot[], { kind, credits }: Entry): void {
  let left = -credits
  for (const lot of lots.toSorted((a, b) => endOf(a) - endOf(b) || a.seq - b.seq)) {
    const taken = Math.min(left, lot.remaining)
    lot.remaining -= taken
    if (kind === LedgerEntryKind.expiry) lot.expired += taken
    left -= taken
  }
}

function endOf({ expiresAt }: Lot): number {
  return expiresAt?.getTime() ?? Number.MAX_SAFE_INTEGER
}
