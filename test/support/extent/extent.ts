import { createHash } from 'node:crypto'

/** How much of all cases a run tries: `npm test` is fast, `npm run test:all` tries all, `npm run test:long` repeats. */
type Extent = 'fast' | 'all' | 'long'

/** vitest.config.ts sets them, and the run prints extent and seed. */
const { TEST_EXTENT = 'all', TEST_SEED = '0', TEST_ROUNDS = 'all' } = process.env

const extent: Extent = TEST_EXTENT === 'fast' || TEST_EXTENT === 'long' ? TEST_EXTENT : 'all'

/** Repeats what a run has chosen: `TEST_SEED=<the printed number> npm test`. */
export const seed = Number(TEST_SEED)

interface Rounds {
  /** Without it, as many as in `all`. */
  readonly fast?: number
  readonly all: number
  readonly long: number
}

/**
 * How many rounds a test makes; half of them where the same test makes all of them on another PostgreSQL. The
 * environment variable of this name says another number.
 */
export function rounds(name: string, { all, long, fast = all }: Rounds): number {
  const asked = process.env[name]
  if (asked !== undefined) return Number(asked)
  const count = { fast, all, long }[extent]
  return TEST_ROUNDS === 'half' ? Math.ceil(count / 2) : count
}

/**
 * In a fast run a few of the options, which change from seed to seed; otherwise all of them. Each group has a
 * choice of its own: `chosen(route, environments)` has every route tried in one of the two.
 */
export function chosen<Option>(
  group: string,
  options: readonly Option[],
  count = 1,
): readonly Option[] {
  if (extent !== 'fast' || options.length <= count) return options
  const rank = (index: number) =>
    createHash('sha256').update(`${TEST_SEED}/${group}/${index}`).digest('hex')
  const ranked = options.map((option, index) => ({ option, index, rank: rank(index) }))
  const first = ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, count)
  return first.toSorted((one, other) => one.index - other.index).map(({ option }) => option)
}
