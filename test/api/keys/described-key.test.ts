import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { authorize, registerApp } from '../../support/oauth/oauth-flow.ts'
import { patience } from '../../support/time/patience.ts'
import {
  anyUse,
  createKey,
  getKey,
  invalidKey,
  type KeyRecord,
  notFound,
  patchKey,
  rotateKey,
  statusOf,
} from './key-record.ts'

let gateway: TestGateway
/** Another process on the same database. */
let other: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  other = await startTestGateway({}, { database: gateway.database })
})
afterAll(async () => {
  await other.close()
  await gateway.close()
})

const path = '/v1/account/keys'

describe('enabled', () => {
  test('false refuses a key like a revoked one, in every process, and true accepts it again', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey)
    expect(await statusOf(gateway.live, plaintext)).toBe(200)
    expect(await statusOf(other.live, plaintext)).toBe(200)

    const disabled = await patchKey(gateway.live, liveKey, id, { enabled: false })

    expect([disabled.status, disabled.body]).toMatchObject([
      200,
      { id, status: 'active', enabled: false },
    ])
    expectError(gateway, await gateway.live.get('/v1/account', plaintext), invalidKey)
    await vi.waitUntil(async () => (await statusOf(other.live, plaintext)) === 401, patience)

    expect((await patchKey(other.live, liveKey, id, { enabled: true })).status).toBe(200)
    expect(await statusOf(other.live, plaintext)).toBe(200)
    await vi.waitUntil(async () => (await statusOf(gateway.live, plaintext)) === 200, patience)
  })

  test('false counts at once for the key that has said it', async () => {
    const { id: accountId } = await gateway.createAccount()
    const key = await gateway.createKey(accountId, { scopes: ['*'] })

    expect((await patchKey(gateway.live, key.plaintext, key.id, { enabled: false })).status).toBe(
      200,
    )

    expectError(gateway, await gateway.live.post(path, { name: 'Late' }, key.plaintext), invalidKey)
  })

  test('is no member of a new key, and must be true or false', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey)

    const created = await gateway.live.post(path, { name: 'A', enabled: false }, liveKey)
    const changed = await patchKey(gateway.live, liveKey, id, { enabled: null })

    expectError(gateway, created, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: 'enabled: is not known here' },
      details: [{ field: 'enabled', in: 'body', message: 'is not known here' }],
    })
    expectError(gateway, changed, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: 'enabled: must be true or false' },
      details: [{ field: 'enabled', in: 'body', message: 'must be true or false' }],
    })
  })
})

