import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { chosen } from '../../support/extent/extent.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { newIds, plantOfParam } from '../../support/gateway/plants.ts'
import { pathWith, routeRequests } from '../../support/requests/valid-requests.ts'
import { patience } from '../../support/time/patience.ts'

const environments = ['live', 'sandbox'] as const

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

interface Line {
  readonly action: string
  readonly result: string
  readonly actor_kind: string
  readonly actor_id: string
  readonly resource_id: string | null
  readonly address: string
  readonly request_id: string
  readonly details: Record<string, unknown>
}

const columns = 'action, result, actor_kind, actor_id, resource_id, address, request_id, details'

/** The lines that a request has left, once nothing more can come. */
async function linesOf(requestId: string | null, atLeast = 1): Promise<Line[]> {
  const read = () =>
    gateway.database.query<Line>(
      `SELECT ${columns} FROM usage.audit_event WHERE request_id = $1 ORDER BY id`,
      [requestId],
    )
  await vi.waitFor(async () => {
    expect((await read()).length).toBeGreaterThanOrEqual(atLeast)
    const [jobs] = await gateway.database.query(
      `SELECT count(*)::int AS open FROM jobs.job
       WHERE name = 'RecordAuditEvents' AND state < 'completed' AND data::text LIKE $1`,
      [`%${requestId}%`],
    )
    expect(jobs).toEqual({ open: 0 })
  }, patience)
  return read()
}

const path = '/v1/account/keys'

describe('a change of keys leaves one line in the audit trail', () => {
  test.each([
    ['key.create', 'post', '', { name: 'Mine' }, { name: 'Mine', scopes: ['*'] }],
    ['key.update', 'patch', '/:id', { name: 'Other' }, { name: 'Other' }],
    ['key.rotate', 'post', '/:id/rotate', {}, { replaced_by: expect.stringMatching(/^key_/) }],
    ['key.revoke', 'delete', '/:id', undefined, {}],
  ])('%s', async (action, method, below, body, details) => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId)
    const url = `${path}${below.replace(':id', id)}`

    const answer = await gateway.live.request(url, {
      method: method.toUpperCase(),
      key: liveKey,
      ...(body && { body }),
    })

    expect(answer.status).toBeLessThan(300)
    const resource_id = below === '' ? Object(answer.body).id : id
    expect(await linesOf(answer.headers.get('x-request-id'))).toEqual([
      {
        action,
        result: 'succeeded',
        actor_kind: 'key',
        actor_id: expect.stringMatching(/^key_/),
        resource_id,
        address: '127.0.0.1',
        request_id: answer.headers.get('x-request-id'),
        details,
      },
    ])
  })

  test('the reset of the sandbox leaves one too, without the plaintext of the new key', async () => {
    const { liveKey } = await gateway.createAccount()

    const answer = await gateway.live.post('/v1/account/sandbox/reset', undefined, liveKey)

    expect(answer.status).toBe(200)
    const lines = await linesOf(answer.headers.get('x-request-id'))
    expect(lines).toMatchObject([
      {
        action: 'sandbox.reset',
        result: 'succeeded',
        resource_id: expect.stringMatching(/^key_/),
        details: { keys_revoked: 1 },
      },
    ])
    expect(JSON.stringify(lines)).not.toContain(Object(answer.body).plaintext)
  })

  test('a change without an effect leaves none', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId)
    const revoke = () => gateway.live.request(`${path}/${id}`, { method: 'DELETE', key: liveKey })
    const first = await revoke()

    expect((await revoke()).status).toBe(200)

    expect(await linesOf(first.headers.get('x-request-id'))).toHaveLength(1)
    const lines = await gateway.database.query(
      `SELECT 1 FROM usage.audit_event WHERE resource_id = $1 AND action = 'key.revoke'`,
      [id],
    )
    expect(lines).toHaveLength(1)
  })

  test('a plaintext key sent as an id is never recorded', async () => {
    const { liveKey } = await gateway.createAccount()
    const secret = liveKey.split('_').at(-1)

    await expect(
      gateway.graphql(`mutation { revokeApiKey(id: "${liveKey}") { id } }`),
    ).rejects.toThrow('No API key has this id.')
    const { headers } = await gateway.live.get(`/v1/contacts/svc%5Flive%5F${secret}`, liveKey)

    const [kept] = await gateway.database.query(
      `SELECT (SELECT count(*)::int FROM jobs.job j WHERE j::text LIKE $1) AS jobs,
         (SELECT count(*)::int FROM usage.audit_event e WHERE e::text LIKE $1) AS lines`,
      [`%${secret}%`],
    )
    expect(kept).toEqual({ jobs: 0, lines: 0 })
    await vi.waitFor(async () => {
      const [row] = await gateway.database.query(
        'SELECT endpoint FROM usage.usage_log WHERE request_id = $1',
        [headers.get('x-request-id')],
      )
      expect(row).toEqual({ endpoint: '/v1/contacts/svc%5Flive%5F***' })
    }, patience)
  })

  test('a refused change leaves one too, with the error code', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId)
    await gateway.live.request(`${path}/${id}`, { method: 'DELETE', key: liveKey })

    const answer = await gateway.live.post(`${path}/${id}/rotate`, {}, liveKey)

    expect(answer.status).toBe(409)
    expect(await linesOf(answer.headers.get('x-request-id'))).toMatchObject([
      { action: 'key.rotate', result: 'CONFLICT', resource_id: id },
    ])
  })
})

