import { expect, it } from 'vitest'
import { parseMachineTicks } from '../../../proof/bench/machine/other-programs.ts'

it('parseMachineTicks: idle and waiting time is not busy, and guests count once', () => {
  const text = 'cpu  100 20 30 1000 50 6 7 8 90 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n'
  expect(parseMachineTicks(text)).toEqual({ total: 1221, busy: 171 })
})

it.each(['', 'cpu0 1 2 3 4 5 6 7 8', 'cpu  1 2 3', 'cpu  1 2 3 x 5 6 7 8'])(
  'parseMachineTicks: refuses %j',
  (text) => {
    expect(() => parseMachineTicks(text)).toThrow('/proc/stat')
  },
)