describe('external_id and metadata', () => {
  test('are stored as they are written, shown, changed as a whole and removed', async () => {
    const { liveKey } = await gateway.createAccount()
    const external_id = 'team:#7/a?b="c"'
    const metadata = { plan: 'trial', note: '  ü\n', ['x'.repeat(40)]: 'y'.repeat(500), none: '' }

    const { plaintext: _, ...created } = await createKey(gateway.live, liveKey, {
      external_id,
      metadata,
    })
    const kept = await patchKey(gateway.live, liveKey, created.id, { name: 'Renamed' })
    const changed = await patchKey(gateway.live, liveKey, created.id, {
      external_id: null,
      metadata: { plan: 'paid' },
    })

    expect(created).toMatchObject({ external_id, metadata })
    expect(kept.body).toEqual({ ...created, name: 'Renamed', last_used_at: anyUse })
    expect(changed.body).toEqual({
      ...{ ...created, name: 'Renamed', last_used_at: anyUse },
      ...{ external_id: null, metadata: { plan: 'paid' } },
    })
    expect(await getKey(gateway.live, liveKey, created.id)).toEqual(changed.body)
  })

  test('are refused with every wrong member named', async () => {
    const { liveKey } = await gateway.createAccount()
    const visible =
      'must have 1 to 128 visible ASCII characters, and no . or .. as a part between slashes'
    const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`n${index}`, 'x']))

    const problems = async (body: object) => {
      const response = await gateway.live.post(path, { name: 'A', ...body }, liveKey)
      expect(response.status).toBe(422)
      const { details } = Object(Object(response.body).error)
      return details.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)
    }

    for (const external_id of ['', ' ', 'two words', 'é', 'x'.repeat(129), 'a\n']) {
      expect(await problems({ external_id })).toEqual([`external_id: ${visible}`])
    }
    expect(await problems({ external_id: 5, metadata: 'x' })).toEqual([
      'metadata: must be an object with texts as values',
      'external_id: must be text',
    ])
    expect(await problems({ metadata: pairs })).toEqual(['metadata: must have at most 16 members'])
    expect(await problems({ metadata: { long: 'x'.repeat(501), no: 5 } })).toEqual([
      'metadata.long: must have at most 500 characters',
      expect.stringMatching(/^metadata\.no: /),
    ])
    for (const name of ['', ' ', 'x'.repeat(41)]) {
      expect(await problems({ metadata: { [name]: 'x' } })).not.toEqual([])
    }
  })

  test('keep a member named __proto__ like any other, in replays and for internal tools too', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const metadata: unknown = JSON.parse('{"__proto__":"v","constructor":"w"}')
    const retried = { 'x-svc-idempotency-key': 'once' }
    const { plaintext: _, ...created } = await createKey(gateway.live, liveKey, { metadata })
    const { id } = await createKey(gateway.live, liveKey)
    const changed = await patchKey(gateway.live, liveKey, id, { metadata }, retried)
    const replayed = await patchKey(gateway.live, liveKey, id, { metadata }, retried)
    const { changeApiKey: byTool } = await gateway.graphql(
      `mutation ($id: ID!, $accountId: ID, $input: ChangeApiKeyInput!) {
        changeApiKey(id: $id, accountId: $accountId, input: $input) { metadata }
      }`,
      { id, accountId, input: { metadata } },
    )
    const { account } = await gateway.graphql(
      `query ($id: ID!) { account(id: $id) { apiKeys { id metadata } } }`,
      { id: accountId },
    )

    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    const listed = Object(account).apiKeys.filter((one: KeyRecord) =>
      [created.id, id].includes(one.id),
    )
    const answers = [created, changed.body, replayed.body, await getKey(gateway.live, liveKey, id)]
    const all = [...answers, byTool, ...listed]
    // `toEqual` sees no member named __proto__.
    expect(all.map((one) => new Map(Object.entries(Object(one).metadata)))).toEqual(
      Array.from(all, () => new Map(Object.entries(Object(metadata)))),
    )
    expect(all).toHaveLength(7)
  })

  test('refuse a wrong member named __proto__ by its name', async () => {
    const { liveKey } = await gateway.createAccount()
    const metadata: unknown = JSON.parse('{"__proto__":{"x":1},"toString":5," ":5}')

    const refused = await gateway.live.post(path, { name: 'A', metadata }, liveKey)

    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: ['__proto__', 'toString', ' ', ' '].map((name) => ({
        field: `metadata.${name}`,
        in: 'body',
        message: expect.any(String),
      })),
    })
  })

  test('go to the successor, with the state of the key', async () => {
    const { liveKey } = await gateway.createAccount()
    const details = { external_id: 'agent-1', metadata: { a: 'b' } }
    const { id } = await createKey(gateway.live, liveKey, details)
    expect((await patchKey(gateway.live, liveKey, id, { enabled: false })).status).toBe(200)

    const { status, body } = await rotateKey(gateway.live, liveKey, id, { grace_seconds: 60 })

    expect([status, body]).toMatchObject([201, { ...details, enabled: false }])
    expect(await statusOf(gateway.live, Object(body).plaintext)).toBe(401)
  })
})

describe('created_by', () => {
  test('names the key or the internal tool', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const issuer = await gateway.createKey(accountId, { scopes: ['*'] })

    const { id } = await createKey(gateway.live, issuer.plaintext)
    const rotated = await rotateKey(gateway.live, liveKey, id)

    expect((await getKey(gateway.live, liveKey, id)).created_by).toBe(issuer.id)
    expect((await getKey(gateway.live, liveKey, issuer.id)).created_by).toMatch(/^internal:tok_/)
    const { body } = await gateway.live.get(`${path}/current`, liveKey)
    expect(Object(rotated.body).created_by).toBe(Object(body).id)
  })
})

