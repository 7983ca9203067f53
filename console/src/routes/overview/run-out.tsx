import type { Forecast, RunOut } from 'credit-gateway-sdk'
import { lazy, type ReactNode, Suspense } from 'react'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import type { Read } from '../../data/read.ts'
import { creditsText, integer } from '../../format/numbers.ts'
import { loadPart } from '../../parts.ts'

const BurnDown = lazy(() => loadPart(() => import('./burn-down.tsx')))

/** When the credits run out, as a burn-down with its range, and what the forecast was made from. */
export function RunsOut({ forecast }: { readonly forecast: Read<Forecast> }) {
  const { data, error } = forecast
  return (
    <Card title="When your credits run out">
      <div className="card-body stack">
        {error && <ProblemNotice error={error} retry={() => void forecast.refetch()} />}
        {forecast.isLoading && <Loading what="the forecast" />}
        {data && <p>{sentenceOf(data)}</p>}
        {data && data.burn_down.length > 0 && (
          <Suspense fallback={<Loading what="the chart" />}>
            <BurnDown points={data.burn_down} />
          </Suspense>
        )}
        {data && data.drivers.days > 0 && <Basis forecast={data} />}
      </div>
    </Card>
  )
}

function sentenceOf({ runs_out_at, drivers, available }: Forecast): ReactNode {
  if (available <= 0) return 'You have no credits left.'
  if (drivers.days === 0) return 'Your account is less than a day old. A forecast needs one day.'
  if (!runs_out_at) return 'At the pace of the last days, your credits last for more than a year.'
  return <RangeOf range={runs_out_at} />
}

/** The middle of the range first. Its ends may be beyond a year, the late one before the others. */
function RangeOf({ range: { early, likely, late } }: { readonly range: RunOut }) {
  if (!likely || !early) {
    return (
      <>
        Your credits probably last for more than a year, but they may run out
        {early ? (
          <>
            {' '}
            on <Time at={early} as="day" />
          </>
        ) : (
          ' earlier'
        )}
        .
      </>
    )
  }
  return (
    <>
      Your credits will probably run out on{' '}
      <strong>
        <Time at={likely} as="day" />
      </strong>
      {late ? (
        <>
          : between <Time at={early} as="day" /> and <Time at={late} as="day" /> in 8 of 10 possible
          futures.
        </>
      ) : (
        <>
          , perhaps as early as <Time at={early} as="day" />, perhaps not within a year.
        </>
      )}
    </>
  )
}

function Basis({ forecast: { drivers } }: { readonly forecast: Forecast }) {
  const { days, credits_per_day, weekday_strength, renewal, auto_recharge } = drivers
  return (
    <p className="small quiet">
      Based on the last {days === 1 ? 'day' : `${days} days`}:{' '}
      {creditsText(Math.round(credits_per_day))} a day on average
      {weekday_strength > 0.5 && ', more on some days of the week than on others'}.
      {renewal && (
        <>
          {' '}
          Your plan brings {creditsText(renewal.credits)} on <Time at={renewal.at} as="day" />.
        </>
      )}
      {auto_recharge && (
        <>
          {' '}
          Auto-recharge buys {creditsText(auto_recharge.credits)} when fewer than{' '}
          {integer(auto_recharge.threshold_credits)} are left
          {auto_recharge.left_this_month !== null &&
            `; your monthly cap allows ${integer(auto_recharge.left_this_month)} more this month`}
          .
        </>
      )}
    </p>
  )
}
