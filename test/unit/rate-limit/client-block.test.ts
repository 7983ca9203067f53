import { expect, test } from 'vitest'
import { clientBlock } from '../../../schema/vocabulary/client-block.ts'
import { plainAddress } from '../../../schema/vocabulary/ip-allowlist.ts'

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['2001:db8::3:4:5:6', '2001:db8:0:0'],
  ['2001:db8:0:1::', '2001:db8:0:1'],
  ['2001:db8::1:0:0:0:0', '2001:db8:0:1'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['::198.51.100.7', '0:0:0:0'],
  ['64:ff9b::198.51.100.7', '64:ff9b:0:0'],
  ['not an address', ''],
])('a client at %s is counted as %s', (address, block) => {
  expect(clientBlock(plainAddress(address))).toBe(block)
})
