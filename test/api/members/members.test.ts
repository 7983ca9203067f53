import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { personRoles } from '../../../schema/vocabulary/roles.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  accept,
  invitationTokenIn,
  invite,
  joinAccount,
  joinBy,
  newAddress,
} from '../../support/oauth/members.ts'
import { previewOf, signInWith } from '../../support/oauth/portal.ts'
import { ofOwnPage, type Page, plantPage, setSession } from '../../support/oauth/sessions.ts'
import { patience } from '../../support/time/patience.ts'

const path = '/v1/account/members'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

async function membersOf(page: Page): Promise<Record<string, unknown>[]> {
  const { status, body } = await page.get(path)
  expect(status).toBe(200)
  return Object(body).items
}

async function isIn(page: Page): Promise<boolean> {
  return (await page.get('/v1/account/sessions/current')).status === 200
}

function remove(by: Page, id: string, keys = 'keep') {
  return by.send('DELETE', `${path}/${id}?keys=${keys}`)
}

const keysPath = '/v1/account/keys'

/** What every change of the keys of an account waits for. */
function lockOfKeys({ id }: { readonly id: string }): [string, unknown[]] {
  return ["SELECT pg_advisory_xact_lock(hashtextextended('keys/' || $1, 0))", [id]]
}

/** The names of the keys that count as the member's, and still work. */
async function acceptedKeysOf({ memberId }: { readonly memberId: string }): Promise<string[]> {
  const rows = await gateway.database.query<{ name: string }>(
    'SELECT name FROM keys.api_key WHERE member_id = $1 AND revoked_at IS NULL',
    [memberId],
  )
  return rows.map(({ name }) => name)
}

function setRole(by: Page, id: string, role: string) {
  return by.send('PATCH', `${path}/${id}`, { role })
}

