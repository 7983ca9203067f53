import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../gateway/config/config.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { forgedAddresses, forgeries, type RawHeaders } from './forged-headers.ts'
import { type ForwardingStyle, startForwardingProxy } from './forwarding-proxy.ts'

/** Where the client really is; all of 127.0.0.0/8 is this machine. */
const clientAddress = '127.0.0.9'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
let cases = 0
afterAll(async () => {
  await database.drop()
  console.info(`forged addresses: ${cases} cases`)
})

interface Way {
  readonly title: string
  readonly trustProxy: string
  /** From the client to the gateway: where each proxy connects from. */
  readonly proxies: readonly string[]
  readonly style: ForwardingStyle
}

const ways: readonly Way[] = [
  { title: 'direct', trustProxy: '', proxies: [], style: 'adds a line' },
  {
    title: 'behind a proxy that is not trusted',
    trustProxy: 'false',
    proxies: [clientAddress],
    style: 'appends to the line',
  },
  {
    title: 'behind a proxy, one hop trusted',
    trustProxy: '1',
    proxies: ['127.0.0.1'],
    style: 'appends to the line',
  },
  {
    title: 'behind a proxy that adds a line, one hop trusted',
    trustProxy: '1',
    proxies: ['127.0.0.1'],
    style: 'adds a line',
  },
  {
    title: 'behind a proxy that is trusted by its block',
    trustProxy: '127.0.0.0/30',
    proxies: ['127.0.0.1'],
    style: 'appends to the line',
  },
  {
    title: 'behind two proxies, two hops trusted',
    trustProxy: '2',
    proxies: ['127.0.0.2', '127.0.0.1'],
    style: 'appends to the line',
  },
  {
    title: 'behind two proxies that are trusted by their addresses',
    trustProxy: '127.0.0.1, 127.0.0.2',
    proxies: ['127.0.0.2', '127.0.0.1'],
    style: 'adds a line',
  },
  {
    title: 'direct, past the proxy that is trusted',
    trustProxy: '127.0.0.0/30',
    proxies: [],
    style: 'adds a line',
  },
]

describe.each(chosen('ways', ways, 2))(
  'an IP allowlist, $title',
  ({ trustProxy, proxies, style }) => {
    let gateway: TestGateway
    let url: string
    const agent = new Agent({ keepAlive: true, localAddress: clientAddress })
    const closing: (() => Promise<void>)[] = []
    beforeAll(async () => {
      gateway = await startTestGateway({ TRUST_PROXY: trustProxy }, { database })
      closing.push(() => gateway.close())
      url = gateway.baseUrl
      for (const localAddress of proxies.toReversed()) {
        const proxy = await startForwardingProxy({ target: url, localAddress, style })
        closing.push(() => proxy.close())
        url = proxy.url
      }
    })
    afterAll(async () => {
      agent.destroy()
      for (const close of closing.toReversed()) await close()
    })

    test('that lacks the client is passed by no forged header', async () => {
      const { id } = await gateway.createAccount()
      const ipAllowlist = ['10.0.0.0/8', '2001:db8::/32', '::/127', '127.0.0.1', '127.0.0.2']
      const { plaintext } = await gateway.createKey(id, { ipAllowlist })

      for (const headers of forgeries()) {
        const response = await send(agent, url, plaintext, headers)

        expect([headers, response.status]).toEqual([headers, 403])
        expectError(gateway, response, { status: 403, code: 'IP_NOT_ALLOWED' })
        cases += 1
      }
    })

    test('that has the client is passed whatever is forged', async () => {
      const keys = await Promise.all(
        ['127.0.0.9', '127.0.0.8/31', '::ffff:127.0.0.9', '::FFFF:7f00:9'].map(async (range) => {
          const { id } = await gateway.createAccount()
          return (await gateway.createKey(id, { ipAllowlist: [range] })).plaintext
        }),
      )

      for (const [index, headers] of forgeries().entries()) {
        const key = keys[index % keys.length] ?? ''
        const { status } = await admitted(() => send(agent, url, key, headers))

        expect([headers, status]).toEqual([headers, 200])
        cases += 1
      }
    })
  },
)

/** One GET /v1/account with exactly these headers. */
function send(agent: Agent, url: string, key: string, headers: RawHeaders): Promise<TestResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>()
  const { host } = new URL(url)
  const raw = ['Host', host, 'Authorization', `Bearer ${key}`, ...headers]
  const outgoing = request(`${url}/v1/account`, { agent, headers: raw }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => {
      const entries = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const response = { headers: new Headers(Object.fromEntries(entries)), body }
      resolve({ ...response, status: answer.statusCode ?? 0 })
    })
  })
  outgoing.on('error', reject)
  outgoing.end()
  return promise
}

