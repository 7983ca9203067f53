import { describe, expect, test } from 'vitest'
import { curvesOf } from '../../../proof/bench/soak/curves.ts'
import { perMinute, type Sample, sumOf } from '../../../proof/bench/soak/samples.ts'

const sampleAt = (atSeconds: number, rssMb: number): Sample => ({
  ...{ atSeconds, rssMb, descriptors: 80, lagMs: 12, waiting: 0 },
})

describe('growth in a minute', () => {
  test('is the slope of the line with the least squares', () => {
    const noisy = [
      ...[sampleAt(100, 301), sampleAt(130, 303), sampleAt(160, 308)],
      ...[sampleAt(190, 310), sampleAt(220, 318)],
    ]

    expect(perMinute([sampleAt(0, 300), sampleAt(60, 302), sampleAt(120, 304)], 'rssMb')).toBe(2)
    expect(perMinute(noisy, 'rssMb')).toBeCloseTo(8.2)
    expect(perMinute(noisy, 'descriptors')).toBe(0)
  })
})

describe('a sum over the labels of a metric', () => {
  const text = [
    '# TYPE gateway_queue_depth gauge',
    'gateway_queue_depth{queue="reserve"} 3',
    'gateway_queue_depth{queue="settle"} 4',
    'gateway_queue_depth_limit 1000',
    'nodejs_eventloop_lag_p99_seconds 0.0125',
  ].join('\n')

  test('leaves out other metrics whose names begin alike', () => {
    expect(sumOf(text, 'gateway_queue_depth')).toBe(7)
    expect(sumOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBe(0.0125)
  })

  test('refuses a metric that is absent, which is not the same as 0', () => {
    expect(() => sumOf(text, 'gateway_jobs_waiting')).toThrow(
      '/metrics has no gateway_jobs_waiting.',
    )
  })
})

describe('curves', () => {
  test('begin at the left, end at the right, and reach the top at the greatest value', () => {
    const svg = curvesOf([sampleAt(5, 100), sampleAt(10, 200)], 'A minute')

    expect(svg).toContain('<polyline points="70.0,120.0 880.0,40.0"')
    expect(svg).toContain('A minute')
  })
})