describe('POST /v1/account/members', () => {
  test('invites a person; without mails the inviter is shown the link, once', async () => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER', actor: 'jane@acme.example' })
    const email = newAddress()

    const { status, body } = await invite(owner, email.toUpperCase(), 'DEVELOPER')

    const member = {
      ...{ id: expect.stringMatching(/^mem_/), email, name: null, role: 'DEVELOPER' },
      ...{ state: 'invited', invited_by: 'jane@acme.example', passkeys: 0 },
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    }
    expect([status, body]).toEqual([
      201,
      { ...member, link: expect.stringContaining(`${gateway.baseUrl}/console/invitation#ivt_`) },
    ])
    const { expires_at: ends, created_at: made } = Object(body)
    expect(Date.parse(ends) - Date.parse(made)).toBe(7 * 86_400_000)
    expect(await membersOf(owner)).toEqual([member])
  })

  test('a link that was shown ends when the role of its invitation changes', async () => {
    const account = await gateway.createAccount()
    const admin = await joinAccount(gateway, account, 'ADMIN')
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const { body } = await invite(admin, newAddress(), 'VIEWER')
    const { id, link } = Object(body)

    expect((await setRole(owner, id, 'OWNER')).status).toBe(200)

    const answer = await accept(gateway, invitationTokenIn(link))
    expectError(gateway, answer, { status: 404, code: 'NOT_FOUND' })
    const again = await admin.send('POST', `${path}/${id}/resend`)
    expectError(gateway, again, { status: 403, code: 'FORBIDDEN' })
  })

  test('stores nothing that opens the link', async () => {
    const owner = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })

    const { body } = await invite(owner, newAddress(), 'VIEWER')

    const token = invitationTokenIn(Object(body).link)
    const [, signature = ''] = token.split('.')
    const [found] = await gateway.database.query<{ rows: string }>(
      `SELECT jsonb_agg(to_jsonb(m))::text || (SELECT jsonb_agg(to_jsonb(j)) FROM jobs.job j)::text AS rows
       FROM oauth.membership m WHERE id = $1`,
      [Object(body).id],
    )
    expect(found?.rows).not.toContain(signature)
  })

  test.each([
    [{ email: 'nobody', role: 'VIEWER' }, 'email', 'must be an email address'],
    [{ email: 'a@acme.example', role: 'ROOT' }, 'role', `must be one of ${personRoles.join(', ')}`],
    [{ email: 'a@acme.example', role: 'VIEWER', name: 'A' }, 'name', 'is not known here'],
  ])('refuses the body %j', async (body, field, message) => {
    const owner = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })

    const answer = await owner.send('POST', path, body)

    const details = [{ field, in: 'body', message } as const]
    expectError(gateway, answer, { status: 422, code: 'INVALID_REQUEST', details })
  })

  test('refuses an address that is invited or a member of this account, and of no other', async () => {
    const [one, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const owner = await plantPage(gateway, one, { role: 'OWNER' })
    const elsewhere = await plantPage(gateway, other, { role: 'OWNER' })
    const email = newAddress()
    const first = await invite(owner, email, 'VIEWER')

    const invited = await invite(owner, email, 'ADMIN')
    await joinBy(gateway, Object(first.body).id, Object(first.body).link)
    const joined = await invite(owner, email.toUpperCase(), 'VIEWER')
    const ofOther = await invite(elsewhere, email, 'VIEWER')

    for (const refused of [invited, joined]) {
      expectError(gateway, refused, { status: 409, code: 'CONFLICT' })
    }
    expect([ofOther.status, Object(ofOther.body).state]).toEqual([201, 'invited'])
  })

  test('has at most 20 open invitations, also of requests at once and by an operator', async () => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    for (let count = 0; count < 18; count += 1) {
      expect((await invite(owner, newAddress(), 'VIEWER')).status).toBe(201)
    }

    const answers = await Promise.all(
      Array.from({ length: 4 }, () => invite(owner, newAddress(), 'VIEWER')),
    )

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 409, 409,
    ])
    const open = await membersOf(owner)
    expect(open).toHaveLength(20)
    const byOperator = (email: unknown) =>
      gateway.graphql(
        'mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id } }',
        { input: { accountId: account.id, email, role: 'OWNER' } },
      )
    await expect(byOperator(newAddress())).rejects.toThrow(
      'An account has at most 20 open invitations.',
    )
    // The invitation of an address that is invited again gives way to the new one.
    await byOperator(open[1]?.email)
    expect(await membersOf(owner)).toHaveLength(20)
    expect((await remove(owner, String(open[0]?.id))).status).toBe(200)
    expect((await invite(owner, newAddress(), 'VIEWER')).status).toBe(201)
  })

  test('answers the repetition of a request alike, and invites once', async () => {
    const owner = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })
    const input = { email: newAddress(), role: 'VIEWER' }
    const headers = { 'x-svc-idempotency-key': newId('req') }

    const first = await owner.send('POST', path, input, headers)
    const again = await owner.send('POST', path, input, headers)

    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(await membersOf(owner)).toHaveLength(1)
  })

  test('needs a session with the scope: no key, and no role but OWNER and ADMIN', async () => {
    const account = await gateway.createAccount()
    const input = { email: newAddress(), role: 'VIEWER' }

    const byKey = await gateway.live.post(path, input, account.liveKey)
    expectError(gateway, byKey, { status: 403, code: 'FORBIDDEN' })
    for (const role of personRoles) {
      const page = await plantPage(gateway, account, { role })
      const answer = await page.send('POST', path, { ...input, email: newAddress() })
      const may = role === 'OWNER' || role === 'ADMIN'
      expect([role, answer.status, (await page.get(path)).status]).toEqual(
        may ? [role, 201, 200] : [role, 403, 403],
      )
    }
    expect((await gateway.live.get(path, account.liveKey)).status).toBe(200)
  })

  test('needs a fresh proof', async () => {
    const owner = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })
    const email = newAddress()
    const invited = await invite(owner, email, 'VIEWER')
    await setSession(
      gateway,
      owner,
      "proven_at = now() - interval '1 hour', auth_time = now() - interval '2 h'",
    )
    const one = `${path}/${Object(invited.body).id}`

    const answers = [
      await invite(owner, newAddress(), 'VIEWER'),
      await owner.send('PATCH', one, { role: 'ADMIN' }),
      await owner.send('POST', `${one}/resend`),
      await owner.send('DELETE', `${one}?keys=keep`),
    ]

    expect(answers.map(({ status, body }) => [status, Object(body).error.code])).toEqual(
      answers.map(() => [403, 'STEP_UP_REQUIRED']),
    )
    expect(await membersOf(owner)).toMatchObject([{ email, role: 'VIEWER' }])
  })

  test('is a conflict in the sandbox', async () => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, { role: 'OWNER', environment: 'sandbox' })

    for (const answer of [await page.get(path), await invite(page, newAddress(), 'VIEWER')]) {
      expect([answer.status, Object(answer.body).error.code]).toEqual([409, 'CONFLICT'])
    }
  })
})

