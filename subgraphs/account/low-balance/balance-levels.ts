/** Below it, there is nothing left. */
export const nothing = 1

/** Above its threshold by so much, a balance can run low anew: nobody is told of every charge around it. */
const rearmFactor = 1.2

/** What a balance means for the thresholds below which an account is told. */
export interface Levels {
  /** The lowest that is announced now; null: none. */
  readonly announced: number | null
  /** The lowest that was not before. */
  readonly fresh: number | null
  /** Below it, the next is crossed. */
  readonly below: number | null
  /** From there on, the lowest that is announced is re-armed. */
  readonly above: number | null
}

/** Of a balance, given the lowest level that was announced before. */
export function levelsOf(
  balance: number,
  announced: number | null,
  lowCreditsThresholds: readonly number[],
): Levels {
  const lowest = lowCreditsThresholds.length > 0 ? Math.min(...lowCreditsThresholds) : nothing
  const rearm = (level: number) => (level === nothing ? lowest : Math.ceil(level * rearmFactor))
  const levels = [...new Set([...lowCreditsThresholds, nothing])]
  const stays = levels.filter(
    (level) => announced !== null && level >= announced && balance < rearm(level),
  )
  const fresh = levels.filter((level) => balance < level && !stays.includes(level))
  const low = [...stays, ...fresh]
  const least = smallest(low)
  return {
    announced: least,
    fresh: smallest(fresh),
    below: largest(levels.filter((level) => !low.includes(level))),
    above: least === null ? null : rearm(least),
  }
}

function smallest(numbers: readonly number[]): number | null {
  return numbers.length > 0 ? Math.min(...numbers) : null
}

function largest(numbers: readonly number[]): number | null {
  return numbers.length > 0 ? Math.max(...numbers) : null
}