describe('GET /v1/account/keys with filters', () => {
  async function names(key: string, query: string): Promise<string[]> {
    const { status, body } = await gateway.live.get(`${path}?${query}`, key)
    expect(status).toBe(200)
    return Object(body).items.map(({ name }: { name: string }) => name)
  }

  test('q is a part of the name or of what is shown of the secret, whatever its case', async () => {
    const { liveKey } = await gateway.createAccount()
    const { last4 } = await createKey(gateway.live, liveKey, { name: 'Alpha 100%' })
    await createKey(gateway.live, liveKey, { name: 'beta_test' })

    expect(await names(liveKey, 'q=ALPHA')).toEqual(['Alpha 100%'])
    expect(await names(liveKey, 'q=0%25')).toEqual(['Alpha 100%'])
    expect(await names(liveKey, 'q=_')).toContain('beta_test')
    expect(await names(liveKey, 'q=a_t')).toEqual(['beta_test'])
    expect(await names(liveKey, `q=${last4.toLowerCase()}`)).toContain('Alpha 100%')
    expect(await names(liveKey, 'q=SVC_LIVE')).toHaveLength(3)
    expect(await names(liveKey, 'q=%5C')).toEqual([])
  })

  test('status and external_id choose keys, page by page', async () => {
    const { liveKey } = await gateway.createAccount()
    const external_id = 'customer-17'
    const add = (name: string) => createKey(gateway.live, liveKey, { name, external_id })
    const [, off, over, gone] = [
      await add('on'),
      await add('off'),
      await add('over'),
      await add('gone'),
    ]
    expect((await patchKey(gateway.live, liveKey, off.id, { enabled: false })).status).toBe(200)
    await gateway.database.query(
      "UPDATE keys.api_key SET expires_at = now() - interval '1 second' WHERE id = $1",
      [over.id],
    )
    const revoked = await gateway.live.request(`${path}/${gone.id}`, {
      ...{ method: 'DELETE', key: liveKey },
    })
    expect(revoked.status).toBe(200)

    expect(await names(liveKey, 'status=active')).toEqual(['on', 'First key'])
    expect(await names(liveKey, 'status=disabled')).toEqual(['off'])
    expect(await names(liveKey, 'status=expired')).toEqual(['over'])
    expect(await names(liveKey, 'status=revoked')).toEqual(['gone'])
    expect(await names(liveKey, 'external_id=customer-1')).toEqual([])
    expect(await names(liveKey, 'external_id=customer-17&status=active')).toEqual(['on'])

    const first = await gateway.live.get(`${path}?external_id=customer-17&limit=3`, liveKey)
    const { items, next_cursor } = Object(first.body)
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['gone', 'over', 'off'])
    const rest = `external_id=customer-17&cursor=${next_cursor}`
    expect(await names(liveKey, rest)).toEqual(['on'])
  })

  test('a wrong filter is refused, each named', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`${path}?status=gone&q=&external_id=a%20b`, liveKey)

    expect(response.status).toBe(422)
    const { details } = Object(Object(response.body).error)
    expect(details.map(({ field }: { field: string }) => field)).toEqual([
      ...['q', 'status', 'external_id'],
    ])
  })
})

describe('GET /v1/account/keys/current', () => {
  test('shows any key itself, whatever its scopes', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(accountId, { scopes: ['seo:read'] })

    const { status, body } = await gateway.live.get(`${path}/current`, plaintext)

    const shown = await getKey(gateway.live, liveKey, id)
    expect([status, body]).toEqual([200, { ...shown, last_used_at: anyUse, effective_budgets: [] }])
  })

  test('is not for access tokens', async () => {
    const owner = await gateway.createAccount()
    const app = await registerApp(gateway)
    const { accessToken: token } = await authorize(gateway, app, { owner })

    expectError(gateway, await gateway.live.get(`${path}/current`, token), invalidKey)
  })
})

describe('changeApiKey of internal tools', () => {
  const change = `mutation ($id: ID!, $accountId: ID, $input: ChangeApiKeyInput!) {
    changeApiKey(id: $id, accountId: $accountId, input: $input) {
      id enabled externalId metadata budgets { period limitCredits }
    }
  }`

  test('changes any key of the account that is named, and no other', async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const key = await gateway.createKey(own.id)
    const input = { enabled: false, externalId: 'x', metadata: { a: 'b' } }

    const changed = await gateway.graphql(change, { id: key.id, accountId: own.id, input })

    const shown = { id: key.id, ...input, budgets: [] }
    expect(changed).toEqual({ changeApiKey: shown })
    expect(await statusOf(gateway.live, key.plaintext)).toBe(401)
    await expect(
      gateway.graphql(change, { id: key.id, accountId: foreign.id, input }),
    ).rejects.toThrow(notFound.message)
    await expect(gateway.graphql(change, { id: key.id, input })).rejects.toThrow('accountId')
  })
})
