import { describe, expect, test } from 'vitest'
import {
  latencyMsOfStep,
  latencyPercentilesMs,
} from '../../../subgraphs/usage/series/latency-steps.ts'

/** The array of steps as PostgreSQL writes it. */
function stepsOf(requests: Readonly<Record<number, number>>): string {
  const length = Math.max(...Object.keys(requests).map(Number)) + 2
  return `{${Array.from({ length }, (_, index) => requests[index - 1] ?? 0).join(',')}}`
}

describe('percentiles of latency', () => {
  test('are the lowest steps that so many per cent of the requests do not exceed', () => {
    const percentages = [49, 50, 51, 75, 76, 100]

    const latencies = latencyPercentilesMs(stepsOf({ 20: 10, 22: 5, 24: 5 }), percentages)

    const [low, middle, high] = [20, 22, 24].map(latencyMsOfStep)
    expect(latencies).toEqual([low, low, middle, middle, high, high])
  })

  test('have no error of rounding where the share of the requests is a whole number', () => {
    for (let requests = 100; requests <= 100_000; requests += 100) {
      const slow = Math.round(requests * 0.05)

      const latencies = latencyPercentilesMs(stepsOf({ [-1]: requests - slow, 30: slow }), [95])

      expect([requests, ...latencies]).toEqual([requests, 0])
    }
  })

  test('add up several arrays, step by step', () => {
    expect(latencyPercentilesMs('{1,0,0,0,1}{3,0,0,0,2}{0}', [57, 58])).toEqual([
      0,
      latencyMsOfStep(3),
    ])
  })

  test('know the step of the longest latency, and nothing of the text before', () => {
    expect(latencyPercentilesMs(stepsOf({ 153: 1 }), [50])).toEqual([latencyMsOfStep(153)])
    expect(latencyPercentilesMs(stepsOf({ 7: 1 }), [50, 100])).toEqual([7, 7].map(latencyMsOfStep))
  })
})
