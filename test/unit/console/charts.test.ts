import type { UsagePoint } from 'credit-gateway-sdk'
import { describe, expect, test } from 'vitest'
import { ticksOf } from '../../../console/src/components/charts/ticks.ts'
import {
  daysBetween,
  dayTicks,
  hourTicks,
} from '../../../console/src/components/charts/time-ticks.ts'
import { sortItems } from '../../../console/src/components/sorting.ts'
import { seriesOf } from '../../../console/src/data/series.ts'
import { showDate } from '../../../console/src/format/dates.ts'
import { compact } from '../../../console/src/format/numbers.ts'
import { filterOf, labelOf } from '../../../console/src/routes/usage/groups.ts'

describe('the ticks of an axis', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [23, [0, 5, 10, 15, 20, 25]],
    [100, [0, 20, 40, 60, 80, 100]],
    [101, [0, 50, 100, 150]],
    [1234, [0, 500, 1000, 1500]],
  ])('to %d are %j', (most, ticks) => {
    expect(ticksOf(most)).toEqual(ticks)
  })

  test('are round, in equal steps, reach the highest bar, and are exact also when they are short', () => {
    for (let most = 1; most < 1e12; most = Math.ceil(most * 1.07)) {
      const ticks = ticksOf(most)
      const step = ticks[1] ?? Number.NaN
      expect([1, 2, 5]).toContain(Number(String(step)[0]))
      expect(String(step)).toMatch(/^[125]0*$/)
      expect(ticks).toEqual(ticks.map((_, index) => index * step))
      expect([ticks.length <= 6, (ticks.at(-1) ?? 0) >= most]).toEqual([true, true])
      expect((ticks.at(-1) ?? 0) - step).toBeLessThan(most)
      expect(ticks.map(read)).toEqual(ticks)
    }
  })
})

describe('the times below a chart', () => {
  const hourMs = 3_600_000
  const bars = (from: string, length: number, sizeMs: number) =>
    Array.from({ length }, (_, index) => Date.parse(from) + index * sizeMs)
  const dates = (ticks: readonly number[]) => ticks.map((at) => showDate(at, 'date', 'UTC'))

  test.each([
    [7, 10, ['1 Nov', '2 Nov', '3 Nov', '4 Nov', '5 Nov', '6 Nov', '7 Nov']],
    [7, 4, ['1 Nov', '3 Nov', '5 Nov', '7 Nov']],
    [31, 11, bars('2026-11-01', 11, 72 * hourMs).map((at) => showDate(at, 'date', 'UTC'))],
    [31, 5, ['1 Nov', '8 Nov', '15 Nov', '22 Nov', '29 Nov']],
    [90, 4, ['1 Nov', '29 Nov', '27 Dec', '24 Jan']],
  ])('of %d days, where %d fit, are days in equal steps', (length, most, expected) => {
    expect(dates(dayTicks(bars('2026-11-01', length, 24 * hourMs), most))).toEqual(expected)
  })

  test.each([
    [
      'UTC',
      24,
      8,
      ['1 Nov, 12:00', '1 Nov, 15:00', '1 Nov, 18:00', '1 Nov, 21:00', '2 Nov, 00:00'],
    ],
    ['Asia/Tokyo', 24, 4, ['2 Nov, 00:00', '2 Nov, 06:00', '2 Nov, 12:00', '2 Nov, 18:00']],
    ['Asia/Kolkata', 12, 4, ['1 Nov, 18:30', '1 Nov, 21:30', '2 Nov, 00:30', '2 Nov, 03:30']],
    ['UTC', 168, 4, ['2 Nov, 00:00', '4 Nov, 00:00', '6 Nov, 00:00', '8 Nov, 00:00']],
  ])('in %s of %d hours, where %d fit, are round by the clock', (zone, length, most, expected) => {
    const ticks = hourTicks(bars('2026-11-01T12:00:00Z', length, hourMs), most, zone)
    expect(ticks.map((at) => showDate(at, 'hour', zone)).slice(0, 5)).toEqual(expected)
  })

  test('stand in equal steps and fit, however many bars and however narrow', () => {
    for (let length = 1; length <= 400; length += 7) {
      for (let most = 1; most <= 16; most += 1) {
        const hours = hourTicks(bars('2026-11-01T05:00:00Z', length, hourMs), most, 'UTC')
        const days = dayTicks(bars('2026-11-01', length, 24 * hourMs), most)
        for (const ticks of [hours, days]) {
          expect(ticks.length).toBeLessThanOrEqual(most)
          const steps = ticks.slice(1).map((at, index) => at - (ticks[index] ?? 0))
          expect(new Set(steps).size).toBeLessThanOrEqual(1)
        }
        expect(days.length).toBeGreaterThan(0)
      }
    }
  })

  test('of a span are the beginnings of its days in the zone, also where clocks change', () => {
    const [from, to] = [Date.parse('2026-10-24T08:00:00Z'), Date.parse('2026-10-27T08:00:00Z')]
    const days = daysBetween(from, to, 'Europe/Vienna')
    expect(days.map((at) => new Date(at).toISOString())).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-26T23:00:00.000Z',
    ])
  })
})

