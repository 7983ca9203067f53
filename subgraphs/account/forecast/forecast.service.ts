import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { readSpentDaysText, type SpentDays } from '../../../schema/vocabulary/spent-days.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { rechargeAsking } from '../payments/recharge-asking.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { dayMs, endOfDay, horizonDays } from './calendar.ts'
import { describeDays, weekAhead } from './daily-use.ts'
import type { BurnDownPoint, Forecast, RunOut } from './forecast.type.ts'
import { drawFutures, type Futures, type Recharging } from './futures.ts'
import { type AccountOutlook, readOutlook } from './outlook.service.ts'

const maxExpiring = 10
/** The chart of credits that never run out. */
const usualChartDays = 90
const chartPoints = 30

/** When the credits of the caller run out, if it goes on as in the days that the usage subgraph has counted. */
export async function forecast(
  context: AccountContext,
  { spentDays }: Pick<Forecast, 'spentDays'>,
): Promise<Forecast> {
  const caller = requireAccount(context)
  const outlook = await readOutlook(await rechargeAsking(context, caller), caller)
  const { asOf, available, recharging, renewal, expiring } = outlook
  const history = historyOf(readSpentDaysText(spentDays), outlook)
  const use = describeDays(history ?? [])
  const futures = history && (await drawFutures({ ...outlook, use }))
  return {
    ...{ spentDays, asOf, available },
    runOut: futures && runOutOf(futures, asOf),
    burnDown: futures ? burnDownOf(futures, outlook) : [],
    drivers: {
      days: history?.length ?? 0,
      creditsPerDay: use.mean,
      weekdayStrength: use.weekdayStrength,
      weekAhead: history ? weekAhead(use) : [],
      expiring: expiring.slice(0, maxExpiring),
      renewal,
      autoRecharge:
        recharging && coversScope(caller.scopes, 'billing:read') ? shownOf(recharging) : null,
    },
  }
}

/**
 * The credits of the whole days since the account was opened, at most 30, oldest first. On the second day there is no whole
 * one yet: then it is one day at the pace since the beginning. Null: the account is not a day old.
 */
function historyOf(
  { today, credits, creditsToday }: SpentDays,
  { asOf, createdAt }: AccountOutlook,
): number[] | null {
  const ageDays = (asOf.getTime() - createdAt.getTime()) / dayMs
  if (ageDays < 1) return null
  const wholeDays = Math.floor((today.getTime() - createdAt.getTime()) / dayMs)
  if (wholeDays >= 1) return credits.slice(-wholeDays)
  return [((credits.at(-1) ?? 0) + creditsToday) / ageDays]
}

function runOutOf({ runsOutInDays }: Futures, asOf: Date): RunOut | null {
  const { low, likely, high } = runsOutInDays
  const atOf = (days: number) =>
    days > horizonDays ? null : new Date(Math.floor(asOf.getTime() + days * dayMs))
  return low > horizonDays
    ? null
    : { earlyAt: atOf(low), likelyAt: atOf(likely), lateAt: atOf(high) }
}

/** Points from now until the range of the end is over, about thirty. */
function burnDownOf(futures: Futures, { asOf, available }: AccountOutlook): BurnDownPoint[] {
  const { low, likely, high } = futures.runsOutInDays
  const ends = [high, likely, low].filter((days) => days <= horizonDays)
  const lastDay = Math.min(
    horizonDays - 1,
    Math.ceil(Math.max(...ends, ends.length > 0 ? 1 : usualChartDays)),
  )
  const step = Math.ceil((lastDay + 1) / chartPoints)
  const shown = Array.from({ length: lastDay + 1 }, (_, day) => day).filter(
    (day) => day % step === 0 || day === lastDay,
  )
  const now = { endsAt: asOf, low: available, likely: available, high: available }
  const later = shown.map((day) => {
    const left = futures.leftAfter(day)
    return {
      endsAt: new Date(Math.round(asOf.getTime() + endOfDay(asOf, day) * dayMs)),
      ...{
        low: Math.round(left.low),
        likely: Math.round(left.likely),
        high: Math.round(left.high),
      },
    }
  })
  return [now, ...later]
}

function shownOf({ thresholdCredits, credits, leftThisMonth }: Recharging) {
  return {
    ...{ thresholdCredits, credits },
    leftThisMonth: Number.isFinite(leftThisMonth) ? leftThisMonth : null,
  }
}
