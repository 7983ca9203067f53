import { useEffect, useState } from 'react'
import { showDate, showDistance } from '../format/dates.ts'
import { useZone } from '../format/zone.ts'

interface TimeProps {
  /** ISO 8601. */
  readonly at: string
  /** `full`: day and time of day; `exact`: with seconds; `day`: the day; `relative`: how long ago. */
  readonly as?: 'full' | 'exact' | 'day' | 'relative'
}

/** A time in the chosen time zone. Its title shows the instant. */
export function Time({ at, as = 'full' }: TimeProps) {
  const ms = Date.parse(at)
  const zone = useZone()
  const now = useNow(as === 'relative')
  const text = as === 'relative' ? showDistance(ms, now) : showDate(ms, as, zone)
  const title = `${showDate(ms, 'exact', zone)} ${showDate(ms, 'offset', zone)}`
  return (
    <time dateTime={at} title={title} className="amount">
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
