/**
 * `full`: 29 Nov 2026, 08:06; `exact`: with seconds; `day`: 29 Nov 2026; `date`: 29 Nov;
 * `hour`: 29 Nov, 08:00; `offset`: UTC+1.
 */
export type DateForm = 'full' | 'exact' | 'day' | 'date' | 'hour' | 'offset'

const date = { day: 'numeric', month: 'short' } as const
const day = { ...date, year: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

const forms: Readonly<Record<DateForm, Intl.DateTimeFormatOptions>> = {
  full: { ...day, ...clock },
  exact: { ...day, ...clock, second: '2-digit' },
  day,
  date,
  hour: { ...date, ...clock },
  offset: { timeZoneName: 'shortOffset' },
}

/** Making a format is slow, so each is made once for a time zone. */
const made = new Map<string, Intl.DateTimeFormat>()

function partsOf(ms: number, form: DateForm, zone: string): Partial<Record<string, string>> {
  const key = `${form} ${zone}`
  const format =
    made.get(key) ?? new Intl.DateTimeFormat('en-US', { ...forms[form], timeZone: zone })
  made.set(key, format)
  return Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
}

/** An instant, in milliseconds, as people in a time zone (IANA) read it. */
export function showDate(ms: number, form: DateForm, zone: string): string {
  const { day, month, year, hour, minute, second, timeZoneName } = partsOf(ms, form, zone)
  if (timeZoneName) return timeZoneName.replace('GMT', 'UTC').replace(/\+0$/, '')
  const date = [day, month, year].filter(Boolean).join(' ')
  return hour ? `${date}, ${[hour, minute, second].filter(Boolean).join(':')}` : date
}

// Not "tomorrow": 47 hours ahead may be the day after.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** The distance from now: 3 minutes ago, in 15 hours. Less than a minute ago is "just now". */
export function showDistance(ms: number, nowMs: number): string {
  const difference = ms - nowMs
  for (const [unit, size] of steps) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit)
  }
  return difference > 0 ? 'in less than a minute' : 'just now'
}

/** The name of a time zone with its distance from UTC at an instant: Europe/Vienna (UTC+1). */
export function nameZone(zone: string, atMs: number): string {
  return zone === 'UTC' ? zone : `${zone} (${showDate(atMs, 'offset', zone)})`
}

/** An instant as inputs of dates have it, by the clocks of a time zone: 2026-11-29T08:06:12. */
export function toInput(ms: number, zone: string): string {
  return new Date(ms + distanceFromUtc(ms, zone)).toISOString().slice(0, 19)
}

/**
 * The instant, in milliseconds, of an input of a date, by the clocks of a time zone. A time that the
 * clocks leave out in spring is an hour later.
 */
export function fromInput(text: string, zone: string): number {
  const asUtc = Date.parse(`${text.replace(' ', 'T')}Z`)
  const near = asUtc - distanceFromUtc(asUtc, zone)
  return asUtc - distanceFromUtc(near, zone)
}

/** In milliseconds; positive east of Greenwich. */
function distanceFromUtc(ms: number, zone: string): number {
  const { year, month, day, hour, minute, second } = partsOf(ms, 'exact', zone)
  const shown = Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} UTC`)
  return shown - Math.floor(ms / 1000) * 1000
}
