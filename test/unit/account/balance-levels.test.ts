import { describe, expect, test } from 'vitest'
import { levelsOf } from '../../../subgraphs/account/low-balance/balance-levels.ts'

describe('the levels of a balance', () => {
  test.each([
    ['above all', 2000, null, { announced: null, fresh: null, below: 500, above: null }],
    ['below one', 400, null, { announced: 500, fresh: 500, below: 100, above: 600 }],
    [
      'below one that was announced',
      400,
      500,
      { announced: 500, fresh: null, below: 100, above: 600 },
    ],
    ['not far enough above one', 599, 500, { announced: 500, fresh: null, below: 100, above: 600 }],
    ['far enough above one', 600, 500, { announced: null, fresh: null, below: 500, above: null }],
    ['below both at once', 99, null, { announced: 100, fresh: 100, below: 1, above: 120 }],
    ['above the lower again', 120, 100, { announced: 500, fresh: null, below: 100, above: 600 }],
    ['at nothing', 0, 100, { announced: 1, fresh: 1, below: null, above: 100 }],
    ['with a little after nothing', 50, 1, { announced: 1, fresh: null, below: null, above: 100 }],
    ['recharged after nothing', 1000, 1, { announced: null, fresh: null, below: 500, above: null }],
  ])('%s', (_, balance, announced, levels) => {
    expect(levelsOf(balance, announced, [500, 100])).toEqual(levels)
  })
})