describe('accepting an invitation', () => {
  test('opens a session of the member, once; the state is unconfirmed without a mail', async () => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER', actor: 'jane@acme.example' })
    const email = newAddress()
    const invited = await invite(owner, email, 'DEVELOPER')
    const token = invitationTokenIn(Object(invited.body).link)

    const preview = await gateway.live.post(
      ...([
        '/v1/account/sessions/preview',
        { invitation_token: token },
        undefined,
        ofOwnPage,
      ] as const),
    )
    const [answer, ...others] = (
      await Promise.all(Array.from({ length: 5 }, () => accept(gateway, token)))
    ).toSorted((a, b) => a.status - b.status)
    const again = await accept(gateway, token)

    expect([preview.status, preview.body]).toEqual([
      200,
      {
        ...{ account_id: account.id, account_name: 'Test', environment: 'live', role: 'DEVELOPER' },
        ...{ actor: email, invited_by: 'jane@acme.example', return_url: null, signed_in_as: null },
        expires_at: Object(invited.body).expires_at,
      },
    ])
    expect(answer?.status).toBe(201)
    for (const refused of [...others, again]) {
      expectError(gateway, refused, { status: 404, code: 'NOT_FOUND' })
    }
    expect(await membersOf(owner)).toMatchObject([
      { id: Object(invited.body).id, email, state: 'unconfirmed', expires_at: null },
    ])
    expect(
      await gateway.database.query(
        `SELECT p.email FROM oauth.person p JOIN oauth.membership m ON m.person_id = p.id WHERE m.id = $1`,
        [Object(invited.body).id],
      ),
    ).toEqual([{ email: null }])
  })

  test('by a link that no mail has brought makes a person of their own, whoever else has the address', async () => {
    const email = newAddress()
    const accounts = [await gateway.createAccount(), await gateway.createAccount()]
    const members = []
    for (const account of accounts) {
      const owner = await plantPage(gateway, account, { role: 'OWNER' })
      const invited = await invite(owner, email, 'OWNER')
      const { status } = await accept(gateway, invitationTokenIn(Object(invited.body).link))
      members.push([status, Object(invited.body).id])
    }

    expect(members.map(([status]) => status)).toEqual([201, 201])
    expect(
      await gateway.database.query(
        `SELECT count(DISTINCT person_id)::int AS people FROM oauth.membership WHERE id = ANY ($1)`,
        [members.map(([, id]) => id)],
      ),
    ).toEqual([{ people: 2 }])
  })

  test('is one 404 whatever the reason', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const admin = await joinAccount(gateway, account, 'ADMIN')
    const tokenOf = async (by: Page, role: 'VIEWER' | 'ADMIN' = 'VIEWER') => {
      const { body } = await invite(by, newAddress(), role)
      return { id: String(Object(body).id), token: invitationTokenIn(Object(body).link) }
    }
    const removed = await tokenOf(owner)
    const resent = await tokenOf(owner)
    const expired = await tokenOf(owner)
    const orphaned = await tokenOf(admin)
    const foreign = await tokenOf(owner)
    expect((await remove(owner, removed.id)).status).toBe(200)
    expect((await owner.send('POST', `${path}/${resent.id}/resend`)).status).toBe(201)
    await gateway.database.query('UPDATE oauth.membership SET expires_at = now() WHERE id = $1', [
      expired.id,
    ])
    expect((await setRole(owner, admin.memberId, 'VIEWER')).status).toBe(200)
    const [id = ''] = foreign.token.split('.')
    const forged = `${id}.${'A'.repeat(43)}`

    const refused = await Promise.all(
      [removed.token, resent.token, expired.token, orphaned.token, forged, 'x'].flatMap((token) => [
        accept(gateway, token),
        gateway.live.post(
          '/v1/account/sessions/preview',
          { invitation_token: token },
          undefined,
          ofOwnPage,
        ),
      ]),
    )
    const inSandbox = await gateway.sandbox.post(
      ...([
        '/v1/account/sessions',
        { invitation_token: foreign.token },
        undefined,
        ofOwnPage,
      ] as const),
    )

    const message = 'This link is invalid or no longer works. Ask for another one.'
    for (const answer of refused) {
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    }
    expect(inSandbox.status).toBe(404)
    expect((await accept(gateway, foreign.token)).status).toBe(201)
  })

  test.each(['SUSPENDED', 'CLOSED'])('is 404 while the account is %s', async (status) => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const { body } = await invite(owner, newAddress(), 'VIEWER')
    await gateway.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id: account.id, status } },
    )

    const answer = await accept(gateway, invitationTokenIn(Object(body).link))

    expectError(gateway, answer, { status: 404, code: 'NOT_FOUND' })
  })

  test('shows a browser that is signed in as somebody else whose session ends', async () => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const { body } = await invite(owner, newAddress(), 'VIEWER')
    const token = invitationTokenIn(Object(body).link)

    const preview = await gateway.live.post(
      ...([
        '/v1/account/sessions/preview',
        { invitation_token: token },
        undefined,
        { ...ofOwnPage, cookie: owner.cookie },
      ] as const),
    )
    expect(Object(preview.body).signed_in_as).toEqual({
      account_id: account.id,
      account_name: 'Test',
    })
    expect(await isIn(owner)).toBe(true)
    expect((await accept(gateway, token, { cookie: owner.cookie })).status).toBe(201)
    expect(await isIn(owner)).toBe(false)
  })

  test('only a page of the gateway may ask, and one proof at a time', async () => {
    const owner = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })
    const { body } = await invite(owner, newAddress(), 'VIEWER')
    const invitation_token = invitationTokenIn(Object(body).link)

    const program = await gateway.live.post('/v1/account/sessions', { invitation_token })
    const both = await gateway.live.post(
      ...([
        '/v1/account/sessions',
        { invitation_token, portal_token: 'x' },
        undefined,
        ofOwnPage,
      ] as const),
    )

    expectError(gateway, program, { status: 403, code: 'FORBIDDEN' })
    const message = 'must be sent, or handover_code or invitation_token instead'
    const details = [{ field: 'portal_token', in: 'body', message } as const]
    expectError(gateway, both, { status: 422, code: 'INVALID_REQUEST', details })
    expect(await membersOf(owner)).toMatchObject([{ state: 'invited' }])
  })
})

