import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { type PersonRole, personRoles } from '../../../schema/vocabulary/roles.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { joinAccount, newAddress } from '../../support/oauth/members.ts'
import { openPage, type Page, plantPage, setSession } from '../../support/oauth/sessions.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/account/sessions'
const instant = expect.stringMatching(/^\d{4}-.*Z$/)
const gone = { status: 404, code: 'NOT_FOUND', message: 'No session has this id.' } as const

async function keyOf({ id }: TestAccount, scopes?: readonly string[]) {
  const { id: keyId, plaintext } = await gateway.createKey(id, scopes && { scopes })
  return { keyId, plaintext }
}

const idsOf = ({ body }: { body: unknown }) =>
  Object(body).items.map(({ id }: { id: string }) => id)

/** Two browsers of a key that may not see all, one of the first key, one of a person. */
async function manyOf(account: TestAccount) {
  const { keyId, plaintext } = await keyOf(account, ['account:read'])
  const own = await openPage(gateway.live, plaintext)
  const twin = await openPage(gateway.live, plaintext)
  const admin = await openPage(gateway.live, account.liveKey)
  const person = await plantPage(gateway, account, { role: 'VIEWER' })
  return { keyId, plaintext, own, twin, admin, person }
}

describe(`GET ${path}`, () => {
  test('shows every member of a session, the newest first', async () => {
    const account = await gateway.createAccount()
    const { keyId, plaintext } = await keyOf(account)
    const page = await openPage(gateway.live, plaintext)
    const person = await plantPage(gateway, account, {
      ...{ role: 'BILLING', actor: 'Zoë <zoe@acme.example>', returnUrl: 'https://app.example/' },
    })

    const { status, body } = await page.get(path)

    const { body: key } = await page.get(`/v1/account/keys/${keyId}`)
    const times = { created_at: instant, proven_at: instant, expires_at: instant }
    expect([status, body]).toEqual([
      200,
      {
        items: [
          {
            ...{ id: person.sessionId, environment: 'live', is_current: false },
            ...{ key_id: null, key_name: null, role: 'BILLING', actor: 'Zoë <zoe@acme.example>' },
            ...{ return_url: 'https://app.example/', parent_id: null, address: null },
            ...times,
          },
          {
            ...{ id: page.sessionId, environment: 'live', is_current: true },
            ...{ key_id: keyId, key_name: Object(key).name, role: null, actor: null },
            ...{ return_url: null, parent_id: null, address: '127.0.0.1' },
            ...times,
          },
        ],
        next_cursor: null,
      },
    ])
  })

  test('shows those of the own key, or of the own person, and all with keys:write', async () => {
    const account = await gateway.createAccount()
    const { own, twin, admin, person, plaintext } = await manyOf(account)
    const other = await plantPage(gateway, account, { role: 'VIEWER', actor: 'someone else' })
    const same = await plantPage(gateway, account, { role: 'VIEWER' })
    const second = await plantPage(gateway, account, { role: 'DEVELOPER' })
    const ids = (...pages: Page[]) => pages.map(({ sessionId }) => sessionId)
    const all = ids(second, same, other, person, admin, twin, own)

    expect(idsOf(await own.get(path))).toEqual(ids(twin, own))
    expect(idsOf(await gateway.live.get(path, plaintext))).toEqual(ids(twin, own))
    // The developer has the same name, and may do more.
    expect(idsOf(await person.get(path))).toEqual(ids(same, person))
    expect(idsOf(await other.get(path))).toEqual(ids(other))
    expect(idsOf(await admin.get(path))).toEqual(all)
    expect(idsOf(await second.get(path))).toEqual(all)
    expect(idsOf(await gateway.live.get(path, account.liveKey))).toEqual(all)
  })

  test('shows what was handed over to the other listener, which only sees its own', async () => {
    const account = await gateway.createAccount()
    const own = { role: 'VIEWER', actor: 'jane' } as const
    const page = await plantPage(gateway, account, own)
    const child = await plantPage(gateway, account, {
      ...{ ...own, environment: 'sandbox', parentId: page.sessionId },
    })
    const other = { role: 'VIEWER', actor: 'someone else' } as const
    const hidden = await plantPage(gateway, account, other)
    await plantPage(gateway, account, {
      ...{ ...other, environment: 'sandbox', parentId: hidden.sessionId },
    })
    await plantPage(gateway, account, { ...own, environment: 'sandbox' })

    const { body } = await page.get(path)
    const there = await child.get(path)

    expect(Object(body).items).toMatchObject([
      { id: child.sessionId, environment: 'sandbox', parent_id: page.sessionId },
      { id: page.sessionId, environment: 'live', is_current: true },
    ])
    const one = await page.get(`${path}/${child.sessionId}`)
    expect([one.status, one.body]).toEqual([200, Object(body).items[0]])
    expect(Object(there.body).items).toMatchObject([
      { environment: 'sandbox', is_current: false },
      { id: child.sessionId, is_current: true },
    ])
    const ended = await page.send('DELETE', `${path}/${child.sessionId}`)
    expect([ended.status, ended.body]).toEqual([200, { ended: 1 }])
    expect([(await child.get(path)).status, (await page.get(path)).status]).toEqual([401, 200])
  })

  test('comes in pages', async () => {
    const account = await gateway.createAccount()
    const { own, twin, admin, person } = await manyOf(account)

    const first = await admin.get(`${path}?limit=3`)
    const { next_cursor } = Object(first.body)
    const second = await admin.get(`${path}?limit=3&cursor=${next_cursor}`)
    const foreign = await person.get(`${path}?cursor=${next_cursor}x`)

    expect(idsOf(first)).toEqual([person, admin, twin].map(({ sessionId }) => sessionId))
    expect(idsOf(second)).toEqual([own.sessionId])
    expect(Object(second.body).next_cursor).toBeNull()
    expect(foreign.status).toBe(422)
  })

  test('shows no session that is over, nor one whose key is', async () => {
    const account = await gateway.createAccount()
    const { keyId, plaintext } = await keyOf(account)
    const [dead, ended, expired] = [
      await openPage(gateway.live, plaintext),
      await openPage(gateway.live, account.liveKey),
      await openPage(gateway.live, account.liveKey),
    ]
    const page = await openPage(gateway.live, account.liveKey)
    await setSession(gateway, ended, 'ended_at = now()')
    await setSession(gateway, expired, "expires_at = now() - interval '1 ms'")
    expect((await page.send('DELETE', `/v1/account/keys/${keyId}`)).status).toBe(200)

    expect(idsOf(await page.get(path))).toEqual([page.sessionId])
    for (const one of [dead, ended, expired]) {
      expectError(gateway, await page.get(`${path}/${one.sessionId}`), gone)
    }
  })

  test('refuses access tokens, and callers without a key or session', async () => {
    expectError(gateway, await gateway.live.get(path), {
      ...{ status: 401, code: 'AUTHENTICATION_REQUIRED' },
    })
  })
})

