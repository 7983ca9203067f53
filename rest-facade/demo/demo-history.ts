import { newId } from '../../schema/vocabulary/ids.ts'
import { type DemoHistory, writeDemoHistory } from '../../subgraphs/account/index.ts'
import { inOwnerTransaction } from '../../subgraphs/shared/database/owner-transaction.ts'
import { EnvironmentValue } from '../../subgraphs/shared/graph/environment.type.ts'
import { recordUsage } from '../../subgraphs/usage/index.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import { type DemoCall, dayMs, pastCall, pastCalls, type Random } from './demo-calls.ts'

interface HistoryOptions {
  readonly ownerUrl: string
  readonly catalog: Catalog
  readonly accountId: string
  /** The balance of the account afterwards. */
  readonly closingBalance: number
}

/**
 * Seeds the demo account with some weeks of invented usage, charges and purchases. It writes in one
 * transaction, and only to an account without entries. Returns whether it has written.
 */
export function writeHistory({ ownerUrl, ...options }: HistoryOptions): Promise<boolean> {
  const { accountId } = options
  const { calls, ...history } = inventHistory(options, Date.now())
  return inOwnerTransaction(ownerUrl, async (transaction) => {
    const isWritten = await writeDemoHistory(transaction, history)
    if (!isWritten) return false
    const owner = { accountId, environment: EnvironmentValue.live }
    // None of the present keys has made them.
    await recordUsage(
      transaction,
      calls.map((call) => ({ ...call, ...owner, keyId: null })),
    )
    return true
  })
}

/** Days before the start, and the time of day in UTC. */
type Moment = readonly [days: number, time: string]

const openedAt: Moment = [78, '09:12:47.310']

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

const refundedFrom: Moment = [9, '00:00:00.000']
const refundDelayMs = 5 * 3_600_000
/** A charge that a customer would dispute. */
const refundedCreditsMin = 20

type History = DemoHistory & { readonly calls: readonly DemoCall[] }

function inventHistory(
  { catalog, accountId, closingBalance }: Omit<HistoryOptions, 'ownerUrl'>,
  nowMs: number,
): History {
  const random = seededRandom(20_261_121)
  const at = ([days, time]: Moment) => {
    const day = new Date(nowMs - days * dayMs).toISOString().slice(0, 10)
    return new Date(`${day}T${time}Z`)
  }
  const bought = purchases.map(([moment, packageId]) => ({ packageId, at: at(moment) }))
  const tracked = keywords.map(([moment, keyword, country, device]) => ({
    ...{ keyword, domain: 'acme.example', country, device, at: at(moment) },
  }))
  const calls = [
    ...pastCalls(catalog, nowMs, random),
    ...bought.map((one) => pastCall('post', '/billing/checkout', one.at, random)),
    ...tracked.map((one) =>
      pastCall('post', '/account/addons/rank-tracking/keywords', one.at, random),
    ),
  ]
  const charges = chargesOf(calls, newId('proc', at(openedAt).getTime()))
  const complaint = charges.find(
    (charge) =>
      charge.credits >= refundedCreditsMin &&
      charge.at >= at(refundedFrom) &&
      charge.at.getTime() < nowMs - refundDelayMs,
  )
  return {
    ...{ accountId, openedAt: at(openedAt), endsAt: new Date(nowMs), closingBalance },
    ...{ calls, charges, purchases: bought, keywords: tracked, autoRecharge },
    refunds: complaint ? [refundOf(complaint)] : [],
  }
}

type Charge = DemoHistory['charges'][number]

/** A call is charged when it is answered. */
function chargesOf(calls: readonly DemoCall[], processId: string): Charge[] {
  return calls
    .filter(({ credits }) => credits > 0)
    .map(({ requestId, ts, credits, latencyMs, ...call }) => {
      const { method, endpoint, route, service, traceId, backendModule } = call
      return {
        ...{ requestId, credits, at: new Date(ts.getTime() + latencyMs) },
        request: {
          ...{ ts: ts.toISOString(), method, endpoint, route, service, traceId, backendModule },
          ...{ keyId: null, processId },
        },
      }
    })
}

function refundOf({ requestId, credits, at }: Charge): DemoHistory['refunds'][number] {
  const reason = 'The result was incomplete'
  return { requestId, credits, at: new Date(at.getTime() + refundDelayMs), reason }
}

/** The same numbers at every start: mulberry32. */
function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
