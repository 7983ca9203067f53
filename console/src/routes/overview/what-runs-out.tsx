import { Link } from '@tanstack/react-router'
import type { Forecast, Overview } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { PageLink } from '../../components/page-link.tsx'
import { Card } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { type AttentionItem, useAttention } from '../../data/attention.ts'
import { creditsText, integer, percent } from '../../format/numbers.ts'

/** The items of what needs attention that say that something ends. */
const ending: ReadonlySet<AttentionItem['kind']> = new Set([
  ...(['budget_nearly_used', 'card_expiring', 'key_expiring'] as const),
])

interface RunningOut {
  readonly name: string
  readonly text: ReactNode
  readonly link?: ReactNode
}

interface WhatRunsOutProps {
  readonly forecast: Forecast | undefined
  readonly overview: Overview | undefined
  /** The credits of this moment; the forecast may be ten minutes old. */
  readonly available: number | undefined
}

/** Everything of the account that ends: credits, quotas of add-ons, budgets, cards and keys. */
export function WhatRunsOut({ forecast, overview, available }: WhatRunsOutProps) {
  const { data } = useAttention()
  const items = (data?.items ?? []).filter(({ kind }) => ending.has(kind))
  const rows = [
    ...(forecast ? creditsOf(forecast, available ?? forecast.available) : []),
    ...(overview ? quotasOf(overview) : []),
    ...items.map(({ title, action }) => ({
      name: title,
      text: null,
      link: action.url && <PageLink url={action.url}>{action.label}</PageLink>,
    })),
  ]
  if (rows.length === 0) return null
  return (
    <Card title="What runs out">
      <ul className="rows told">
        {rows.map(({ name, text, link }) => (
          <li key={name}>
            <span className="grow">{name}</span>
            {text && <span className="quiet amount">{text}</span>}
            {link}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function creditsOf({ runs_out_at, drivers }: Forecast, available: number): RunningOut[] {
  const buy = <Link to="/billing">Buy credits</Link>
  const likely = runs_out_at?.likely
  const soon = likely ? <Time at={likely} as="relative" /> : 'not within a year'
  return [
    {
      name: `${integer(available)} available credits`,
      text: drivers.days === 0 ? 'no forecast yet' : soon,
      link: buy,
    },
    ...drivers.expiring.slice(0, 3).map(({ at, credits }) => ({
      name: `${creditsText(credits)} expire`,
      text: <Time at={at} as="relative" />,
      link: <Link to="/credits">See the credits</Link>,
    })),
  ]
}

function quotasOf({ addons: { mass_mail, rank_tracking } }: Overview): RunningOut[] {
  const quota = (name: string, used: number, whole: number): RunningOut => ({
    name,
    text: `${integer(used)} of ${integer(whole)} used (${percent(whole === 0 ? 0 : used / whole)})`,
  })
  return [
    ...(mass_mail.active
      ? [quota('Mass Mail, this period', mass_mail.used_this_period, mass_mail.monthly_quota)]
      : []),
    ...(rank_tracking.active
      ? [quota('Tracked keywords', rank_tracking.keywords_used, rank_tracking.keyword_limit)]
      : []),
  ]
}
