/** How far a forecast looks ahead. */
export const horizonDays = 365

export const dayMs = 86_400_000

/** Credits that can be spent for some time. Days are counted from now. */
export interface Supply {
  readonly credits: number
  /** When they come; 0: they are there. */
  readonly fromDay: number
  /** When they expire. */
  readonly untilDay: number
}

/**
 * The pieces of time of a forecast: within one, no day ends, and no credits come or expire. The arrays have an element for
 * each piece.
 */
export interface Calendar {
  /** When the piece begins, in days from now. */
  readonly starts: Float64Array
  readonly lengths: Float64Array
  /** The day in UTC; 0 is today. */
  readonly days: Uint16Array
  /** The month in UTC; 0 is this one. */
  readonly months: Uint16Array
  /** The places of the supplies that come or expire as the piece begins; null: none do. */
  readonly turns: readonly (readonly number[] | null)[]
}

/** When the day ends that is so many days ahead, in days from now. */
export function endOfDay(asOf: Date, ahead: number): number {
  return 1 - (asOf.getTime() % dayMs) / dayMs + ahead
}

/** The pieces of the next year, for supplies in the order in which they burn. */
export function createCalendar(asOf: Date, supplies: readonly Supply[]): Calendar {
  const midnights = Array.from({ length: horizonDays }, (_, day) => endOfDay(asOf, day))
  const turns = supplies.flatMap(({ fromDay, untilDay }) => [fromDay, untilDay])
  const edges = [...new Set([0, ...midnights, ...turns, horizonDays])]
    .filter((edge) => edge >= 0 && edge <= horizonDays)
    .sort((one, other) => one - other)
  const starts = edges.slice(0, -1)
  // The midnights are counted: a difference of two instants may be a little less than the days between them.
  let day = 0
  const days = starts.map((start) => {
    while ((midnights[day] ?? Number.POSITIVE_INFINITY) <= start) day += 1
    return day
  })
  return {
    starts: Float64Array.from(starts),
    lengths: Float64Array.from(starts, (start, index) => (edges[index + 1] ?? start) - start),
    days: Uint16Array.from(days),
    months: Uint16Array.from(days, (day) => monthsAhead(asOf, day)),
    turns: starts.map((start) => placesAt(supplies, start)),
  }
}

function monthsAhead(asOf: Date, day: number): number {
  const then = new Date(asOf.getTime() + day * dayMs)
  const months = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth()
  return months(then) - months(asOf)
}

function placesAt(supplies: readonly Supply[], start: number): readonly number[] | null {
  const places = supplies.flatMap(({ fromDay, untilDay }, place) =>
    fromDay === start || untilDay === start ? [place] : [],
  )
  return places.length > 0 ? places : null
}
