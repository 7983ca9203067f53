/** A balance below this level is exhausted. */
export const exhaustedBelow = 1

/**
 * A threshold is re-armed when the balance exceeds it by this factor, so that charges and refunds
 * around it do not announce it again and again.
 */
const rearmFactor = 1.2

/** The state of a balance with respect to the thresholds that are announced. */
export interface Levels {
  /** The lowest threshold that counts as announced; null if none does. */
  readonly announced: number | null
  /** The lowest threshold that has to be announced now; null if none has. */
  readonly fresh: number | null
  /** A balance below this crosses the next threshold. */
  readonly below: number | null
  /** A balance from here on re-arms the lowest announced threshold. */
  readonly above: number | null
}

/** Compares a balance with the thresholds. `announced` is the lowest one announced before. */
export function levelsOf(
  balance: number,
  announced: number | null,
  lowCreditsThresholds: readonly number[],
): Levels {
  const lowest =
    lowCreditsThresholds.length > 0 ? Math.min(...lowCreditsThresholds) : exhaustedBelow
  const rearm = (level: number) =>
    level === exhaustedBelow ? lowest : Math.ceil(level * rearmFactor)
  const levels = [...new Set([...lowCreditsThresholds, exhaustedBelow])]
  const stillLow = levels.filter(
    (level) => announced !== null && level >= announced && balance < rearm(level),
  )
  const fresh = levels.filter((level) => balance < level && !stillLow.includes(level))
  const low = [...stillLow, ...fresh]
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
