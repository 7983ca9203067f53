import { describe, expect, test } from 'vitest'
import {
  latencyMsOfStep,
  latencyPercentilesMs,
  readSteps,
} from '../../../subgraphs/usage/series/latency-steps.ts'

describe('percentiles of latency', () => {
  test('are the lowest steps that so many per cent of the requests do not exceed', () => {
    const requestsOf = readSteps('24:5,20:10,22:5')

    const steps = [49, 50, 51, 75, 76, 100].map((percentage) => [
      percentage,
      ...latencyPercentilesMs(requestsOf, [percentage]),
    ])

    const [low, middle, high] = [20, 22, 24].map(latencyMsOfStep)
    expect(steps).toEqual([
      ...[49, 50].map((percentage) => [percentage, low]),
      ...[51, 75].map((percentage) => [percentage, middle]),
      ...[76, 100].map((percentage) => [percentage, high]),
    ])
  })

  test('have no error of rounding where the share of the requests is a whole number', () => {
    for (let requests = 100; requests <= 100_000; requests += 100) {
      const slow = requests * 0.05
      const requestsOf = new Map([
        [-1, Math.round(requests - slow)],
        [30, Math.round(slow)],
      ])

      expect([requests, ...latencyPercentilesMs(requestsOf, [95])]).toEqual([requests, 0])
    }
  })

  test('count a step that comes in several parts as one', () => {
    expect(readSteps('3:1,-1:4,3:2')).toEqual(
      new Map([
        [3, 3],
        [-1, 4],
      ]),
    )
  })
})