describe('PATCH /v1/account/members/{member_id}', () => {
  test('changes the role of every session from its next request on', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const member = await joinAccount(gateway, account, 'DEVELOPER')
    expect((await member.get('/v1/account/audit/events')).status).toBe(200)

    const { status, body } = await setRole(owner, member.memberId, 'VIEWER')

    expect([status, body]).toMatchObject([200, { id: member.memberId, role: 'VIEWER' }])
    expect((await member.get('/v1/account/audit/events')).status).toBe(403)
    const { body: current } = await member.get('/v1/account/sessions/current')
    expect(current).toMatchObject({ role: 'VIEWER' })
  })

  test('changes the role of a session that was handed over to the sandbox', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const member = await joinAccount(gateway, account, 'DEVELOPER')
    const handed = await member.send('POST', '/v1/account/sessions/handover')
    const opened = await signInWith(gateway.sandbox, {
      handover_code: new URL(Object(handed.body).url).hash.slice(1),
    })
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    const events = () =>
      gateway.sandbox.get('/v1/account/audit/events', undefined, { ...ofOwnPage, cookie })
    expect((await events()).status).toBe(200)

    expect((await setRole(owner, member.memberId, 'VIEWER')).status).toBe(200)
    expect((await events()).status).toBe(403)
    expect((await remove(owner, member.memberId)).status).toBe(200)
    expect((await events()).status).toBe(401)
  })

  test('keeps the last OWNER, and lets an ADMIN touch none', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const admin = await joinAccount(gateway, account, 'ADMIN')
    const viewer = await joinAccount(gateway, account, 'VIEWER')

    const last = [
      await setRole(owner, owner.memberId, 'ADMIN'),
      await remove(owner, owner.memberId),
    ]
    const byAdmin = [
      await setRole(admin, owner.memberId, 'VIEWER'),
      await remove(admin, owner.memberId),
      await setRole(admin, viewer.memberId, 'OWNER'),
      await setRole(admin, admin.memberId, 'OWNER'),
      await invite(admin, newAddress(), 'OWNER'),
    ]

    for (const answer of last) expectError(gateway, answer, { status: 409, code: 'CONFLICT' })
    for (const answer of byAdmin) {
      expectError(gateway, answer, {
        ...{ status: 403, code: 'FORBIDDEN' },
        message: 'Only an OWNER may make an OWNER, or change one.',
      })
    }
    expect((await membersOf(owner)).map(({ role }) => role)).toEqual(['VIEWER', 'ADMIN', 'OWNER'])
  })

  test('ends open invitations that the role no longer permits', async () => {
    const account = await gateway.createAccount()
    const first = await joinAccount(gateway, account, 'OWNER')
    const second = await joinAccount(gateway, account, 'OWNER')
    const asOwner = newAddress()
    const asViewer = newAddress()
    expect((await invite(second, asOwner, 'OWNER')).status).toBe(201)
    expect((await invite(second, asViewer, 'VIEWER')).status).toBe(201)

    expect((await setRole(first, second.memberId, 'ADMIN')).status).toBe(200)
    const left = (await membersOf(first)).map(({ email }) => email)
    expect(left).toContain(asViewer)
    expect(left).not.toContain(asOwner)
    expect((await setRole(first, second.memberId, 'BILLING')).status).toBe(200)
    expect((await membersOf(first)).map(({ email }) => email)).not.toContain(asViewer)
  })
})

