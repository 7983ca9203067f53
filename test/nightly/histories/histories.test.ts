import { describe, expect, test } from 'vitest'
import { runSeed } from '../../../proof/histories/run-seed.ts'
import { rounds, seed } from '../../support/extent/extent.ts'

const seconds = 10
const count = rounds('HISTORIES_SEEDS', { all: 3, nightly: 30 })
const seeds = Array.from({ length: count }, (_, index) => (seed % 1_000_000) + index)

describe('two gateways under faults', () => {
  test.each(seeds)(
    'answer as one thread that works in the order of the ledger: seed %i',
    {
      timeout: 480_000,
    },
    async (which) => {
      const { summary, unexplained } = await runSeed(which, seconds)

      console.log(summary)
      expect(unexplained).toBe('')
    },
  )
})
