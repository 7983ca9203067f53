/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 up to 1. */
  readonly next: () => number
  /** An integer from `least` to `most`. */
  readonly integer: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <Option>(options: readonly [Option, ...Option[]]) => Option
}

/** Mulberry32: 32 bits of state are enough to tell plans apart. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (options) => options[integer(0, options.length - 1)] ?? options[0],
  }
}
