import { describe, expect, test } from 'vitest'
import {
  fromInput,
  nameZone,
  showDate,
  showDistance,
  toInput,
} from '../../../console/src/format/dates.ts'
import { serviceName, services, tierName } from '../../../console/src/format/names.ts'
import {
  approximateDuration,
  duration,
  integer,
  money,
  percent,
} from '../../../console/src/format/numbers.ts'

const instant = Date.parse('2026-11-29T07:06:12.345Z')

describe('a date', () => {
  test.each([
    ['full', 'Europe/Vienna', '29 Nov 2026, 08:06'],
    ['full', 'UTC', '29 Nov 2026, 07:06'],
    ['full', 'Pacific/Auckland', '29 Nov 2026, 20:06'],
    ['exact', 'Europe/Vienna', '29 Nov 2026, 08:06:12'],
    ['day', 'America/New_York', '29 Nov 2026'],
    ['day', 'Pacific/Honolulu', '28 Nov 2026'],
    ['date', 'UTC', '29 Nov'],
    ['hour', 'Asia/Kolkata', '29 Nov, 12:36'],
    ['offset', 'Asia/Kolkata', 'UTC+5:30'],
    ['offset', 'UTC', 'UTC'],
  ] as const)('as %s in %s is %s', (form, zone, text) => {
    expect(showDate(instant, form, zone)).toBe(text)
  })

  test('at midnight has the hour 00, and months have three letters', () => {
    expect(showDate(Date.parse('2026-09-05T00:00:00Z'), 'full', 'UTC')).toBe('5 Sep 2026, 00:00')
  })

  test('names its time zone with the distance from UTC at that time', () => {
    expect(nameZone('Europe/Vienna', instant)).toBe('Europe/Vienna (UTC+1)')
    expect(nameZone('Europe/Vienna', Date.parse('2026-07-01T00:00:00Z'))).toBe(
      'Europe/Vienna (UTC+2)',
    )
    expect(nameZone('UTC', instant)).toBe('UTC')
  })
})

describe('a distance from now', () => {
  test.each([
    [0, 'just now'],
    [-59_999, 'just now'],
    [59_999, 'in less than a minute'],
    [-180_000, '3 minutes ago'],
    [15 * 3_600_000, 'in 15 hours'],
    [-86_400_000, '1 day ago'],
    [-47 * 3_600_000, '1 day ago'],
    [47 * 3_600_000, 'in 1 day'],
    [48 * 3_600_000, 'in 2 days'],
    [40 * 86_400_000, 'in 40 days'],
  ])('of %d ms is %s', (ms, text) => {
    expect(showDistance(instant + ms, instant)).toBe(text)
  })
})

describe.each([
  'UTC',
  'Europe/Vienna',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
])('an input of a time in %s', (zone) => {
  test('is the same instant again, in every hour of two years', () => {
    const hour = 3_600_000
    const first = Date.parse('2026-01-01T00:00:00Z')
    const wrong = Array.from({ length: 2 * 365 * 24 }, (_, index) => first + index * hour)
      .filter((ms) => fromInput(toInput(ms, zone), zone) !== ms)
      // In autumn the clocks show one time twice: its first or its second instant is meant.
      .filter((ms) => toInput(fromInput(toInput(ms, zone), zone), zone) !== toInput(ms, zone))
    expect(wrong).toEqual([])
  })
})

test('an input without seconds, and with a space, is read by the clocks of the time zone', () => {
  const read = (text: string) => new Date(fromInput(text, 'Europe/Vienna')).toISOString()
  expect(read('2026-11-29T08:06')).toBe('2026-11-29T07:06:00.000Z')
  expect(read('2026-07-29 08:06:12')).toBe('2026-07-29T06:06:12.000Z')
  // The clocks go from 02:00 to 03:00.
  expect(read('2026-03-29T02:30')).toBe('2026-03-29T01:30:00.000Z')
})

describe('numbers', () => {
  test('integers are grouped and never shortened', () => {
    expect([0, 999, 1234567, -1234, 123_456_789_012].map(integer)).toEqual([
      ...['0', '999', '1,234,567', '-1,234', '123,456,789,012'],
    ])
  })

  test('percent never rounds a failure or a success away', () => {
    expect([0, 0.0001, 0.5, 0.9934, 0.99999, 1].map(percent)).toEqual([
      ...['0 %', '0.1 %', '50 %', '99.3 %', '99.9 %', '100 %'],
    ])
  })

  test('measured milliseconds are exact, percentiles have two digits and say that they are approximate', () => {
    expect([null, 0, 7, 1234].map(duration)).toEqual(['–', '0 ms', '7 ms', '1,234 ms'])
    expect([null, 0, 7, 123, 1234, 19_950].map(approximateDuration)).toEqual([
      ...['–', '≈ 0 ms', '≈ 7 ms', '≈ 120 ms', '≈ 1,200 ms', '≈ 20,000 ms'],
    ])
  })

  test('money has the decimals of its currency', () => {
    const shown = (['USD', 'EUR', 'JPY', 'KWD'] as const).map((currency) =>
      money({ cents: 123_450, currency }),
    )
    expect(shown.map((text) => text.replaceAll(/\s/g, ' '))).toEqual([
      ...['$1,234.50', '€1,234.50', '¥123,450', 'KWD 123.450'],
    ])
  })
})

describe('names', () => {
  test('services have the names of the products, and one without a name keeps its id', () => {
    expect(serviceName('who-is-searching')).toBe('Who Is Searching')
    expect(serviceName('oauth')).toBe('Sign-in')
    expect(serviceName('new-service')).toBe('new-service')
    expect(serviceName(null)).toBe('Other')
    expect(services).toContainEqual({ value: 'contacts', label: 'Contact Finder' })
  })

  test.each([
    ['PROFESSIONAL', 'Professional'],
    ['pro_sub', 'Pro'],
    ['enterprise_sub', 'Enterprise'],
  ])('the tier %s is %s', (tier, name) => {
    expect(tierName(tier)).toBe(name)
  })
})
