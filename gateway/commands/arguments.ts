import { InvalidArgumentError } from 'commander'
import { plainText, visible } from '../../schema/vocabulary/display-name.ts'
import { isPersonRole, type PersonRole, personRoles } from '../../schema/vocabulary/roles.ts'

export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

export function signedNumber(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

export function durationSeconds(text: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
  const seconds = Number(count) * (secondsByUnit[unit] ?? Number.NaN)
  if (seconds > 0) return seconds
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 1h or 7d.')
}

const instantPattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** An instant in UTC, as ISO 8601. A date alone means the end of that day in UTC. */
export function instant(text: string): string {
  const [, date = '', time = 'T23:59:59.999Z'] = instantPattern.exec(text) ?? []
  const day = new Date(`${date}T00:00:00Z`)
  const found = new Date(`${date}${time}`)
  // JavaScript's Date takes 30 February for 2 March, so the day is written out again and compared.
  const isDay = Number.isFinite(day.valueOf()) && day.toISOString().startsWith(date)
  if (isDay && Number.isFinite(found.valueOf())) return found.toISOString()
  throw new InvalidArgumentError(
    'It must be a date such as 2026-12-31, which means the end of that day in UTC, or an instant such as 2026-12-31T12:00:00Z.',
  )
}

/** A name that readers of the audit trail can see. */
export function personName(text: string): string {
  if (text.length <= 200 && plainText.test(text) && visible.test(text)) return text
  throw new InvalidArgumentError('It must have 1 to 200 visible characters.')
}

export function personRole(text: string): PersonRole {
  const role = text.toUpperCase()
  if (isPersonRole(role)) return role
  throw new InvalidArgumentError(`It must be one of ${personRoles.join(', ')}.`)
}

export function list(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}
