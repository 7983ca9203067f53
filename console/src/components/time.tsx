import { useEffect, useState } from 'react'

const local = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
})
const localDay = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
})
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** The distance from now: "3 minutes ago". Less than a minute is "just now". */
function relativeTime(ms: number, nowMs: number): string {
  const difference = ms - nowMs
  for (const [unit, size] of steps) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit)
  }
  return difference > 0 ? 'in less than a minute' : 'just now'
}

interface TimeProps {
  /** ISO 8601. */
  readonly at: string
  /** `full`: day and time of day; `day`: the day; `relative`: how long ago. */
  readonly as?: 'full' | 'day' | 'relative'
}

/** A time in the reader's time zone. Its title shows the instant in UTC. */
export function Time({ at, as = 'full' }: TimeProps) {
  const ms = Date.parse(at)
  const now = useNow(as === 'relative')
  const text =
    as === 'relative' ? relativeTime(ms, now) : (as === 'day' ? localDay : local).format(ms)
  return (
    <time dateTime={at} title={new Date(ms).toISOString()} className="amount">
      {text}
    </time>
  )
}

const tickMs = 20_000

function useNow(ticks: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!ticks) return
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [ticks])
  return now
}