describe(`GET ${path}/current`, () => {
  test('shows a page what it has to know', async () => {
    const account = await gateway.createAccount()
    const { keyId, plaintext } = await keyOf(account, ['account:read', 'keys:read'])
    const page = await openPage(gateway.live, plaintext)

    const { status, body } = await page.get(`${path}/current`)

    const { body: listed } = await page.get(`${path}/${page.sessionId}`)
    const { body: owner } = await page.get('/v1/account')
    expect([status, body]).toEqual([
      200,
      {
        ...Object(listed),
        ...{ id: page.sessionId, is_current: true, key_id: keyId },
        ...{ account_id: account.id, account_name: Object(owner).name },
        ...{ scopes: ['account:read', 'keys:read'], switch_to: 'sandbox' },
        step_up_until: new Date(Date.parse(Object(listed).proven_at) + 30 * 60_000).toISOString(),
      },
    ])
  })

  test('says where the switch leads: back to where one signed in, and nowhere else', async () => {
    const account = await gateway.createAccount()
    const parent = await plantPage(gateway, account, { role: 'OWNER' })
    const handed = await plantPage(gateway, account, {
      ...{ role: 'OWNER', environment: 'sandbox', parentId: parent.sessionId },
    })
    await setSession(gateway, handed, "proven_at = auth_time - interval '1 minute'")
    const there = await openPage(gateway.sandbox, account.sandboxKey)

    const shown = await Promise.all(
      [parent, handed, there].map((page) => page.get(`${path}/current`)),
    )

    expect(shown.map(({ body }) => Object(body).switch_to)).toEqual(['sandbox', 'live', null])
    expect(shown.map(({ body }) => Object(body).step_up_until)).toEqual([instant, null, instant])
    expect(shown.map(({ body }) => Object(body).scopes)).toEqual([['*'], ['*'], ['*']])
  })

  test('is of no key', async () => {
    const { liveKey } = await gateway.createAccount()

    expectError(gateway, await gateway.live.get(`${path}/current`, liveKey), {
      ...{
        status: 404,
        code: 'NOT_FOUND',
        message: 'This route needs a browser session, not an API key.',
      },
    })
  })
})