describe('DELETE /v1/account/members/{member_id}', () => {
  test('ends the sessions at once, and needs to know about the keys', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const member = await joinAccount(gateway, account, 'DEVELOPER')

    const unsaid = await owner.send('DELETE', `${path}/${member.memberId}`)
    const removed = await remove(owner, member.memberId)
    const again = await remove(owner, member.memberId)

    const details = [{ field: 'keys', in: 'query', message: 'is required' } as const]
    expectError(gateway, unsaid, { status: 422, code: 'INVALID_REQUEST', details })
    expect([removed.status, Object(removed.body).id]).toEqual([200, member.memberId])
    expectError(gateway, again, { status: 404, code: 'NOT_FOUND' })
    expect(await isIn(member)).toBe(false)
    expect(await membersOf(owner)).toHaveLength(1)
  })

  test.each([
    ['revoke', 'revoked', 'revoked'],
    ['keep', 'active', 'revoked'],
  ])(
    '%s: the keys of the member are %s, those that the console made %s',
    async (keys, own, made) => {
      const account = await gateway.createAccount()
      const owner = await joinAccount(gateway, account, 'OWNER')
      const member = await joinAccount(gateway, account, 'DEVELOPER')
      const issue = async (by: Page, input: object) =>
        String(Object((await by.send('POST', '/v1/account/keys', input)).body).id)
      const ids = [
        await issue(member, { name: 'Own' }),
        await issue(member, { name: 'Agent', metadata: { console: 'agent' } }),
        await issue(owner, { name: 'Other', scopes: ['usage:read'] }),
      ]
      // Metadata are the owner's to change, and decide nothing.
      for (const [index, metadata] of [{ console: 'agent' }, {}].entries()) {
        const changed = await owner.send('PATCH', `/v1/account/keys/${ids[index]}`, { metadata })
        expect(changed.status).toBe(200)
      }

      expect((await remove(owner, member.memberId, keys)).status).toBe(200)

      await vi.waitFor(async () => {
        const { body } = await owner.get('/v1/account/keys')
        const statusOf = new Map(
          Object(body).items.map((key: { id: string; status: string }) => [key.id, key.status]),
        )
        expect(ids.map((id) => statusOf.get(id))).toEqual([own, made, 'active'])
      }, patience)
    },
  )

  test('revoke: finds the keys that were issued with a key of the member, and those that took their place', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const member = await joinAccount(gateway, account, 'DEVELOPER')
    const keyOf = ({ status, body }: { status: number; body: unknown }) => {
      expect(status).toBe(201)
      return { id: String(Object(body).id), plaintext: String(Object(body).plaintext) }
    }
    const input = { name: 'Mine', scopes: ['keys:read', 'keys:write'] }
    const first = keyOf(await member.send('POST', keysPath, input))
    const second = keyOf(await gateway.live.post(keysPath, input, first.plaintext))
    const third = keyOf(
      await gateway.live.post(`${keysPath}/${second.id}/rotate`, {}, second.plaintext),
    )
    const others = keyOf(await owner.send('POST', keysPath, input))

    expect((await remove(owner, member.memberId, 'revoke')).status).toBe(200)

    await vi.waitFor(async () => {
      const used = [first, second, third, others].map(async ({ plaintext }) => {
        return (await gateway.live.get(keysPath, plaintext)).status
      })
      expect(await Promise.all(used)).toEqual([401, 401, 401, 200])
    }, patience)
  })

  test('revoke: a key that is used at the same time issues no other one', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const member = await joinAccount(gateway, account, 'DEVELOPER')
    const input = { name: 'Mine', scopes: ['keys:read', 'keys:write'] }
    const { body: first } = await member.send('POST', keysPath, input)

    const answer = await whileHeld(gateway.database, lockOfKeys(account), {
      waiting: 2,
      async started(untilOneWaits) {
        expect((await remove(owner, member.memberId, 'revoke')).status).toBe(200)
        // The job is the first that waits.
        await untilOneWaits('pg_advisory_xact_lock')
        return gateway.live.post(keysPath, input, Object(first).plaintext)
      },
    })

    expectError(gateway, answer, { status: 401, code: 'INVALID_API_KEY' })
    expect(await acceptedKeysOf(member)).toEqual([])
  })

  test('revoke: a key that a request issues which had begun before is found later', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const member = await joinAccount(gateway, account, 'DEVELOPER')
    const budgets = [{ period: 'day', limit_credits: 100 }]
    await member.send('POST', keysPath, { name: 'First' })
    const balance = 'SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE'

    const { late } = await whileHeld(gateway.database, [balance, [account.id]], {
      async started(untilOneWaits) {
        const issued = member.send('POST', keysPath, { name: 'Late', budgets })
        await untilOneWaits('account.balance')
        expect((await remove(owner, member.memberId, 'revoke')).status).toBe(200)
        await vi.waitFor(async () => expect(await acceptedKeysOf(member)).toEqual([]), patience)
        return { late: issued }
      },
    })

    expect((await late).status).toBe(201)
    expect(await acceptedKeysOf(member)).toEqual(['Late'])
    const due = await gateway.database.query<{ seconds: number }>(
      `WITH due AS (
         UPDATE jobs.job SET start_after = now()
         WHERE name = 'RevokeKeysOfMember' AND data ->> 'memberId' = $1 AND start_after > now()
         RETURNING id)
       SELECT extract(epoch FROM j.start_after - j.created_on)::int AS seconds
       FROM due JOIN jobs.job j USING (id)`,
      [member.memberId],
    )
    expect(due).toEqual([{ seconds: 60 }])
    await vi.waitFor(async () => expect(await acceptedKeysOf(member)).toEqual([]), patience)
  })

  test('of two owners who remove each other, one gets 409', async () => {
    for (let round = 0; round < 3; round += 1) {
      const account = await gateway.createAccount()
      const one = await joinAccount(gateway, account, 'OWNER')
      const two = await joinAccount(gateway, account, 'OWNER')

      const answers = await Promise.all([remove(one, two.memberId), remove(two, one.memberId)])

      const [won, lost] = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(won).toBe(200)
      // Who comes too late to be signed in is told so; both others are the conflict.
      expect([401, 409]).toContain(lost)
      expect(
        await gateway.database.query(
          `SELECT count(*)::int AS owners FROM oauth.membership
           WHERE account_id = $1 AND removed_at IS NULL AND role = 'OWNER'`,
          [account.id],
        ),
      ).toEqual([{ owners: 1 }])
    }
  })
})

