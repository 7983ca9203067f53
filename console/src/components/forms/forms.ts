import { fromInput } from '../../format/dates.ts'
import { currentZone } from '../../format/zone.ts'

/** The text of an input; undefined if it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** The whole number of an `AmountInput` or of a choice; null if it is empty. */
export function countOf(values: FormData, name: string): number | null {
  const text = textOf(values, name)
  return text === undefined ? null : Number(text)
}

/** An input of a time in the chosen time zone, as an instant in UTC; undefined if it is empty. */
export function instantOf(values: FormData, name: string): string | undefined {
  const text = textOf(values, name)
  return text === undefined ? undefined : new Date(fromInput(text, currentZone())).toISOString()
}