describe(`GET and DELETE ${path}/{session_id}`, () => {
  test('end a session at once, with what it was handed over to', async () => {
    const account = await gateway.createAccount()
    const admin = await openPage(gateway.live, account.liveKey)
    const parent = await plantPage(gateway, account, { role: 'VIEWER' })
    const child = await plantPage(gateway, account, {
      ...{ role: 'VIEWER', environment: 'sandbox', parentId: parent.sessionId },
    })
    expect((await child.get('/v1/account')).status).toBe(200)

    const { status, body } = await admin.send('DELETE', `${path}/${parent.sessionId}`)

    expect([status, body]).toEqual([200, { ended: 1 }])
    expect((await parent.get('/v1/account')).status).toBe(401)
    expect((await child.get('/v1/account')).status).toBe(401)
    expectError(gateway, await admin.send('DELETE', `${path}/${parent.sessionId}`), gone)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result, account_id FROM usage.audit_event
         WHERE resource_id = $1 ORDER BY id`,
        [parent.sessionId],
      )
      expect(lines[0]).toEqual({
        ...{ action: 'session.end', result: 'succeeded', account_id: account.id },
      })
    }, patience)
  })

  test('end the calling session itself', async () => {
    const { liveKey } = await gateway.createAccount()
    const page = await openPage(gateway.live, liveKey)

    expect((await page.send('DELETE', `${path}/${page.sessionId}`)).status).toBe(200)

    expect((await page.get('/v1/account')).status).toBe(401)
  })

  test('find nothing that the caller may not see', async () => {
    const [account, stranger] = [await gateway.createAccount(), await gateway.createAccount()]
    const { own, admin, person } = await manyOf(account)
    const foreign = await openPage(gateway.live, stranger.liveKey)
    const played = await openPage(gateway.sandbox, account.sandboxKey)

    const hidden = [
      [own, admin],
      [own, person],
      [person, own],
      [admin, foreign],
      [foreign, admin],
      [admin, played],
    ] as const
    for (const [page, { sessionId }] of hidden) {
      expectError(gateway, await page.get(`${path}/${sessionId}`), gone)
      expectError(gateway, await page.send('DELETE', `${path}/${sessionId}`), gone)
    }
    for (const id of [newId('ses'), 'ses_1', 'key_1']) {
      expect((await admin.get(`${path}/${id}`)).status).toBe(404)
    }
    for (const page of [own, admin, person, foreign, played]) {
      expect((await page.get('/v1/account')).status).toBe(200)
    }
  })
})

describe('a session of a person', () => {
  test('is ended by who may remove the person, and by nobody else, whatever keys they may write', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await keyOf(account, ['keys:read', 'keys:write'])
    const pageOfRole = (role: PersonRole) =>
      plantPage(gateway, account, { role, actor: `${role} ${newId('ses')}` })
    const byRole = async (role: PersonRole) => {
      const page = await pageOfRole(role)
      return { name: role, end: (id: string) => page.send('DELETE', `${path}/${id}`) }
    }
    const byKey = (name: string, key: string) => ({
      name,
      end: (id: string) => gateway.live.request(`${path}/${id}`, { method: 'DELETE', key }),
    })
    const enders = [
      ...(await Promise.all((['OWNER', 'ADMIN', 'DEVELOPER'] as const).map(byRole))),
      ...[byKey('a key with *', account.liveKey), byKey('a key with keys:write', plaintext)],
    ]
    const ended = new Map<string, string[]>()
    for (const { name, end } of enders) {
      const roles: string[] = []
      ended.set(name, roles)
      for (const role of personRoles) {
        const page = await pageOfRole(role)
        const answer = await end(page.sessionId)
        if (answer.status === 200) roles.push(role)
        else {
          const message = 'Only who may remove a person may end a session of theirs.'
          expectError(gateway, answer, { status: 403, code: 'FORBIDDEN', message })
        }
        expect((await page.get(`${path}/current`)).status).toBe(answer.status === 200 ? 401 : 200)
      }
      const ofKey = await openPage(gateway.live, account.liveKey)
      expect([name, (await end(ofKey.sessionId)).status]).toEqual([name, 200])
    }

    expect(Object.fromEntries(ended)).toEqual({
      ...{ OWNER: [...personRoles], 'a key with *': [...personRoles] },
      ADMIN: personRoles.filter((role) => role !== 'OWNER'),
      ...{ DEVELOPER: [], 'a key with keys:write': [] },
    })
  })

  test('is left by DELETE of all, if the caller may not end it', async () => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER', actor: 'jane' })
    const key = await openPage(gateway.live, account.liveKey)
    const developer = await plantPage(gateway, account, { role: 'DEVELOPER', actor: 'joe' })
    const twin = await plantPage(gateway, account, { role: 'DEVELOPER', actor: 'joe' })

    const { body } = await developer.send('DELETE', path)

    const states = await Promise.all([owner, key, developer, twin].map((one) => one.get(path)))
    expect(body).toEqual({ ended: 2 })
    expect(states.map(({ status }) => status)).toEqual([200, 401, 200, 401])
  })

  test('of a portal link is none of the member who has the same name', async () => {
    const account = await gateway.createAccount()
    const email = newAddress('viewer')
    const member = await joinAccount(gateway, account, 'VIEWER', email)
    const twin = await plantPage(gateway, account, { role: 'VIEWER', actor: email })
    const idOf = async (page: Page) => Object((await page.get(`${path}/current`)).body).id as string

    for (const [page, other] of [
      [member, twin],
      [twin, member],
    ] as const) {
      expect(idsOf(await page.get(path))).toEqual([await idOf(page)])
      expectError(gateway, await page.get(`${path}/${await idOf(other)}`), gone)
      expectError(gateway, await page.send('DELETE', `${path}/${await idOf(other)}`), gone)
      expect((await page.send('DELETE', path)).body).toEqual({ ended: 0 })
    }
  })
})

describe(`DELETE ${path}`, () => {
  test('ends all others that the caller may end', async () => {
    const account = await gateway.createAccount()
    const { own, twin, admin, person } = await manyOf(account)
    const stranger = await openPage(gateway.live, (await gateway.createAccount()).liveKey)

    const byOwn = await own.send('DELETE', path)
    const states = await Promise.all(
      [own, twin, admin, person, stranger].map((page) => page.get('/v1/account')),
    )
    const byAdmin = await admin.send('DELETE', path)
    const later = await Promise.all(
      [own, admin, person, stranger].map((page) => page.get('/v1/account')),
    )

    expect([byOwn.status, byOwn.body]).toEqual([200, { ended: 1 }])
    expect(states.map(({ status }) => status)).toEqual([200, 401, 200, 200, 200])
    expect([byAdmin.status, byAdmin.body]).toEqual([200, { ended: 2 }])
    expect(later.map(({ status }) => status)).toEqual([401, 200, 401, 200])
    expect((await admin.send('DELETE', path)).body).toEqual({ ended: 0 })
  })

  test('by a key ends all of the account, or all of this key', async () => {
    const account = await gateway.createAccount()
    const { plaintext, admin, person } = await manyOf(account)
    const end = (key: string) => gateway.live.request(path, { method: 'DELETE', key })

    const byNarrow = await end(plaintext)
    const left = await Promise.all([admin, person].map((page) => page.get('/v1/account')))
    const byWide = await end(account.liveKey)

    expect(byNarrow.body).toEqual({ ended: 2 })
    expect(left.map(({ status }) => status)).toEqual([200, 200])
    expect(byWide.body).toEqual({ ended: 2 })
    expect((await admin.get('/v1/account')).status).toBe(401)
  })

  test('ends what the calling session itself has handed over: somebody else may have it', async () => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, { role: 'OWNER' })
    const child = await plantPage(gateway, account, {
      ...{ role: 'OWNER', environment: 'sandbox', parentId: page.sessionId },
    })
    const separate = await openPage(gateway.sandbox, account.sandboxKey)

    const { status, body } = await page.send('DELETE', path)

    const states = await Promise.all([page, child, separate].map((one) => one.get('/v1/account')))
    expect([status, body]).toEqual([200, { ended: 1 }])
    expect(states.map((state) => state.status)).toEqual([200, 401, 200])
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, details FROM usage.audit_event
         WHERE account_id = $1 AND action LIKE 'session.end%'`,
        [account.id],
      )
      expect(lines).toEqual([
        { action: 'session.end_others', details: { ended: 1, sessions: [child.sessionId] } },
      ])
    }, patience)
  })

  test('spares what the calling session was handed over from', async () => {
    const account = await gateway.createAccount()
    const root = await plantPage(gateway, account, { role: 'OWNER' })
    const there = await plantPage(gateway, account, {
      ...{ role: 'OWNER', environment: 'sandbox', parentId: root.sessionId },
    })
    const back = await plantPage(gateway, account, { role: 'OWNER', parentId: there.sessionId })
    const other = await plantPage(gateway, account, { role: 'OWNER' })

    const { body } = await back.send('DELETE', path)

    const states = await Promise.all(
      [root, there, back, other].map((page) => page.get('/v1/account')),
    )
    expect(body).toEqual({ ended: 1 })
    expect(states.map(({ status }) => status)).toEqual([200, 200, 200, 401])
  })

  test('leaves a line in the audit trail that names all', async () => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, { role: 'OWNER', actor: 'jane' })
    const others = [
      await plantPage(gateway, account, { role: 'OWNER' }),
      await openPage(gateway.live, account.liveKey),
    ].map(({ sessionId }) => sessionId)

    expect((await page.send('DELETE', path)).body).toEqual({ ended: 2 })

    await vi.waitFor(async () => {
      const lines = await gateway.database.query<{ details: { sessions: string[] } }>(
        `SELECT actor_kind, actor_id, resource_id, result, details FROM usage.audit_event
         WHERE account_id = $1 AND action = 'session.end_others'`,
        [account.id],
      )
      expect(lines).toEqual([
        {
          ...{ actor_kind: 'session', actor_id: 'jane', resource_id: null, result: 'succeeded' },
          details: { ended: 2, sessions: others.toSorted() },
        },
      ])
    }, patience)
  })
})
