import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { registerApp, requestOf } from '../../support/oauth/asking.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { openPage, plantPage } from '../../support/oauth/sessions.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const contact = 'support@gateway.example'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ SUPPORT_CONTACT: contact })
})
afterAll(() => gateway.close())

async function setStatus(id: string, status: string, on = gateway): Promise<void> {
  await on.graphql(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
    { input: { id, status } },
  )
}

function expectSuspended(response: TestResponse, on = gateway): void {
  expectError(on, response, {
    ...{ status: 403, code: 'ACCOUNT_SUSPENDED', details: { contact } },
    message: `This account is suspended. Contact ${contact}.`,
  })
  expect(response.headers.get('www-authenticate')).toBeNull()
}

/** Everything that an account can call with. */
async function plantCallers() {
  const account = await gateway.createAccount()
  const developer = await gateway.createAccount()
  const scopes = ['openid', 'account:read', 'contacts:write']
  const ids = { ownerId: developer.id, accountId: account.id }
  const { accessToken } = await plantGrant(gateway, { ...ids, scopes })
  const ofKey = await openPage(gateway.live, account.liveKey)
  const ofPerson = await plantPage(gateway, account, { role: 'OWNER' })
  return { account, developer, accessToken, ofKey, ofPerson }
}

describe('a suspended account', () => {
  test('gets 403 ACCOUNT_SUSPENDED with the contact for its keys, tokens and sessions, and all of them work again afterwards', async () => {
    const { account, accessToken, ofKey, ofPerson } = await plantCallers()
    const calls = [
      () => gateway.live.get('/v1/account', account.liveKey),
      () => gateway.sandbox.get('/v1/account', account.sandboxKey),
      () => gateway.live.get('/v1/account', accessToken),
      () => gateway.live.get('/v1/oauth/userinfo', accessToken),
      () => gateway.live.get('/v1/account/keys/current', account.liveKey),
      () => ofKey.get('/v1/account/sessions/current'),
      () => ofPerson.get('/v1/account/sessions/current'),
    ]
    for (const call of calls) expect((await call()).status).toBe(200)

    await setStatus(account.id, 'SUSPENDED')

    for (const call of calls) expectSuspended(await call())
    // A remembered refusal is the same.
    for (const call of calls) expectSuspended(await call())
    await setStatus(account.id, 'ACTIVE')
    for (const call of calls) expect((await call()).status).toBe(200)
  })

  test('calls no product, pays nothing and changes nothing', async () => {
    const { account, accessToken, ofKey } = await plantCallers()
    await setStatus(account.id, 'SUSPENDED')
    const search = { query: 'engineers' }

    expectSuspended(await gateway.live.post('/v1/contacts/search', search, account.liveKey))
    expectSuspended(await gateway.live.post('/v1/contacts/search', search, accessToken))
    expectSuspended(await ofKey.send('POST', '/v1/contacts/search', search))
    expectSuspended(await gateway.live.post('/v1/account/keys', { name: 'A' }, account.liveKey))
    expectSuspended(await ofKey.send('POST', '/v1/account/keys', { name: 'A' }))

    const [counted] = await gateway.database.query(
      `SELECT (SELECT count(*)::int FROM account.ledger_entry
          WHERE account_id = $1 AND kind = 'charge') AS charges,
        (SELECT count(*)::int FROM keys.api_key WHERE account_id = $1 AND name = 'A') AS keys`,
      [account.id],
    )
    expect(counted).toEqual({ charges: 0, keys: 0 })
  })

  test('finds its refused callers in its audit trail', async () => {
    const { account, ofPerson } = await plantCallers()
    await setStatus(account.id, 'SUSPENDED')

    const byKey = await gateway.live.get('/v1/account', account.liveKey)
    const byPerson = await ofPerson.get('/v1/account')

    expectSuspended(byKey)
    expectSuspended(byPerson)
    const ids = [byKey, byPerson].map(({ headers }) => headers.get('x-request-id'))
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT account_id, action, result, actor_kind FROM usage.audit_event
         WHERE request_id = ANY ($1) ORDER BY actor_kind`,
        [ids],
      )
      const line = { account_id: account.id, action: 'access.deny', result: 'ACCOUNT_SUSPENDED' }
      expect(lines).toEqual([
        { ...line, actor_kind: 'key' },
        { ...line, actor_kind: 'session' },
      ])
    }, patience)
  })

  test('can sign a browser out, and in only after it is active again', async () => {
    const { account, ofKey } = await plantCallers()
    await setStatus(account.id, 'SUSPENDED')

    const signIn = await gateway.live.post('/v1/oauth/session', {}, account.liveKey)
    const signOut = await ofKey.send('DELETE', '/v1/oauth/session')

    expectSuspended(signIn)
    expect([signOut.status, signOut.body]).toEqual([200, {}])
    await setStatus(account.id, 'ACTIVE')
    expect((await ofKey.get('/v1/account')).status).toBe(401)
    expect((await gateway.live.post('/v1/oauth/session', {}, account.liveKey)).status).toBe(201)
  })

  test('decides about no app, by key or by session', async () => {
    const { account, ofKey } = await plantCallers()
    const app = await registerApp(gateway)
    const query = requestOf(app)
    await setStatus(account.id, 'SUSPENDED')
    const paths = [`/v1/oauth/authorize${query}`, `/v1/oauth/consent${query}`] as const
    const ofPage = { cookie: ofKey.cookie, 'sec-fetch-site': 'same-origin' }

    for (const method of ['GET', 'POST'] as const) {
      const path = paths[method === 'GET' ? 0 : 1]
      expectSuspended(await gateway.live.request(path, { method, key: account.liveKey }))
      expectSuspended(await gateway.live.request(path, { method, headers: ofPage }))
    }

    const consents = await gateway.database.query(
      'SELECT 1 FROM oauth.consent WHERE client_id = $1',
      [app.clientId],
    )
    expect(consents).toEqual([])
  })

  test('sees at the page of an app why, and can sign in with a key of another account there', async () => {
    const { account, ofKey } = await plantCallers()
    const app = await registerApp(gateway)
    const query = requestOf(app)
    await setStatus(account.id, 'SUSPENDED')

    const answer = await fetch(`${gateway.baseUrl}/v1/oauth/authorize${query}`, {
      headers: { cookie: ofKey.cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html' },
    })

    const text = await answer.text()
    expect(answer.status).toBe(403)
    expect(text).toContain(`This account is suspended. Contact ${contact}.`)
    expect(text).toContain('<form method="post" action="/v1/oauth/session">')
    expect(text).toContain(`client_id=${app.clientId}`)
  })

  test('tells nothing to who has not its secret', async () => {
    const { account, accessToken, ofKey } = await plantCallers()
    const { id, plaintext } = await gateway.createKey(account.id)
    const limited = await gateway.createKey(account.id, { ipAllowlist: ['203.0.113.9'] })
    await gateway.database.query('UPDATE keys.api_key SET revoked_at = now() WHERE id = $1', [id])
    await setStatus(account.id, 'SUSPENDED')

    const invalid = { status: 401, code: 'INVALID_API_KEY' } as const
    for (const key of [newApiKey('svc', 'live').plaintext, plaintext, `${accessToken}x`]) {
      expectError(gateway, await gateway.live.get('/v1/account', key), invalid)
    }
    const elsewhere = await gateway.live.get('/v1/account', limited.plaintext)
    expectError(gateway, elsewhere, { status: 403, code: 'IP_NOT_ALLOWED' })
    const foreign = await ofKey.get('/v1/account', { 'sec-fetch-site': 'cross-site' })
    expectError(gateway, foreign, { status: 403, code: 'FORBIDDEN' })
  })

  test('has no contact to show where the operator has named none', async () => {
    const plain = await sharedGateway()
    try {
      const { id, liveKey } = await plain.createAccount()
      await setStatus(id, 'SUSPENDED', plain)

      expectError(plain, await plain.live.get('/v1/account', liveKey), {
        ...{ status: 403, code: 'ACCOUNT_SUSPENDED', details: { contact: null } },
        message: 'This account is suspended. Contact the provider of this API.',
      })
    } finally {
      await plain.close()
    }
  })
})

describe('a closed account', () => {
  test('is not told from one that never was', async () => {
    const { account, accessToken, ofKey } = await plantCallers()
    await setStatus(account.id, 'CLOSED')

    for (const credential of [account.liveKey, accessToken]) {
      expectError(gateway, await gateway.live.get('/v1/account', credential), {
        ...{ status: 401, code: 'INVALID_API_KEY', message: 'This API key is not valid here.' },
      })
    }
    const ended = await ofKey.get('/v1/account')
    expectError(gateway, ended, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
  })
})

describe('the token of an app whose developer is suspended', () => {
  test('is not valid, because the account that granted it is not suspended', async () => {
    const { developer, accessToken } = await plantCallers()
    await setStatus(developer.id, 'SUSPENDED')

    expectError(gateway, await gateway.live.get('/v1/account', accessToken), {
      ...{ status: 401, code: 'INVALID_API_KEY', message: 'This API key is not valid here.' },
    })
  })
})

describe('a key of the other environment', () => {
  test('is INVALID_API_KEY, and the message names the address at which it counts (docs/spec.md §9.4)', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()

    expectError(gateway, await gateway.live.get('/v1/account', sandboxKey), {
      ...{ status: 401, code: 'INVALID_API_KEY' },
      message: `This is a sandbox key. Use ${gateway.sandbox.url}.`,
    })
    expectError(gateway, await gateway.sandbox.get('/v1/account', liveKey), {
      ...{ status: 401, code: 'INVALID_API_KEY' },
      message: `This is a live key. Use ${gateway.live.url}.`,
    })
  })

  test('is told by its form alone, so nobody learns which keys exist', async () => {
    const nobodys = newApiKey('svc', 'sandbox').plaintext
    const mistyped = `${nobodys.slice(0, -1)}${nobodys.endsWith('0') ? '1' : '0'}`

    expectError(gateway, await gateway.live.get('/v1/account', nobodys), {
      ...{ status: 401, code: 'INVALID_API_KEY' },
      message: `This is a sandbox key. Use ${gateway.sandbox.url}.`,
    })
    expectError(gateway, await gateway.live.get('/v1/account', mistyped), {
      ...{ status: 401, code: 'INVALID_API_KEY', message: 'This API key is not valid here.' },
    })
  })

  test('is named at the sign-in for an app too', async () => {
    const { sandboxKey } = await gateway.createAccount()

    const answer = await fetch(`${gateway.baseUrl}/v1/oauth/session`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ api_key: sandboxKey, return_to: '' }),
    })

    expect(answer.status).toBe(401)
    expect(await answer.text()).toContain(`This is a sandbox key. Use ${gateway.sandbox.url}.`)
  })
})
