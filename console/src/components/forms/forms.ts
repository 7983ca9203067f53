/** The text of an input; undefined where it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/**
 * What an input of numbers says; undefined where it is empty. What is no number goes as it stands, so that
 * the API says so.
 */
export function numberOf(values: FormData, name: string, factor = 1): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  const number = Number(text.replaceAll(/[,\s]/g, ''))
  return Number.isNaN(number) ? (text as never) : Math.round(number * factor * 1e6) / 1e6
}

/** An input of local time as an instant in UTC; undefined where it is empty. */
export function instantOf(values: FormData, name: string): string | undefined {
  const text = textOf(values, name)
  return text === undefined ? undefined : new Date(text).toISOString()
}
