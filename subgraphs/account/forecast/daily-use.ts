/**
 * The pseudo-random numbers of a forecast, from 0 to 1 (Mulberry32): the same seed gives the same numbers, so the same
 * account gets the same forecast.
 */
export function createRandom(seed: number): () => number {
  let state = seed
  return function random() {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What the days of a history have in common, oldest first; the last one is yesterday. */
export interface DailyUse {
  /** Credits of each day. */
  readonly history: Float64Array
  /** The mean of a day. */
  readonly mean: number
  /**
   * How far the day of the week decides about the use, from 0 to 1. It is the share of the variance between weekdays that
   * chance does not explain (1 − 1 ÷ F, of the square roots, so that one busy day is no pattern).
   */
  readonly weekdayStrength: number
}

const weekDays = 7
/** Below two weeks nobody can tell a weekday from chance. */
const leastPatternDays = 2 * weekDays

export function describeDays(credits: readonly number[]): DailyUse {
  const history = Float64Array.from(credits)
  const mean = history.reduce((sum, one) => sum + one, 0) / Math.max(1, history.length)
  return { history, mean, weekdayStrength: strengthOf(history) }
}

function strengthOf(history: Float64Array): number {
  const days = history.length
  if (days < leastPatternDays) return 0
  const roots = history.map(Math.sqrt)
  const mean = roots.reduce((sum, one) => sum + one, 0) / days
  let between = 0
  let within = 0
  for (let weekday = 0; weekday < weekDays; weekday += 1) {
    const own = roots.filter((_, day) => day % weekDays === weekday)
    const ownMean = own.reduce((sum, one) => sum + one, 0) / own.length
    between += own.length * (ownMean - mean) ** 2
    within += own.reduce((sum, one) => sum + (one - ownMean) ** 2, 0)
  }
  const chance = within / (days - weekDays)
  const pattern = between / (weekDays - 1)
  return pattern === 0 ? 0 : Math.max(0, 1 - chance / pattern)
}

/**
 * The mean of each day from today on, for a week: that of its weekday as far as the weekday decides, and that of all days
 * for the rest.
 */
export function weekAhead({ history, mean, weekdayStrength }: DailyUse): number[] {
  return Array.from({ length: weekDays }, (_, ahead) => {
    const own = history.filter((_, day) => weekdayOf(day, history.length) === ahead)
    const ownMean = own.reduce((sum, one) => sum + one, 0) / Math.max(1, own.length)
    return weekdayStrength * ownMean + (1 - weekdayStrength) * mean
  })
}

/** How many days after today, below 7, the weekday of a day of the history comes. */
function weekdayOf(day: number, days: number): number {
  return (((day - days) % weekDays) + weekDays) % weekDays
}

/**
 * Draws the use of future days. `begin` begins another future: the days that it may repeat are drawn from the history
 * first, five for each six, because a short history says little about the mean of what comes. Without this, the range of a
 * forecast would be too narrow.
 */
export interface DayDraws {
  begin(): void
  /** The credits of the day that is so many days ahead; 0 is today. */
  draw(ahead: number): number
}

export function drawDays({ history, weekdayStrength }: DailyUse, random: () => number): DayDraws {
  const days = history.length
  const weekdays = Array.from({ length: weekDays }, (_, ahead) =>
    history.filter((_, day) => weekdayOf(day, days) === ahead),
  ).map((own) => (own.length > 0 ? own : history))
  const own = weekdays.map(drawnFrom)
  const all = drawnFrom(history)

  function pick(values: Float64Array, chance: number): number {
    return values[Math.floor(chance * values.length)] ?? 0
  }

  function refill(target: Float64Array, source: Float64Array): void {
    for (let index = 0; index < target.length; index += 1) target[index] = pick(source, random())
  }

  return {
    begin() {
      if (weekdayStrength > 0) {
        for (const [ahead, target] of own.entries()) refill(target, weekdays[ahead] ?? history)
      }
      refill(all, history)
    },
    draw(ahead) {
      const chance = random()
      const values = own[ahead % weekDays]
      if (chance < weekdayStrength && values) return pick(values, chance / weekdayStrength)
      return pick(all, (chance - weekdayStrength) / (1 - weekdayStrength))
    },
  }
}

function drawnFrom({ length }: Float64Array): Float64Array {
  return new Float64Array(Math.max(1, Math.floor((5 / 6) * length)))
}