describe('the link of an invitation that was accepted, removed or sent again', () => {
  test('is no guess: whoever opens it often is not slowed down, at the default limit', async () => {
    const limited = await startTestGateway({ OAUTH_LIMITS: 'failures=10' })
    try {
      const owner = await plantPage(limited, await limited.createAccount(), { role: 'OWNER' })
      const linkOf = async () => Object((await invite(owner, newAddress(), 'VIEWER')).body)
      const [accepted, removed, renewed] = [await linkOf(), await linkOf(), await linkOf()]
      await joinBy(limited, accepted.id, accepted.link)
      expect((await remove(owner, removed.id)).status).toBe(200)
      const { body } = await owner.send('POST', `${path}/${renewed.id}/resend`)

      for (const { link } of [accepted, removed, renewed]) {
        const proof = { invitation_token: invitationTokenIn(link) }
        for (let count = 0; count < 3; count += 1) {
          for (const answer of [
            await previewOf(limited.live, proof),
            await accept(limited, proof.invitation_token),
          ]) {
            expectError(limited, answer, {
              ...{ status: 404, code: 'NOT_FOUND' },
              message: 'This link is invalid or no longer works. Ask for another one.',
            })
          }
        }
      }
      const token = invitationTokenIn(Object(body).link)
      const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
      const statuses: number[] = []
      for (let count = 0; count < 11; count += 1) {
        statuses.push((await previewOf(limited.live, { invitation_token: forged })).status)
      }

      expect(statuses).toEqual([...Array(10).fill(404), 429])
      expect((await accept(limited, token)).status).toBe(201)
    } finally {
      await limited.close()
    }
  })
})

