import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'
import { callerKey, sealCaller } from '../../../schema/credentials/caller-token.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { gatewaySecret, type TestGateway } from '../../support/gateway/gateway.ts'
import { startTestProcesses, type TestProcessSet } from '../../support/processes/process-set.ts'
import {
  hasRedis,
  type RedisServer,
  startRedisServer,
} from '../../support/processes/redis-server.ts'
import { createClient } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const caller = { kind: 'service', environment: 'live', requestId: '', traceId: '' } as const
const revealCredits = 5

describe.skipIf(!hasRedis)('a gateway of processes, two facades', () => {
  let redis: RedisServer
  let processes: TestProcessSet
  let doors: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    redis = await startRedisServer()
    // Keys are believed for an hour: only a notice can make a facade forget one. None has a database.
    const variables = { REDIS_URL: redis.url, KEY_CACHE_SECONDS: '3600' }
    processes = await startTestProcesses({ variables })
    doors = processes.doors
  })
  afterAll(async () => {
    await processes.close()
    await redis.close()
  })

  const reveal = (door: TestGateway, key: string, headers = {}) =>
    door.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key, headers)

  test('charges 60 parallel calls through both facades exactly as far as the balance goes (docs/promises.md M1)', async () => {
    const { id, liveKey } = await doors[0].createAccount({ credits: 20 * revealCredits })

    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        reveal(index % 2 === 0 ? doors[0] : doors[1], liveKey),
      ),
    )

    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(40).fill(402)])
    const { body } = await doors[1].live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 0, held: 0, available: 0 })
    const [charged] = await processes.database.query(
      `SELECT count(*)::int AS entries, -sum(credits)::int AS credits FROM account.ledger_entry
       WHERE account_id = $1 AND kind = 'charge'`,
      [id],
    )
    expect(charged).toEqual({ entries: 20, credits: 20 * revealCredits })
    await expectExactBooks(doors[0])
  })

  test('publishes the same keys for backend modules on both facades, and modules accept calls of either', async () => {
    const internal = processes.set.of('facade').map(({ urls }) => createClient(urls.internal ?? ''))
    const published = await Promise.all(internal.map((client) => client.get(backendJwksPath)))
    expect(published.map(({ status }) => status)).toEqual([200, 200])
    expect(Object(published[0]?.body).keys).toHaveLength(2)
    expect(published[1]?.body).toEqual(published[0]?.body)

    const { liveKey } = await doors[0].createAccount()
    const file = { name: 'one.svg', content_base64: 'PHN2Zy8+' }
    const stored = await doors[0].live.post('/v1/cloud/files', file, liveKey)
    const listed = await doors[1].live.get('/v1/cloud/files', liveKey)
    expect([stored.status, listed.status]).toEqual([201, 200])
    expect(Object(listed.body).items[0]).toEqual(stored.body)
  })

  test('refuses a key at one facade that was revoked through the other (docs/promises.md S4)', async () => {
    const { id, liveKey } = await doors[0].createAccount()
    const victim = await doors[0].createKey(id)
    for (const door of doors) {
      expect((await door.live.get('/v1/account', victim.plaintext)).status).toBe(200)
    }

    const revoked = await doors[0].live.request(`/v1/account/keys/${victim.id}`, {
      method: 'DELETE',
      key: liveKey,
    })

    expect(revoked.body).toMatchObject({ id: victim.id, status: 'revoked' })
    for (const door of doors) {
      await vi.waitUntil(
        async () => (await door.live.get('/v1/account', victim.plaintext)).status === 401,
        patience,
      )
    }
  })

  test('joins subgraphs and lists pages as one process does', async () => {
    const { id, liveKey } = await doors[0].createAccount({ credits: 100 })
    expect((await reveal(doors[1], liveKey)).status).toBe(200)

    const overview = await doors[0].live.get('/v1/account/overview', liveKey)
    const log = await vi.waitUntil(async () => {
      const answer = await doors[1].live.get(
        '/v1/account/usage/log?limit=1&service=contacts',
        liveKey,
      )
      return Object(answer.body).items.length === 1 ? answer : null
    }, patience)

    expect(overview.body).toMatchObject({ account: { id, balance: 95 } })
    expect(log.body).toMatchObject({
      items: [{ endpoint: '/v1/contacts/reveal', status: 200, credits: revealCredits }],
    })
  })

  test('runs an export on the worker, and sends its file from either facade', async () => {
    const { liveKey } = await doors[0].createAccount()
    const { body } = await doors[0].live.post('/v1/account/audit/export', undefined, liveKey)
    const pollPath = new URL(Object(body).poll_url).pathname

    const done = await vi.waitUntil(async () => {
      const poll = await doors[1].live.get(pollPath, liveKey)
      return Object(poll.body).status === 'completed' ? Object(poll.body) : null
    }, patience)

    const { pathname, search } = new URL(done.result_url)
    for (const door of doors) {
      const file = await fetch(door.baseUrl + pathname + search)
      expect(file.status).toBe(200)
      expect(await file.text()).toMatch(/^request_id,|^id,|^\w+,/)
    }
  })

  describe('a subgraph (docs/promises.md G4)', () => {
    const query = { query: '{ __typename }' }
    const urlOf = (role: string) => processes.set.of(role)[0]?.urls.internal ?? ''
    const keys = [callerKey(deriveKey(gatewaySecret, 'caller'))]
    const ask = (role: string, authorization?: string) =>
      createClient(urlOf(role)).request('/graphql', {
        method: 'POST',
        body: query,
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          // Headers that an attacker might try.
          ...{ 'x-account-id': 'acct_1', 'x-internal-caller': JSON.stringify(caller) },
        },
      })
    const sealed = async (role: string, by = keys) =>
      `Bearer ${await sealCaller(() => by, role, caller)}`

    test.for(['account', 'keys', 'oauth', 'usage'])(
      '%s answers a caller that was sealed for it',
      async (role) => {
        const { status, body } = await ask(role, await sealed(role))

        expect([status, body]).toEqual([200, { data: { __typename: 'Query' } }])
      },
    )

    test.for<[string, (role: string) => Promise<string | undefined>]>([
      ['nothing', async () => undefined],
      ['an API key', async () => `Bearer svc_live_${'a'.repeat(40)}`],
      ['an internal token', async () => `Bearer ${await doors[0].internalToken('admin')}`],
      ['a caller that was sealed for another subgraph', () => sealed('usage')],
      [
        'a caller that somebody else has sealed',
        (role) => sealed(role, [callerKey(deriveKey('another secret, as long as that', 'caller'))]),
      ],
      ['an expired caller', async (role) => `Bearer ${await aged(await plain(role), 200)}`],
      [
        'a caller without a signature',
        async (role) => {
          const [, payload] = (await plain(role)).split('.')
          const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
          return `Bearer ${header}.${payload}.`
        },
      ],
    ])('account refuses %s', async ([, authorizationFor]) => {
      const { status, body } = await ask('account', await authorizationFor('account'))

      expect(status).toBe(401)
      expect(body).toMatchObject({ error: { code: 'AUTHENTICATION_REQUIRED', status: 401 } })
    })

    const plain = (role: string) => sealCaller(() => keys, role, caller)

    /** The same token, as it was sealed so many seconds ago. */
    function aged(token: string, seconds: number): Promise<string> {
      const { iat = 0, exp = 0, ...claims } = decodeJwt(token)
      const { alg = '', ...header } = decodeProtectedHeader(token)
      const [key] = keys
      if (!key) throw new Error('There is a key.')
      return new SignJWT({ ...claims, iat: iat - seconds, exp: exp - seconds })
        .setProtectedHeader({ ...header, alg })
        .sign(key.key)
    }
  })

  test('keeps answering while another one is down, which recovers by itself', async () => {
    const { liveKey } = await doors[0].createAccount()
    const { liveKey: unknownYet } = await doors[0].createAccount()
    expect((await reveal(doors[0], liveKey)).status).toBe(200)
    const [keysRole] = processes.set.of('keys')
    keysRole?.signal('SIGSTOP')

    // The key of this call is remembered, and nothing else is asked of that subgraph.
    const charged = await reveal(doors[0], liveKey)
    const refused = await doors[0].live.get('/v1/account', unknownYet)
    // The facade stays ready: a balancer would otherwise have no facade left for all that goes on.
    const ready = await doors[0].live.get('/v1/ready')
    keysRole?.signal('SIGCONT')

    expect(ready.status).toBe(200)

    expect(charged.status).toBe(200)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', status: 503 } })
    await vi.waitUntil(
      async () => (await doors[0].live.get('/v1/account', unknownYet)).status === 200,
      patience,
    )
  })
})
