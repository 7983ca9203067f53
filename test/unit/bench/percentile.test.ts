import { expect, it } from 'vitest'
import { percentile } from '../../../proof/bench/generator/percentile.ts'

const hundred = Array.from({ length: 100 }, (_, index) => index + 1)

it.each([
  [0.5, 50],
  [0.99, 99],
  [0.991, 100],
  [1, 100],
  [0, 1],
])('percentile: the share %d of 1 to 100 is not above %d', (share, expected) => {
  expect(percentile(hundred, share)).toBe(expected)
})

it('percentile: of one value, it is that value, and of none NaN', () => {
  expect([0, 0.5, 0.99, 1].map((share) => percentile([7], share))).toEqual([7, 7, 7, 7])
  expect(percentile([], 0.5)).toBeNaN()
})
