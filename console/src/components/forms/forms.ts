/** The text of an input; undefined if it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/**
 * The number in an input; undefined if it is empty. A text that is no number is sent unchanged, so
 * that the API refuses it.
 */
export function numberOf(values: FormData, name: string, factor = 1): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  const number = Number(text.replaceAll(/[,\s]/g, ''))
  return Number.isNaN(number) ? (text as never) : Math.round(number * factor * 1e6) / 1e6
}

/** An input of local time as an instant in UTC; undefined if it is empty. */
export function instantOf(values: FormData, name: string): string | undefined {
  const text = textOf(values, name)
  return text === undefined ? undefined : new Date(text).toISOString()
}
