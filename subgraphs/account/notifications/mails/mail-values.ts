import { cut } from '../../../../schema/vocabulary/field-problems.ts'

/** The longest text of a customer that a mail repeats. */
const maxLength = 200

/** Words for an absent value, by the name of the member. */
const absentWords = new Map([
  ['resets_at', 'never'],
  ['expires_at', 'never'],
])

/**
 * One line of harmless text: no control characters, no line breaks, and no marks that reorder the
 * words around it.
 */
export function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return cut(line, maxLength)
}

/**
 * A name that leads nowhere: strangers read it, so parts that mail programs would make links of are left out. If nothing
 * remains, or there is no name, `otherwise`.
 */
export function harmlessName(name: unknown, otherwise: string): string {
  if (typeof name !== 'string') return otherwise
  const words = oneLine(name).split(/\s+/)
  return (
    words
      .filter((word) => !/[@:/\\]|[\p{L}\p{N}][.\u3002\uff0e\uff61][\p{L}\p{N}]/u.test(word))
      .join(' ') || otherwise
  )
}

const numbers = new Intl.NumberFormat('en-US')

/** Prints an instant, such as `31 January 2026, 09:30 UTC`. */
const instants = new Intl.DateTimeFormat('en-GB', {
  ...{ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' },
})

export function instantText(instant: Date): string {
  return `${instants.format(instant).replace(' at ', ', ')} UTC`
}

const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

/** The members of an event's data as words, by their names, with a few that follow from them. */
export function valuesOfData(data: Readonly<Record<string, unknown>>): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== 'object' || value === null) values.set(name, wordsOf(name, value))
  }
  const { total_cents: total, amount_cents: amount, currency } = data
  for (const [name, cents] of Object.entries({ total, amount })) {
    if (typeof cents === 'number' && typeof currency === 'string') {
      values.set(name, moneyOf(cents, currency))
    }
  }
  values.set('spender', spenderOf(data))
  values.set('why_disabled', data.reason === 'gone' ? 'it answered 410 Gone' : 'it failed for days')
  for (const [name, words] of countsOf(data)) values.set(name, words)
  return values
}

/** The number of events of each type, in a digest. */
function countsOf({ events }: Readonly<Record<string, unknown>>): [string, string][] {
  if (typeof events !== 'object' || events === null) return []
  const counts = Object.entries(events)
    .map(([type, count]) => [type, Number(count)] as const)
    .sort(([, one], [, other]) => other - one)
  const sum = counts.reduce((total, [, count]) => total + count, 0)
  return [
    ['event_count', numbers.format(sum)],
    [
      'events',
      counts.map(([type, count]) => `${numbers.format(count)} × ${oneLine(type)}`).join(', '),
    ],
  ]
}

function wordsOf(name: string, value: unknown): string {
  if (typeof value === 'number') return numbers.format(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string') return absentWords.get(name) ?? 'none'
  // A URL has no spaces and must stay whole, so it is not shortened.
  if (name.endsWith('_url')) return URL.parse(value)?.href ?? ''
  return isoInstant.test(value) ? instantText(new Date(value)) : oneLine(value)
}

function moneyOf(cents: number, currency: string): string {
  const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(cents / 100)
  return `${amount} ${oneLine(currency)}`
}

/** The spender of the budget in an event. */
function spenderOf({ key_id: key, client_id: client, external_id: external }: Spender): string {
  if (typeof key === 'string') return `the API key ${oneLine(key)}`
  if (typeof client === 'string') return `the app ${oneLine(client)}`
  if (typeof external === 'string') return `the keys with the external id ${oneLine(external)}`
  return 'the account'
}

interface Spender {
  readonly key_id?: unknown
  readonly client_id?: unknown
  readonly external_id?: unknown
}
