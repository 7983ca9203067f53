import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { usualPriority } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { planOf, priceList } from '../prices/price-list.ts'
import {
  burnGrants,
  insertAutoRecharge,
  insertEntries,
  insertGrant,
  insertKeywords,
  insertPayments,
  lockIfUnused,
  moveBack,
  type PeriodRow,
} from './demo-history.statements.ts'

/** What the demo account did before it was made. */
export interface DemoHistory {
  readonly accountId: string
  /** Its subscription and its add-ons began then, too. */
  readonly openedAt: Date
  /** When it ends, with this balance. */
  readonly endsAt: Date
  readonly closingBalance: number
  /** Everything here is in order of its time. */
  readonly charges: readonly DemoCharge[]
  readonly refunds: readonly DemoRefund[]
  readonly purchases: readonly DemoPurchase[]
  readonly keywords: readonly DemoKeyword[]
  readonly autoRecharge: DemoAutoRecharge
}

interface DemoCharge {
  readonly requestId: string
  readonly at: Date
  readonly credits: number
  /** As a hold has it: what the usage log must say. */
  readonly request: { readonly endpoint: string }
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

/** How it would be done, were it switched on. */
interface DemoAutoRecharge {
  readonly thresholdCredits: number
  readonly packageId: string
  readonly monthlyCapCents: number
}

/**
 * A seed, for the demo account and no other: writes live history that did not happen, because the real
 * functions know no time but now. Does so once, to an account whose ledger is empty; returns whether.
 * The books are right afterwards: balance, hash chain, expiring grants, invoices.
 */
export async function writeDemoHistory(
  transaction: Queryable,
  history: DemoHistory,
): Promise<boolean> {
  const { accountId, openedAt, keywords } = history
  const unused = await transaction.query(lockIfUnused, [accountId])
  if (unused.length === 0) return false
  const periods = await transaction.query<PeriodRow>(moveBack, [accountId, openedAt])
  const allowances = periods.flatMap((row) => toAllowance(row, history))
  const payments = history.purchases.flatMap(toPayment)
  await transaction.query(insertPayments, [accountId, JSON.stringify(payments)])
  const { thresholdCredits, packageId, monthlyCapCents } = history.autoRecharge
  await transaction.query(insertAutoRecharge, [
    ...[accountId, thresholdCredits, packageId, monthlyCapCents],
  ])
  const tracked = keywords.map((one) => ({ ...one, id: newId('kw', one.at.getTime()) }))
  await transaction.query(insertKeywords, [accountId, JSON.stringify(tracked)])
  const entries = numbered(balanced(history, postingsOf(history, allowances, payments)))
  await transaction.query(insertEntries, [accountId, JSON.stringify(entries)])
  await catchUpGrants(transaction, history, entries)
  return true
}

interface Posting {
  readonly kind: LedgerEntryKind
  readonly at: Date
  readonly credits: number
  readonly description: string
  /** An expiry's is its number in the ledger. */
  readonly ref: string | null
  readonly request?: object
  /** When what is left of it expires. */
  readonly expiresAt?: Date
}

/** The job that turns periods is a second late, as is the one that expires grants. */
const jobDelayMs = 1000

/** What a period brings, and what is left of that at its end. */
function toAllowance(
  { tier, starts_at: startsAt, ends_at: endsAt }: PeriodRow,
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

/** Nothing for a package that is not on sale. */
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
  { charges, refunds }: DemoHistory,
  allowances: readonly Posting[],
  payments: readonly ReturnType<typeof toPayment>[number][],
): Posting[] {
  const postings: Posting[] = [
    ...charges.map(({ requestId: ref, at, credits, request }) => ({
      ...{ kind: LedgerEntryKind.charge, at, credits: -credits, ref, request },
      description: request.endpoint,
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
 * An opening balance that makes all end as it should. Prices may be such that it must be larger, or
 * something before would fall below zero: then a correction takes back what is too much.
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

/** Of the allowance whose period lasts, what was spent since is taken, as it always is. */
async function catchUpGrants(
  transaction: Queryable,
  { accountId, endsAt }: DemoHistory,
  entries: readonly Entry[],
): Promise<void> {
  const open = entries.find(({ expiresAt }) => expiresAt && expiresAt > endsAt)
  if (!open) return
  const { seq, expiresAt, credits } = open
  await transaction.query(insertGrant, [accountId, seq, usualPriority, expiresAt, credits])
  await transaction.query(burnGrants, [accountId])
}