describe('PATCH /v1/account/members/me', () => {
  test('changes the own name; a key and a person of a portal link are no members', async () => {
    const account = await gateway.createAccount()
    const member = await joinAccount(gateway, account, 'VIEWER')
    const portal = await plantPage(gateway, account, { role: 'OWNER' })

    const named = await member.send('PATCH', `${path}/me`, { name: 'Joe Doe' })
    const unnamed = await portal.send('PATCH', `${path}/me`, { name: 'Jane' })
    const byKey = await gateway.live.request(`${path}/me`, {
      ...{ method: 'PATCH', body: { name: 'Jane' }, key: account.liveKey },
    })

    expect([named.status, named.body]).toMatchObject([
      200,
      { id: member.memberId, name: 'Joe Doe' },
    ])
    for (const answer of [unnamed, byKey]) {
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND' })
    }
    expect(await membersOf(portal)).toMatchObject([{ name: 'Joe Doe' }])
  })
})

describe('members of another account', () => {
  test('are missing', async () => {
    const [ours, theirs] = [await gateway.createAccount(), await gateway.createAccount()]
    const owner = await joinAccount(gateway, ours, 'OWNER')
    const other = await joinAccount(gateway, theirs, 'VIEWER')

    const answers = [
      await setRole(owner, other.memberId, 'ADMIN'),
      await remove(owner, other.memberId),
      await owner.send('POST', `${path}/${other.memberId}/resend`),
    ]

    for (const answer of answers) {
      expectError(gateway, answer, {
        ...{ status: 404, code: 'NOT_FOUND', message: 'No member has this id.' },
      })
    }
    expect(await isIn(other)).toBe(true)
    expect(await membersOf(owner)).toHaveLength(1)
  })

  test('and people are seen by no statement of the service', async () => {
    await expect(
      gateway.database.query(
        "SELECT has_table_privilege('gateway_service', 'oauth.person', 'SELECT') AS may",
        [],
      ),
    ).resolves.toEqual([{ may: false }])
  })
})

describe('GET /v1/account/members', () => {
  test('has pages, newest first, whose cursors belong to the account', async () => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const stranger = await plantPage(gateway, other, { role: 'OWNER' })
    const emails = [newAddress(), newAddress(), newAddress()]
    for (const email of emails) expect((await invite(owner, email, 'VIEWER')).status).toBe(201)

    const first = await owner.get(`${path}?limit=2`)
    const { items, next_cursor: cursor } = Object(first.body)
    const next = `${path}?limit=2&cursor=${encodeURIComponent(cursor)}`
    const second = await owner.get(next)
    const foreign = await stranger.get(next)

    expect(items.map(({ email }: { email: string }) => email)).toEqual([emails[2], emails[1]])
    expect(Object(second.body)).toMatchObject({ items: [{ email: emails[0] }], next_cursor: null })
    const message = 'is not a cursor of this list'
    const details = [{ field: 'cursor', in: 'query', message } as const]
    expectError(gateway, foreign, { status: 422, code: 'INVALID_REQUEST', details })
  })
})

describe('every way to name a mail address', () => {
  test.each([
    ['o&m', 'acme.example', true],
    ['ida', 'xn--mller-kva.example', true],
    ['jürgen', 'acme.example', false],
    ['ida', 'müller.example', false],
    ['root', 'intranet', false],
  ])('takes %s@%s: %s, so that who is invited can sign in', async (local, domain, isTaken) => {
    const account = await gateway.createAccount()
    const owner = await plantPage(gateway, account, { role: 'OWNER' })
    const addressFor = (way: string) => `${local}@${way}.${domain}`.replace('.intranet', '')
    const input = { accountId: account.id, email: addressFor('a'), role: 'VIEWER' }
    const invitation =
      'mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id } }'
    const opening = {
      ...{ name: 'New', email: 'ida@acme.example' },
      ownerEmail: addressFor('b'),
    }
    const creation =
      'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { accountId } }'
    const isDone = (asked: Promise<unknown>) =>
      asked.then(
        () => true,
        (error: Error) => !/must be an email address/.test(error.message),
      )

    const request = { email: addressFor('c') }
    const asked = await gateway.live.post(
      ...(['/v1/account/sessions/mail/request', request, undefined, ofOwnPage] as const),
    )
    const taken = [
      (await invite(owner, addressFor('d'), 'VIEWER')).status === 201,
      await isDone(gateway.graphql(invitation, { input })),
      await isDone(gateway.graphql(creation, { input: opening })),
      // This gateway sends no mails: a well-formed address is a conflict.
      asked.status === 409,
    ]

    expect(taken).toEqual(Array(4).fill(isTaken))
  })
})