const powers = { '': 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 }

function read(tick: number): number {
  const [, digits = '', unit = ''] = /^([\d.]+)([KMBT]?)$/.exec(compact(tick)) ?? []
  return Math.round(Number(digits) * powers[unit as keyof typeof powers])
}

function point(start: string, service: string, credits: number): UsagePoint {
  return {
    ...{ start, service, credits, requests: 1, success_rate: 1 },
    ...{ latency_p50_ms: null, latency_p95_ms: null },
  } as UsagePoint
}

describe('a series', () => {
  const days = {
    interval: 'day',
    from: '2026-11-20T10:00:00Z',
    to: '2026-11-22T10:00:00Z',
  } as const
  const of = (points: readonly UsagePoint[], before?: readonly UsagePoint[]) =>
    seriesOf<UsagePoint>({
      ...{ ...days, points, before, partOf: ({ service }) => service ?? '' },
      countOf: ({ credits }) => credits,
    })

  test('has a bar for each day, the largest part lowest, and the day before so long ago as the span is', () => {
    const points = [
      point('2026-11-20T00:00:00.000Z', 'small', 1),
      point('2026-11-21T00:00:00.000Z', 'large', 5),
      point('2026-11-21T00:00:00.000Z', 'small', 2),
    ]
    const { series, rows } = of(points, [point('2026-11-19T00:00:00.000Z', 'any', 7)])
    expect(series.map(({ name }) => name)).toEqual(['large', 'small'])
    expect(rows).toEqual([
      { at: Date.parse('2026-11-20'), values: [0, 1], before: 0 },
      { at: Date.parse('2026-11-21'), values: [5, 2], before: 7 },
      { at: Date.parse('2026-11-22'), values: [0, 0], before: 0 },
    ])
    expect(of(points).rows.every((row) => !('before' in row))).toBe(true)
  })

  const many = (length: number) =>
    Array.from({ length }, (_, index) =>
      point('2026-11-20T00:00:00.000Z', `part ${index}`, 20 - index),
    )

  test('has at most eight parts: the smallest are together', () => {
    const points = many(11)
    const { series, rows } = of(points)
    expect(series.map(({ name }) => name)).toEqual([
      ...points.slice(0, 7).map(({ service }) => service),
      'All others',
    ])
    expect(rows[0]?.values.at(-1)).toBe(13 + 12 + 11 + 10)
  })

  test.each([3, 7, 8])(
    'of %d parts and of all others has these last, together with the smallest',
    (length) => {
      const points = many(length)
      const { series, rows } = of([
        point('2026-11-20T00:00:00.000Z', 'All others', 1000),
        ...points,
      ])
      const own = points.slice(0, 7)
      expect(series.map(({ name }) => name)).toEqual([
        ...own.map(({ service }) => service),
        'All others',
      ])
      expect(series.at(-1)?.color).toBe('var(--series-8)')
      expect(rows[0]?.values.at(-1)).toBe(length === 8 ? 1013 : 1000)
    },
  )
})

describe.each(['key', 'customer', 'app'] as const)('usage by %s', (group) => {
  const names = new Map([['one', 'First']])

  test('has all but the largest as all others, which are no filter of Logs', () => {
    expect(labelOf(group, 'other', names)).toBe('All others')
    expect(filterOf(group, 'other')).toEqual({})
  })

  test('names each of the largest, which is a filter of Logs', () => {
    expect(labelOf(group, 'one', names)).toBe('First')
    expect(filterOf(group, 'one')).toEqual({ [group]: 'one' })
  })

  test('has those without one, which are no filter of Logs', () => {
    expect(labelOf(group, null, names)).toMatch(new RegExp(`^Without an? ${group}$`))
    expect(filterOf(group, null)).toEqual({})
  })
})

test('a key and an app without a name are called by the end of their id, a customer by its id', () => {
  const labels = (['key', 'app', 'customer'] as const).map((group) =>
    labelOf(group, 'key_01kb0123456789', new Map()),
  )
  expect(labels).toEqual(['API key …456789', 'App …456789', 'key_01kb0123456789'])
})

test('usage by service or endpoint opens Logs with the service or endpoint that Logs can filter by', () => {
  expect(filterOf('service', 'contacts')).toEqual({ service: 'contacts' })
  expect(filterOf('service', 'Other')).toEqual({})
  expect(filterOf('endpoint', 'GET /v1/other')).toEqual({ endpoint: 'GET /v1/other' })
})

test('rows are sorted by numbers and texts in both directions, those without a value last', () => {
  const rows = [
    { name: 'b', p50: 2 },
    { name: 'a', p50: null },
    { name: 'C', p50: 10 },
  ]
  const names = (by: 'name' | 'p50', isUp: boolean) =>
    sortItems(rows, (row) => row[by], isUp).map(({ name }) => name)
  expect(names('p50', true)).toEqual(['b', 'C', 'a'])
  expect(names('p50', false)).toEqual(['C', 'b', 'a'])
  expect(names('name', true)).toEqual(['a', 'b', 'C'])
  expect(names('name', false)).toEqual(['C', 'b', 'a'])
})
