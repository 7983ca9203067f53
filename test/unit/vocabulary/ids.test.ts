import { describe, expect, test } from 'vitest'
import { isId, lowestId, newId } from '../../../schema/vocabulary/ids.ts'

describe('newId', () => {
  test('names its kind and is a UUIDv7 in Crockford base32', () => {
    const nowMs = 1_700_000_000_123

    const id = newId('key', nowMs)

    const digits = '0123456789abcdefghjkmnpqrstvwxyz'
    const value = Array.from(id.slice('key_'.length)).reduce(
      (sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)),
      0n,
    )
    expect(isId('key', id)).toBe(true)
    expect(Number(value >> 80n)).toBe(nowMs)
    expect((value >> 76n) & 0xfn).toBe(7n)
    expect((value >> 62n) & 0b11n).toBe(0b10n)
  })

  test('ascends within a millisecond and over time', () => {
    const withinOne = Array.from({ length: 4000 }, () => newId('req', 1_700_000_000_000))
    const later = Array.from({ length: 100 }, (_, index) => newId('req', 1_700_000_000_001 + index))

    const ids = [...withinOne, ...later]
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('never repeats', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('led'))

    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('isId', () => {
  const id = newId('key')

  test('accepts what newId makes, for its own prefix only', () => {
    expect(isId('key', id)).toBe(true)
    expect(isId('acct', id)).toBe(false)
  })

  test.each([
    '',
    'key',
    'key_',
    id.slice(0, -1),
    `${id}0`,
    `${id}\n`,
    ` ${id}`,
    id.toUpperCase(),
    `key_8${id.slice(5)}`,
    `key_${'i'.repeat(26)}`,
    `key_0${'l'.repeat(25)}`,
    `key_0${'o'.repeat(25)}`,
    `key_0${'u'.repeat(25)}`,
    id.replace('_', '-'),
  ])('refuses %j', (text) => {
    expect(isId('key', text)).toBe(false)
  })
})

describe('lowestId', () => {
  test.each([0, 1, 31, 32, 1_700_000_000_123, 2 ** 48 - 1])(
    'separates the ids of %i ms and later from earlier ones',
    (ms) => {
      const lowest = lowestId('req', ms)

      expect(isId('req', lowest)).toBe(true)
      expect(newId('req', ms) > lowest).toBe(true)
      if (ms > 0) expect(newId('req', ms - 1) < lowest).toBe(true)
    },
  )

  test.each([-1, -1000, -2_208_988_800_000, -8.64e15])(
    'is below every id for %i ms, before the epoch',
    (ms) => {
      expect(lowestId('req', ms)).toBe(lowestId('req', 0))
    },
  )

  test.each([2 ** 48, 2 ** 50, 8.64e15])('is above every id for %i ms, after the last', (ms) => {
    const lowest = lowestId('req', ms)

    expect(isId('req', lowest)).toBe(true)
    expect(lowest > newId('req', 2 ** 48 - 2)).toBe(true)
  })
})
