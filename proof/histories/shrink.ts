import type { Cut } from './plan/cut.ts'

/** How a plan is made smaller. */
interface ShrinkOptions {
  /** Whether this part of the plan still fails, in the same way. */
  readonly fails: (cut: Cut) => Promise<boolean>
  /** Parts that may be tried. */
  readonly tries: number
}

/**
 * Finds a small part of a failing plan that still fails: a shorter time first, then fewer faults, then fewer
 * accounts (delta debugging: halves, then smaller parts, are left out). A part that fails only sometimes may
 * look sound, so the result is small but perhaps not the smallest.
 */
export async function shrink(whole: Cut, { fails, tries }: ShrinkOptions): Promise<Cut> {
  let left = tries
  let cut = whole

  async function keeps(candidate: Cut): Promise<boolean> {
    if (left === 0) return false
    left -= 1
    if (!(await fails(candidate))) return false
    cut = candidate
    return true
  }

  while (cut.untilMs > shortestMs && left > 0) {
    if (!(await keeps({ ...cut, untilMs: Math.ceil(cut.untilMs / 2) }))) break
  }
  for (const part of ['faults', 'accounts'] as const) {
    if (part === 'faults' && (await keeps({ ...cut, faults: [] }))) continue
    for (let pieces = 2; cut[part].length > 1 && left > 0; ) {
      const size = Math.ceil(cut[part].length / pieces)
      const isSmaller = await leaveOneOut(cut, part, size, keeps)
      if (isSmaller) pieces = Math.max(2, pieces - 1)
      else if (size === 1) break
      else pieces = Math.min(cut[part].length, pieces * 2)
    }
  }
  return cut
}

const shortestMs = 2000

/** Tries to do without each piece of this size; resolves to whether one was not needed. */
async function leaveOneOut(
  cut: Cut,
  part: 'faults' | 'accounts',
  size: number,
  keeps: (candidate: Cut) => Promise<boolean>,
): Promise<boolean> {
  const all = cut[part]
  for (let from = 0; from < all.length; from += size) {
    const rest = [...all.slice(0, from), ...all.slice(from + size)]
    if (await keeps({ ...cut, [part]: rest })) return true
  }
  return false
}