describe('the first OWNER', () => {
  test('is invited when the account is created with an address', async () => {
    const email = newAddress()
    const { createAccount } = Object(
      await gateway.graphql(
        'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { account { id } } }',
        { input: { name: 'New', email, ownerEmail: email } },
      ),
    )
    const page = await plantPage(gateway, createAccount.account, { role: 'OWNER' })

    await vi.waitFor(async () => {
      expect(await membersOf(page)).toMatchObject([
        { email, role: 'OWNER', state: 'invited', invited_by: null },
      ])
    }, patience)
  })

  test('can join by the link in the answer, where no mails are sent', async () => {
    const email = newAddress()
    const open = async (ownerEmail: string | null) =>
      Object(
        await gateway.graphql(
          `mutation ($input: CreateAccountInput!) {
            createAccount(input: $input) { accountId ownerLink }
          }`,
          { input: { name: 'New', email, ownerEmail } },
        ),
      ).createAccount
    const { accountId, ownerLink } = await open(email)

    const { status, body } = await vi.waitUntil(async () => {
      const answer = await accept(gateway, invitationTokenIn(ownerLink))
      return answer.status === 201 && answer
    }, patience)

    expect([status, body]).toMatchObject([201, { account_id: accountId }])
    const members = await gateway.database.query(
      'SELECT email, role, joined_at IS NOT NULL AS joined FROM oauth.membership WHERE account_id = $1',
      [accountId],
    )
    expect(members).toEqual([{ email, role: 'OWNER', joined: true }])
    expect((await open(null)).ownerLink).toBeNull()
  })
})

describe('the audit trail', () => {
  test('says who invited, joined, changed and removed', async () => {
    const account = await gateway.createAccount()
    const owner = await joinAccount(gateway, account, 'OWNER')
    const invited = await invite(owner, newAddress(), 'VIEWER')
    const { id, link } = Object(invited.body)
    await joinBy(gateway, id, link)
    expect((await setRole(owner, id, 'ADMIN')).status).toBe(200)
    expect((await remove(owner, id)).status).toBe(200)

    await vi.waitFor(async () => {
      const lines = await gateway.database.query<{ action: string }>(
        `SELECT action, actor_kind FROM usage.audit_event
         WHERE account_id = $1 AND resource_id = $2 ORDER BY occurred_at, id`,
        [account.id, id],
      )
      expect(lines).toEqual(
        ['member.invite', 'member.join', 'member.update', 'member.remove'].map((action) => ({
          ...{ action, actor_kind: 'session' },
        })),
      )
    }, patience)
    expect(await previewOf(gateway.live, { portal_token: 'x' })).toMatchObject({ status: 404 })
  })

  test('tells a member from a person of a portal link who has the same name', async () => {
    const account = await gateway.createAccount()
    const email = newAddress()
    const member = await joinAccount(gateway, account, 'OWNER', email)
    const twin = await plantPage(gateway, account, { role: 'OWNER', actor: email })
    for (const [page, name] of [
      [member, 'Of the member'],
      [twin, 'Of the portal'],
    ] as const) {
      expect((await page.send('POST', '/v1/account/keys', { name })).status).toBe(201)
    }
    const namesBy = async (actor: string) => {
      const query = new URLSearchParams({ actor, action: 'key.create' })
      const { body } = await twin.get(`/v1/account/audit/events?${query}`)
      return Object(body).items.map(
        ({ details }: { details: { name: string; member_id?: string } }) => [
          details.name,
          details.member_id ?? null,
        ],
      )
    }

    await expect.poll(() => namesBy(email), patience).toHaveLength(2)
    expect(await namesBy(member.memberId)).toEqual([['Of the member', member.memberId]])
    expect(await namesBy(email)).toContainEqual(['Of the portal', null])
  })
})