describe('a caller who is refused leaves one line in the audit trail', () => {
  test.each([
    ['IP_NOT_ALLOWED', { ipAllowlist: ['203.0.113.9'] }],
    ['FORBIDDEN', { scopes: ['billing:read'] }],
  ])('with %s', async (code, options) => {
    const { id: accountId } = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(accountId, options)

    const answer = await gateway.live.get('/v1/account', plaintext)

    expect(answer.status).toBe(403)
    expect(await linesOf(answer.headers.get('x-request-id'))).toMatchObject([
      { action: 'access.deny', result: code, actor_kind: 'key', actor_id: id },
    ])
  })

  test('also while others are refused by the hundred', async () => {
    const { id: accountId } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(accountId, { scopes: ['billing:read'] })
    const flood = Array.from({ length: 60 }, () => gateway.live.get('/v1/account', 'nonsense'))

    const answers = await Promise.all([
      ...flood,
      ...Array.from({ length: 5 }, () => gateway.live.get('/v1/account', plaintext)),
    ])

    for (const answer of answers.slice(60)) {
      expect(answer.status).toBe(403)
      expect(await linesOf(answer.headers.get('x-request-id'))).toHaveLength(1)
    }
  })

  test("is counted by address when the address is not allowed for the key, so the account's quota is not used up", async () => {
    const few = await startTestGateway({ ANONYMOUS_RPS: '20' })
    const { id: accountId } = await few.createAccount({
      tier: 'STARTER',
      subscriptionTier: 'pro_sub',
    })
    const { plaintext } = await few.createKey(accountId, { ipAllowlist: ['203.0.113.9'] })

    const answers = await Promise.all(
      Array.from({ length: 100 }, () => few.live.get('/v1/account', plaintext)),
    )

    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([403, 429]))
    const refused = statuses.filter((status) => status === 403).length
    await vi.waitFor(async () => {
      const [row] = await few.database.query(
        'SELECT count(*)::int FROM usage.usage_log WHERE account_id = $1',
        [accountId],
      )
      expect(row).toEqual({ count: refused })
    }, patience)
    await few.close()
  })

  test('is sampled in a flood: the refusals without a line are counted', async () => {
    const { id: accountId } = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(accountId, { scopes: ['billing:read'] })

    const answers = await Promise.all(
      Array.from({ length: 90 }, () => gateway.live.get('/v1/account', plaintext)),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
    // Also without a later refusal.
    await vi.waitFor(async () => {
      const [row] = await gateway.database.query<{ lines: number; missing: number }>(
        `SELECT count(*)::int AS lines, sum((details ->> 'not_recorded_before')::int)::int AS missing
         FROM usage.audit_event WHERE actor_id = $1`,
        [id],
      )
      expect(Number(row?.lines)).toBeLessThan(90)
      expect(Number(row?.lines) + Number(row?.missing)).toBe(90)
    }, patience)
  })
})

describe('every route that changes something leaves exactly one line, which its account can read', () => {
  const changes = routeRequests().filter(({ method, isPublic }) => method !== 'GET' && !isPublic)
  /** A payment is made, and it is collected: with a provider that collects, at two times. */
  const twoChanges = ['POST /v1/billing/checkout']

  test.each(
    changes.flatMap((change) =>
      chosen(change.title, environments).map((environment) => ({ ...change, environment })),
    ),
  )('$title ($environment)', async ({ environment, method, path, params, body, title }) => {
    const account = await gateway.createAccount()
    const ids: Record<string, string> = {}
    for (const param of params) {
      const plant = plantOfParam(param)
      const [id = ''] = newIds(plant.prefix, 1)
      const options = { accountId: account.id, environment, ids: [id], canary: 'own' }
      await plant.put(gateway.database, options)
      ids[param] = id
    }
    // A key that survives the changes of the account's own keys.
    const { plaintext: key } = await gateway.createKey(account.id, {
      environment: environment === 'live' ? 'LIVE' : 'SANDBOX',
    })

    const answer = await gateway[environment].request(pathWith(path, ids), { method, key, body })

    const requestId = answer.headers.get('x-request-id')
    const lines = await linesOf(requestId)
    const result = answer.status < 300 ? 'succeeded' : Object(answer.body).error.code
    const expected = { result, actor_kind: 'key', address: '127.0.0.1', request_id: requestId }
    const count = twoChanges.includes(title) ? 2 : 1
    expect([title, lines]).toEqual([
      title,
      Array.from({ length: count }, () => expect.objectContaining(expected)),
    ])
    const reader = await gateway.createKey(account.id, {
      ...{ environment: environment === 'live' ? 'LIVE' : 'SANDBOX', scopes: ['audit:read'] },
    })
    const { body: page } = await gateway[environment].get(
      `/v1/account/audit/events?actor=${lines[0]?.actor_id}&result=${result}`,
      reader.plaintext,
    )
    const shown = Object(page).items.filter((item: Line) => item.request_id === requestId)
    expect(shown).toEqual(lines.toReversed().map((line) => expect.objectContaining(line)))
  })
})
