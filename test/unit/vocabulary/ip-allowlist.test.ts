import { describe, expect, test } from 'vitest'
import {
  addressMatcher,
  isAddressRange,
  plainAddress,
} from '../../../schema/vocabulary/ip-allowlist.ts'

describe('isAddressRange', () => {
  test.each([
    '203.0.113.7',
    '203.0.113.0/24',
    '0.0.0.0/0',
    '10.0.0.1/32',
    '::1',
    '::/0',
    '2001:db8::/32',
    '2001:db8::1/128',
    '::ffff:203.0.113.7',
    '::ffff:203.0.113.0/120',
  ])('accepts %s', (range) => {
    expect(isAddressRange(range)).toBe(true)
  })

  test.each([
    '',
    '/',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0',
    '010.0.0.1',
    '256.0.0.1',
    '2001:db8::/129',
    '2001:db8:::/32',
    'fe80::1%eth0',
    'localhost',
    ' 10.0.0.1',
    '10.0.0.1\n',
  ])('refuses %j', (range) => {
    expect(isAddressRange(range)).toBe(false)
  })
})

describe('addressMatcher', () => {
  test.each([
    { ranges: ['203.0.113.7'], inside: ['203.0.113.7'], outside: ['203.0.113.8', '::1'] },
    {
      ranges: ['10.0.0.0/8'],
      inside: ['10.0.0.0', '10.255.255.255'],
      outside: ['11.0.0.0', '9.255.255.255', '127.0.0.1'],
    },
    { ranges: ['10.1.2.3/8'], inside: ['10.9.9.9'], outside: ['11.1.2.3'] },
    {
      ranges: ['2001:db8::/32'],
      inside: ['2001:db8::1', '2001:0db8:ffff:0000:0000:0000:0000:0001'],
      outside: ['2001:db9::1', '10.0.0.1'],
    },
    { ranges: ['::1'], inside: ['::1', '0:0:0:0:0:0:0:1'], outside: ['::2', '127.0.0.1'] },
    { ranges: ['0.0.0.0/0'], inside: ['198.51.100.1', '::ffff:198.51.100.1'], outside: ['::1'] },
    {
      ranges: ['::/0'],
      inside: ['2001:db8::1', '::', '::198.51.100.1'],
      outside: ['198.51.100.1', '::ffff:198.51.100.1'],
    },
    {
      ranges: ['::ffff:10.0.0.0/104'],
      inside: ['10.1.2.3', '::ffff:10.1.2.3', '::FFFF:0A01:0203'],
      outside: ['11.1.2.3', '::ffff:11.1.2.3', '::10.1.2.3', '64:ff9b::10.1.2.3', '2002:a01:203::'],
    },
    { ranges: ['::ffff:0:0/96'], inside: ['10.1.2.3', '::ffff:10.1.2.3'], outside: ['::1'] },
    { ranges: ['::ffff:0:0/95'], inside: ['::fffe:1:1'], outside: ['10.1.2.3', '::ffff:10.1.2.3'] },
    {
      ranges: ['10.0.0.0/8', '2001:db8::/32'],
      inside: ['10.1.1.1', '2001:db8::1'],
      outside: ['192.168.0.1', 'fe80::1'],
    },
  ])('of $ranges accepts $inside and refuses $outside', ({ ranges, inside, outside }) => {
    const allows = addressMatcher(ranges)

    expect(inside.filter((address) => !allows(address))).toEqual([])
    expect(outside.filter((address) => allows(address))).toEqual([])
  })

  test('treats a v4 address mapped to v6 as v4, on either side', () => {
    const plain = addressMatcher(['127.0.0.0/8'])
    const mapped = addressMatcher(['::ffff:127.0.0.1'])

    expect(plain('::ffff:127.0.0.1')).toBe(true)
    expect(plain('::ffff:128.0.0.1')).toBe(false)
    expect(mapped('127.0.0.1')).toBe(true)
    expect(mapped('127.0.0.2')).toBe(false)
  })

  test('refuses text that is not an address', () => {
    const allows = addressMatcher(['0.0.0.0/0', '::/0'])

    for (const text of noAddresses) expect([text, allows(text)]).toEqual([text, false])
  })
})

const noAddresses = [
  ...['', 'unknown', '10.0.0', '10.0.0.1:443', '[::1]', '[::1]:443', '010.0.0.1', '0x0a.0.0.1'],
  ...['10.0.0.1/8', ' 10.0.0.1', '10.0.0.1%eth0', 'fe80::1%eth0', '::ffff:10.0.0.1%1', '::1%'],
]

describe('plainAddress', () => {
  test.each([
    { text: '10.1.2.3', plain: '10.1.2.3' },
    { text: '::ffff:10.1.2.3', plain: '10.1.2.3' },
    { text: '::FFFF:0A01:0203', plain: '10.1.2.3' },
    { text: '0:0:0:0:0:ffff:a01:203', plain: '10.1.2.3' },
    { text: '2001:0DB8:0:0::0001', plain: '2001:db8::1' },
    { text: '::', plain: '::' },
    { text: '::10.1.2.3', plain: '::10.1.2.3' },
  ])('writes $text as $plain', ({ text, plain }) => {
    expect(plainAddress(text)).toBe(plain)
  })

  test('is empty for text that is not an address', () => {
    expect(noAddresses.filter((text) => plainAddress(text) !== '')).toEqual([])
  })
})
