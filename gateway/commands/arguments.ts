import { InvalidArgumentError } from 'commander'
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

export function personRole(text: string): PersonRole {
  const role = text.toUpperCase()
  if (isPersonRole(role)) return role
  throw new InvalidArgumentError(`It must be one of ${personRoles.join(', ')}.`)
}

export function list(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}
