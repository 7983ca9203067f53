/** More ticks than this would stand too close. */
const mostSteps = 5

/**
 * The ticks of an axis from 0 to at least `most`, in equal steps of 1, 2 or 5 times a power of ten.
 * All are integers.
 */
export function ticksOf(most: number): readonly number[] {
  const step = stepOf(Math.max(1, most) / mostSteps)
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The smallest round step that is not below this one. */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return ([1, 2, 5, 10].find((digit) => digit * power >= least) ?? 10) * power
}
