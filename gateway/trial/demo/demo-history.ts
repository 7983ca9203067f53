import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import {
  type DemoCharge,
  type DemoHistory,
  takeDemoCharges,
  writeDemoHistory,
} from '../../../subgraphs/account/index.ts'
import { inOwnerTransaction } from '../../../subgraphs/shared/database/owner-transaction.ts'
import { EnvironmentValue } from '../../../subgraphs/shared/graph/environment.type.ts'
import { recordUsage } from '../../../subgraphs/usage/index.ts'
import { type DemoCall, dayMs, pastCall, pastCalls, seededRandom } from './demo-calls.ts'
import { ownCalls, writeDemoObjects } from './demo-customers.ts'

interface HistoryOptions {
  readonly ownerUrl: string
  readonly catalog: Catalog
  readonly accountId: string
}

interface CompletionOptions extends HistoryOptions {
  /** The `<svc>` of keys. */
  readonly keyPrefix: string
}

interface BooksOptions extends HistoryOptions {
  /** The balance of the account after the invented history. */
  readonly closingBalance: number
}

/**
 * Seeds the demo account with the charges and purchases of some weeks of invented usage. It writes in
 * one transaction, and only to an account without entries. Returns whether it has written.
 */
export function writeBooks({ ownerUrl, ...options }: BooksOptions): Promise<boolean> {
  const history = inventHistory(options, Date.now())
  return inOwnerTransaction(ownerUrl, (transaction) => writeDemoHistory(transaction, history))
}

/**
 * Writes the usage log that belongs to these books, unless it is there: their charges, and calls that
 * cost nothing. The customers that made them come with their keys and budgets, and so does what else the
 * account has. It writes in one transaction, and may run beside calls of the account. Returns whether it
 * has written.
 */
export function completeHistory(options: CompletionOptions): Promise<boolean> {
  const { ownerUrl, catalog, accountId, keyPrefix } = options
  return inOwnerTransaction(ownerUrl, async (transaction) => {
    const books = await takeDemoCharges(transaction, accountId)
    if (!books) return false
    const endsAtMs = books.openedAt.getTime() + openedDaysBefore * dayMs
    const free = inventCalls(catalog, endsAtMs).filter(({ credits }) => credits === 0)
    const invented = [...books.charges.map(toCall), ...free]
    const byTime = invented.sort((one, other) => one.ts.getTime() - other.ts.getTime())
    const owners = ownCalls(byTime, { catalog, endsAtMs, random: seededRandom(20_261_201) })
    const owner = { accountId, environment: EnvironmentValue.live }
    await recordUsage(
      transaction,
      owners.calls.map((call) => ({ ...call, ...owner })),
    )
    await writeDemoObjects(transaction, { ...owners, accountId, keyPrefix, endsAtMs })
    return true
  })
}

/** Days before the end of the history, and the time of day in UTC. */
type Moment = readonly [days: number, time: string]

/** A whole number of days, so that the opening tells the end of the history to the millisecond. */
const openedDaysBefore = 78

const purchases: readonly (readonly [Moment, string])[] = [
  [[70, '10:03:21.874'], 'pack_starter'],
  [[38, '14:40:09.512'], 'pack_growth'],
  [[12, '08:55:33.046'], 'pack_starter'],
]

const keywords: readonly (readonly [Moment, string, string, 'desktop' | 'mobile'])[] = [
  [[40, '11:20:15.204'], 'industrial robots', 'US', 'desktop'],
  [[40, '11:20:41.977'], 'collaborative robot arm', 'US', 'desktop'],
  [[40, '11:21:18.660'], 'robot maintenance', 'US', 'mobile'],
  [[31, '15:02:54.081'], 'industrieroboter', 'DE', 'desktop'],
  [[31, '15:03:22.459'], 'industrieroboter', 'DE', 'mobile'],
  [[22, '09:47:06.733'], 'robot industriel', 'FR', 'desktop'],
  [[13, '16:11:38.902'], 'warehouse automation', 'GB', 'desktop'],
  [[5, '10:29:50.118'], 'palletizing robot price', 'US', 'mobile'],
]

const autoRecharge = {
  thresholdCredits: 1000,
  packageId: 'pack_growth',
  monthlyCapCents: 20_000,
}

const refundedSince: Moment = [9, '00:00:00.000']
const refundDelayMs = 5 * 3_600_000
/** A charge that a customer would dispute. */
const refundedCreditsMin = 20

function inventHistory(
  { catalog, accountId, closingBalance }: Omit<BooksOptions, 'ownerUrl'>,
  endsAtMs: number,
): DemoHistory {
  const openedAt = new Date(endsAtMs - openedDaysBefore * dayMs)
  const charges = chargesOf(inventCalls(catalog, endsAtMs))
  const refundedFrom = at(refundedSince, endsAtMs)
  const complaint = charges.find(
    (charge) =>
      charge.credits >= refundedCreditsMin &&
      charge.at >= refundedFrom &&
      charge.at.getTime() < endsAtMs - refundDelayMs,
  )
  return {
    ...{ accountId, openedAt, endsAt: new Date(endsAtMs), closingBalance, charges, autoRecharge },
    purchases: purchases.map(([moment, packageId]) => ({ packageId, at: at(moment, endsAtMs) })),
    keywords: keywords.map(([moment, keyword, country, device]) => ({
      ...{ keyword, domain: 'acme.example', country, device, at: at(moment, endsAtMs) },
    })),
    refunds: complaint ? [refundOf(complaint)] : [],
  }
}

/** Invents calls up to this end. A second run for the same end invents the same calls, with other ids. */
function inventCalls(catalog: Catalog, endsAtMs: number): DemoCall[] {
  const random = seededRandom(20_261_121)
  return [
    ...pastCalls(catalog, endsAtMs, random),
    ...purchases.map(([moment]) =>
      pastCall('post', '/billing/checkout', at(moment, endsAtMs), random),
    ),
    ...keywords.map(([moment]) =>
      pastCall('post', '/account/addons/rank-tracking/keywords', at(moment, endsAtMs), random),
    ),
  ]
}

function at([days, time]: Moment, endsAtMs: number): Date {
  const day = new Date(endsAtMs - days * dayMs).toISOString().slice(0, 10)
  return new Date(`${day}T${time}Z`)
}

/** A call is charged when it is answered. */
function chargesOf(calls: readonly DemoCall[]): DemoCharge[] {
  return calls
    .filter(({ credits }) => credits > 0)
    .map(({ requestId, ts, credits, latencyMs, ...call }) => ({
      ...{ requestId, credits, at: new Date(ts.getTime() + latencyMs) },
      request: { ...call, ts: ts.toISOString(), keyId: null },
    }))
}

/** The call of a charge: the reverse of `chargesOf`. */
function toCall({ requestId, credits, at, request }: DemoCharge): DemoCall {
  const ts = new Date(request.ts)
  return { ...request, requestId, credits, ts, latencyMs: at.getTime() - ts.getTime() }
}

function refundOf({ requestId, credits, at }: DemoCharge): DemoHistory['refunds'][number] {
  const reason = 'The result was incomplete'
  return { requestId, credits, at: new Date(at.getTime() + refundDelayMs), reason }
}
