import { createHash } from 'node:crypto'

/** vitest.config.ts sets them, and the run prints extent and seed. */
const { TEST_EXTENT = 'all', TEST_SEED = '0', TEST_ROUNDS = 'all' } = process.env

/** For `test.runIf`: what the gate has no time for, beside a shorter test of the same. */
export const atNight = TEST_EXTENT === 'nightly'

/** Repeats what a run has chosen: `TEST_SEED=<the printed number> npm test`. */
export const seed = Number(TEST_SEED)

interface Rounds {
  /** In the gate, and in `npm test`. */
  readonly all: number
  readonly nightly: number
}

/**
 * How many rounds a test makes; half of them where the same test makes all of them on another PostgreSQL. The
 * environment variable of this name says another number.
 */
export function rounds(name: string, { all, nightly }: Rounds): number {
  const asked = process.env[name]
  if (asked !== undefined) return Number(asked)
  const count = atNight ? nightly : all
  return TEST_ROUNDS === 'half' ? Math.ceil(count / 2) : count
}

/**
 * A few of the options, which change from seed to seed; at night all of them. Each group has a choice of its own:
 * `chosen(route, environments)` has every route tried in one of the two.
 */
export function chosen<Option>(
  group: string,
  options: readonly Option[],
  count = 1,
): readonly Option[] {
  if (atNight || options.length <= count) return options
  const rank = (index: number) =>
    createHash('sha256').update(`${TEST_SEED}/${group}/${index}`).digest('hex')
  const ranked = options.map((option, index) => ({ option, index, rank: rank(index) }))
  const first = ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, count)
  return first.toSorted((one, other) => one.index - other.index).map(({ option }) => option)
}