describe('an address that a trusted proxy reports', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ TRUST_PROXY: '1' }, { database })
  })
  afterAll(() => gateway.close())

  const say = (key: string, address: string) =>
    admitted(() => gateway.live.get('/v1/account', key, { 'x-forwarded-for': address }))

  const addresses = new Map([
    ['10.1.2.3', 'v4'],
    ['10.1.2.3 ', 'v4'],
    ['\t10.1.2.3', 'v4'],
    ['::ffff:10.1.2.3', 'v4'],
    ['::FFFF:10.1.2.3', 'v4'],
    ['::ffff:0a01:0203', 'v4'],
    ['0:0:0:0:0:ffff:10.1.2.3', 'v4'],
    ['10.1.2.3:51234', 'v4'],
    ['10.1.2.3:80', 'v4'],
    ['[::ffff:10.1.2.3]', 'v4'],
    ['[::ffff:10.1.2.3]:443', 'v4'],
    ['2001:db8::1', 'v6'],
    ['[2001:db8::1]', 'v6'],
    ['[2001:db8::1]:443', 'v6'],
    ['[2001:DB8:0::1]:65535', 'v6'],
    ['2001:DB8::1', 'v6'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', 'v6'],
  ])

  test('is accepted in any valid spelling', async () => {
    const { id } = await gateway.createAccount()
    const v4 = await gateway.createKey(id, { ipAllowlist: ['10.1.2.3'] })
    const v6 = await gateway.createKey(id, { ipAllowlist: ['2001:db8::1'] })

    for (const [address, version] of addresses) {
      const statuses = [
        (await say(v4.plaintext, address)).status,
        (await say(v6.plaintext, address)).status,
      ]

      expect([address, statuses]).toEqual([address, version === 'v4' ? [200, 403] : [403, 200]])
      cases += 2
    }
  })

  test('has no port that is none, and no bracket alone', async () => {
    const { id } = await gateway.createAccount()
    const ipAllowlist = ['10.0.0.0/8', '2001:db8::/32']
    const { plaintext } = await gateway.createKey(id, { ipAllowlist })

    for (const address of [
      ...['10.1.2.3:', '10.1.2.3:x', '10.1.2.3:123456', '10.1.2.3:-1', ':80', '10.1.2.3:80:80'],
      ...['[10.1.2.3', '10.1.2.3]:80', '[2001:db8::1]:', '[2001:db8::1]443', '[2001:db8::1%1]:443'],
    ]) {
      expect([address, (await say(plaintext, address)).status]).toEqual([address, 403])
      cases += 1
    }
  })

  test.each([
    ['the number of its hops', '2'],
    ['its address', '127.0.0.1, 10.9.9.9'],
  ])('is read behind proxies that write ports, which are trusted by %s', async (_, trusted) => {
    const behind = await startTestGateway({ TRUST_PROXY: trusted }, { database })
    try {
      const { id } = await behind.createAccount()
      const { plaintext } = await behind.createKey(id, { ipAllowlist: ['203.0.113.7'] })
      const from = async (addresses: string) => {
        const headers = { 'x-forwarded-for': addresses }
        return (await behind.live.get('/v1/account', plaintext, headers)).status
      }

      expect(await from('203.0.113.7:51234, 10.9.9.9:4444')).toBe(200)
      expect(await from('198.51.100.1:1, 203.0.113.7:51234,10.9.9.9')).toBe(200)
      expect(await from('203.0.113.7:51234, 198.51.100.1:1, 10.9.9.9:4444')).toBe(403)
    } finally {
      await behind.close()
    }
  })

  test('matches no allowlist when it is misspelt or not an address', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const ipAllowlist = ['10.0.0.0/8', '2001:db8::/32', '127.0.0.0/8', '::1', '::ffff:10.0.0.0/104']
    const { plaintext } = await gateway.createKey(id, { ipAllowlist })
    const inside = new Set([
      ...addresses.keys(),
      '127.0.0.1',
      '127.0.0.2',
      '::1',
      '::ffff:127.0.0.1',
    ])

    for (const address of forgedAddresses.filter((text) => !inside.has(text))) {
      const response = await say(plaintext, address)

      expect([address, response.status]).toEqual([address, 403])
      expectError(gateway, response, { status: 403, code: 'IP_NOT_ALLOWED' })
      // A key that may be used from anywhere may be used from there too.
      expect([address, (await say(liveKey, address)).status]).toEqual([address, 200])
      cases += 2
    }
  })
})

describe('TRUST_PROXY', () => {
  test.each([
    'true',
    'TRUE',
    'yes',
    '*',
    'all',
    'loopback',
    '-1',
    '100',
    '1.5',
    '1,2',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0.0.0.0/96',
    '10.0.0.0/8,::/0',
    '10.0.0.0/33',
    '10.0.0.1:80',
    'fe80::1%eth0',
  ])('makes the start fail with %s', (text) => {
    expect(() => readConfig({ TRUST_PROXY: text }, [])).toThrow(ConfigError)
    cases += 1
  })
})
