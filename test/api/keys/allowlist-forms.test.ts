import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressMatcher } from '../../../schema/vocabulary/ip-allowlist.ts'
import { canonicalRange } from '../../../subgraphs/keys/address-ranges/address-range.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/** The input, and the canonical form in which it is stored and shown. */
const forms: readonly (readonly [written: string, canonical: string])[] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/32', '203.0.113.7'],
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['10.255.255.255/8', '10.0.0.0/8'],
  ['172.31.255.255/12', '172.16.0.0/12'],
  ['192.0.2.255/25', '192.0.2.128/25'],
  ['198.51.100.3/31', '198.51.100.2/31'],
  ['255.255.255.255', '255.255.255.255'],
  ['255.255.255.255/1', '128.0.0.0/1'],
  ['0.0.0.0', '0.0.0.0'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['198.51.100.7/0', '0.0.0.0/0'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['0000:0000:0000:0000:0000:FFFF:CB00:7107', '203.0.113.7'],
  ['::ffff:203.0.113.7/128', '203.0.113.7'],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::ffff:203.0.113.7/96', '0.0.0.0/0'],
  // Wider than all of v4: a range of v6, which holds no v4 address.
  ['::ffff:203.0.113.7/95', '::fffe:0:0/95'],
  ['::ffff:203.0.113.7/80', '::/80'],
  ['::1', '::1'],
  ['::1/128', '::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::', '::'],
  ['::/0', '::/0'],
  ['2001:db8::1/0', '::/0'],
  ['::/128', '::'],
  // v4-compatible, not mapped: no v4 address is meant (RFC 4291 §2.5.5.1).
  ['::203.0.113.7', '::cb00:7107'],
  ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
  ['2001:db8::', '2001:db8::'],
  ['2001:DB8::ABCD', '2001:db8::abcd'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['2001:DB8:ffff::1/32', '2001:db8::/32'],
  ['2001:db8:abcd:1234:5678::/52', '2001:db8:abcd:1000::/52'],
  ['2001:db8::ffff/113', '2001:db8::8000/113'],
  ['2001:db8::ffff/127', '2001:db8::fffe/127'],
  ['fe80::1/10', 'fe80::/10'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/1', '8000::/1'],
]

/** At the edges of every range above, and around them. */
const addresses = [
  ...['0.0.0.0', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0', '127.255.255.255'],
  ...['128.0.0.0', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0', '192.0.2.127'],
  ...['192.0.2.128', '192.0.2.255', '198.51.100.2', '198.51.100.3', '198.51.100.7', '203.0.113.0'],
  ...['203.0.113.6', '203.0.113.7', '203.0.113.8', '203.0.113.255', '203.0.114.0'],
  ...['255.255.255.255', '::', '::1', '::2', '::cb00:7107', '::fffe:0:0', '::ffff:203.0.113.7'],
  ...['::ffff:10.1.2.3', '::1:0:0:0', '64:ff9b::cb00:7107', '2001:0:0:1::1', '2001:db7::'],
  ...['2001:db8::', '2001:db8::1', '2001:db8::7fff', '2001:db8::8000', '2001:db8::fffe'],
  ...['2001:db8::ffff', '2001:db8::abcd', '2001:db8::1:0:0:1', '2001:db8:0:1:1:1:1:1'],
  ...['2001:db8:abcd:1000::', '2001:db8:abcd:1fff::', '2001:db8:abcd:2000::', '2001:db9::'],
  ...['7fff::', '8000::', 'fe80::1', 'febf::1', 'fec0::1', 'ffff::1'],
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
]

test(`the table has ${forms.length} forms`, () => {
  expect(new Set(forms.map(([written]) => written)).size).toBe(forms.length)
})

describe('ip_allowlist', () => {
  test.each(forms)('%s is shown and stored as %s', async (written, canonical) => {
    const { liveKey } = await gateway.createAccount()

    const { status, body } = await gateway.live.post(
      '/v1/account/keys',
      { name: 'New', ip_allowlist: [written] },
      liveKey,
    )

    const { id, ip_allowlist } = Object(body)
    const [row] = await gateway.database.query<{ ip_allowlist: string[] }>(
      'SELECT ip_allowlist FROM keys.api_key WHERE id = $1',
      [id],
    )
    expect([status, ip_allowlist, row?.ip_allowlist]).toEqual([201, [canonical], [canonical]])
  })

  test.each(forms)('%s lets the same addresses pass as %s', (written, canonical) => {
    const [asWritten, asStored] = [addressMatcher([written]), addressMatcher([canonical])]

    expect(addresses.filter((address) => asStored(address))).toEqual(
      addresses.filter((address) => asWritten(address)),
    )
    expect(canonicalRange(canonical)).toBe(canonical)
  })

  test('holds every range once, in the given order, whatever the spelling', async () => {
    const { liveKey } = await gateway.createAccount()
    const ip_allowlist = [
      '2001:DB8::1/32',
      '10.9.9.9/8',
      '::ffff:10.0.0.0/104',
      '2001:db8::/32',
      '10.1.0.0/16',
      '10.0.0.0/8',
    ]

    const { body } = await gateway.live.post(
      '/v1/account/keys',
      { name: 'New', ip_allowlist },
      liveKey,
    )

    expect(Object(body).ip_allowlist).toEqual(['2001:db8::/32', '10.0.0.0/8', '10.1.0.0/16'])
  })

  test('holds 100 ranges, and refuses one more', async () => {
    const { liveKey } = await gateway.createAccount()
    const ranges = Array.from({ length: 101 }, (_, index) => `10.0.${index}.0/24`)

    const most = await gateway.live.post(
      '/v1/account/keys',
      { name: 'New', ip_allowlist: ranges.slice(1) },
      liveKey,
    )
    const tooMany = await gateway.live.post(
      '/v1/account/keys',
      { name: 'New', ip_allowlist: ranges },
      liveKey,
    )

    expect([most.status, Object(most.body).ip_allowlist]).toEqual([201, ranges.slice(1)])
    const message = 'must have at most 100 entries'
    expectError(gateway, tooMany, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `ip_allowlist: ${message}`,
      details: [{ field: 'ip_allowlist', in: 'body', message }],
    })
  })

  test('is canonical too when an administrator writes it', async () => {
    const { id } = await gateway.createAccount()

    const { createApiKey } = Object(
      await gateway.graphql(
        `mutation ($input: CreateApiKeyInput!) {
          createApiKey(input: $input) { apiKey { ipAllowlist } }
        }`,
        {
          input: {
            accountId: id,
            environment: 'LIVE',
            name: 'New',
            ipAllowlist: ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
          },
        },
      ),
    )

    expect(createApiKey.apiKey).toEqual({ ipAllowlist: ['10.0.0.0/8'] })
  })

  test.each([
    { range: '127.0.0.9/8', status: 200 },
    { range: '::ffff:127.0.0.1', status: 200 },
    { range: '::ffff:127.0.0.9/104', status: 200 },
    { range: '127.0.0.2', status: 403 },
    { range: '::1', status: 403 },
    { range: '::ffff:128.0.0.1/104', status: 403 },
  ])('of a key with $range answers a call from 127.0.0.1 with $status', async (row) => {
    const { liveKey } = await gateway.createAccount()
    const { body } = await gateway.live.post(
      '/v1/account/keys',
      { name: 'New', ip_allowlist: [row.range] },
      liveKey,
    )

    const response = await gateway.live.get('/v1/account', Object(body).plaintext)

    expect(response.status).toBe(row.status)
  })
})
