import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  askForLink,
  cookieOf,
  type LinkInput,
  linkToken,
  previewOf,
  secretOf,
  signInWith,
} from '../../support/oauth/portal.ts'
import { ofOwnPage } from '../../support/oauth/sessions.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const returnOrigin = 'https://app.example.com'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ RETURN_ORIGINS: returnOrigin })
})
afterAll(() => gateway.close())

interface LinkRow {
  readonly id: string
  readonly account_id: string
  readonly used_at: Date | null
}

async function linkOf(token: string): Promise<LinkRow> {
  const [row] = await gateway.database.query<LinkRow>(
    'SELECT id, account_id, used_at FROM oauth.portal_link WHERE token_hash = $1',
    [sha256(token)],
  )
  if (!row) throw new Error('No link has this token.')
  return row
}

interface SessionRow {
  readonly id: string
  readonly role: string | null
  readonly actor: string | null
  readonly is_open: boolean
  readonly expires_at: Date
  readonly proven_at: Date
}

function sessionsOf(accountId: string): Promise<SessionRow[]> {
  return gateway.database.query<SessionRow>(
    `SELECT id, role, actor, ended_at IS NULL AS is_open, expires_at, proven_at
     FROM oauth.session WHERE account_id = $1 ORDER BY id`,
    [accountId],
  )
}

const message = 'This link is invalid or no longer works. Ask for another one.'

function expectRefused(...answers: readonly TestResponse[]): void {
  for (const answer of answers) {
    expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    expect(cookieOf(answer)).toBeNull()
  }
}

describe('createPortalLink', () => {
  test.each([
    ['LIVE', 'live'],
    ['SANDBOX', 'sandbox'],
  ] as const)('answers with a link to %s that lives 15 minutes', async (environment, name) => {
    const { id: accountId } = await gateway.createAccount()
    const before = Date.now()

    const { link, errors } = await askForLink(gateway, { accountId, environment })

    expect(errors).toEqual([])
    const token = secretOf(link?.url ?? '')
    expect(token).toMatch(/^svc_opl_[A-Za-z0-9_-]{43}$/)
    expect(link).toEqual({
      url: `${gateway[name].url}/console/portal#${token}`,
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const livesMs = Date.parse(link?.expiresAt ?? '') - before
    expect(livesMs).toBeGreaterThan(14.5 * 60_000)
    expect(livesMs).toBeLessThan(16 * 60_000)
    const rows = await gateway.database.query(
      `SELECT l.* AS row FROM oauth.portal_link l WHERE account_id = $1`,
      [accountId],
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(await linkOf(token)).toMatchObject({ account_id: accountId, used_at: null })
  })

  test.each([
    ['', 'actor', 'must have 1 to 200 visible characters'],
    ['  ', 'actor', 'must have 1 to 200 visible characters'],
    ['a\nb', 'actor', 'must have 1 to 200 visible characters'],
    ['a\u202Eb', 'actor', 'must have 1 to 200 visible characters'],
    ['\u3164', 'actor', 'must have 1 to 200 visible characters'],
    ['\u2800', 'actor', 'must have 1 to 200 visible characters'],
    ['\u115F', 'actor', 'must have 1 to 200 visible characters'],
    ['\u034F', 'actor', 'must have 1 to 200 visible characters'],
    ['a\u200Bb', 'actor', 'must have 1 to 200 visible characters'],
    ['x'.repeat(201), 'actor', 'must have 1 to 200 visible characters'],
  ])('refuses the actor %j', async (actor, field, message) => {
    const { id: accountId } = await gateway.createAccount()

    const { link, errors } = await askForLink(gateway, { accountId, actor })

    expect(link).toBeNull()
    const details = [{ field, in: 'body', message }]
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details } }])
  })

  test('takes any 200 visible characters as the actor', async () => {
    const { id: accountId } = await gateway.createAccount()
    const actor = `Zoë 😀 ${'x'.repeat(194)}`

    const token = await linkToken(gateway, { accountId, actor })
    const { body } = await previewOf(gateway.live, { portal_token: token })

    expect(body).toMatchObject({ actor })
  })

  const otherOrigin = 'must be of this gateway, or of an origin that its operator permits'
  test.each([
    ['/settings', 'must be an absolute URL'],
    ['javascript:alert(1)', 'must be https, or http on this machine'],
    ['http://app.example.com/settings', 'must be https, or http on this machine'],
    ['https://app.example.com.evil.example/', otherOrigin],
    ['https://jane@app.example.com/', 'must not have a user name'],
    [`${returnOrigin}/${'x'.repeat(2000)}`, 'must have at most 2000 characters'],
  ])('refuses to lead back to %s', async (returnUrl, problem) => {
    const { id: accountId } = await gateway.createAccount()

    const { link, errors } = await askForLink(gateway, { accountId, returnUrl })

    expect(link).toBeNull()
    const details = [{ field: 'returnUrl', in: 'body', message: problem }]
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details } }])
  })

  test('finds no unknown account', async () => {
    const { link, errors } = await askForLink(gateway, { accountId: newId('acct') })

    expect(link).toBeNull()
    expect(errors).toMatchObject([
      { message: 'No account has this id.', extensions: { code: 'NOT_FOUND' } },
    ])
  })

  test.each([
    ['admin', 'OWNER', null],
    ['admin', 'DEVELOPER', null],
    ['support', 'VIEWER', null],
    ['support', 'OWNER', 'Only the role admin may make links for more than a VIEWER.'],
    ['support', 'DEVELOPER', 'Only the role admin may make links for more than a VIEWER.'],
    ['support', 'BILLING', 'Only the role admin may make links for more than a VIEWER.'],
    ['readonly', 'VIEWER', 'This caller may not use this operation.'],
  ] as const)('%s asks for the role %s: %s', async (by, role, refusal) => {
    const { id: accountId } = await gateway.createAccount()

    const { link, errors } = await askForLink(gateway, { accountId, role }, by)

    const rows = await gateway.database.query(
      'SELECT role FROM oauth.portal_link WHERE account_id = $1',
      [accountId],
    )
    if (refusal === null) {
      expect(link?.url).toMatch(/#svc_opl_/)
      expect(rows).toEqual([{ role }])
    } else {
      expect(link).toBeNull()
      expect(errors).toMatchObject([{ message: refusal, extensions: { code: 'FORBIDDEN' } }])
      expect(rows).toEqual([])
    }
  })
})

describe('POST /v1/account/sessions/preview', () => {
  test('says whom a link would sign in, and changes nothing', async () => {
    const { id: accountId } = await gateway.createAccount()
    const returnUrl = `${returnOrigin}/settings?tab=api`
    const role = 'BILLING'
    const token = await linkToken(gateway, { accountId, role, actor: 'Jane Doe', returnUrl })

    const first = await previewOf(gateway.live, { portal_token: token })
    const second = await previewOf(gateway.live, { portal_token: token })

    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body).toEqual({
      ...{ account_id: accountId, account_name: 'Test', environment: 'live' },
      ...{ role, actor: 'Jane Doe', return_url: returnUrl },
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      signed_in_as: null,
    })
    expect(second.body).toEqual(first.body)
    expect(cookieOf(first)).toBeNull()
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect((await linkOf(token)).used_at).toBeNull()
    expect(await sessionsOf(accountId)).toEqual([])
  })

  test('names another account that the browser is signed in as, and only another', async () => {
    const [one, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const signedIn = await signInWith(gateway.live, {
      portal_token: await linkToken(gateway, { accountId: one.id }),
    })
    const cookie = cookieOf(signedIn) ?? ''
    const ofOne = await linkToken(gateway, { accountId: one.id, role: 'VIEWER' })
    const ofOther = await linkToken(gateway, { accountId: other.id })

    const same = await previewOf(gateway.live, { portal_token: ofOne }, cookie)
    const another = await previewOf(gateway.live, { portal_token: ofOther }, cookie)

    expect(signedIn.status).toBe(201)
    expect([same.status, Object(same.body).signed_in_as]).toEqual([200, null])
    expect([another.status, Object(another.body).signed_in_as]).toEqual([
      200,
      { account_id: one.id, account_name: 'Test' },
    ])
    expect(await sessionsOf(one.id)).toMatchObject([{ is_open: true }])
  })
})

describe('POST /v1/account/sessions', () => {
  test('signs a browser in with a link', async () => {
    const { id: accountId } = await gateway.createAccount()
    const token = await linkToken(gateway, { accountId, role: 'DEVELOPER', actor: 'Jane Doe' })

    const answer = await signInWith(gateway.live, { portal_token: token })

    const [session] = await sessionsOf(accountId)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ id: session?.id })
    expect(session).toMatchObject({ role: 'DEVELOPER', actor: 'Jane Doe', is_open: true })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-gw_session=svc_osn_[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(JSON.stringify(answer.body)).not.toContain('svc_osn_')
    expect((await linkOf(token)).used_at).not.toBeNull()
  })

  test('takes a link once', async () => {
    const { id: accountId } = await gateway.createAccount()
    const proof = { portal_token: await linkToken(gateway, { accountId }) }
    const first = await signInWith(gateway.live, proof)
    expect(first.status).toBe(201)

    expectRefused(await signInWith(gateway.live, proof), await previewOf(gateway.live, proof))
    // Also for the browser that it has signed in.
    const cookie = cookieOf(first) ?? ''
    expectRefused(await signInWith(gateway.live, proof, cookie))
    expect(await sessionsOf(accountId)).toMatchObject([{ is_open: true }])
  })

  test('takes a link once, of 20 requests at once', async () => {
    const { id: accountId } = await gateway.createAccount()
    const proof = { portal_token: await linkToken(gateway, { accountId }) }

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signInWith(gateway.live, proof)),
    )

    const won = answers.filter(({ status }) => status === 201)
    expect(won).toHaveLength(1)
    expectRefused(...answers.filter((answer) => !won.includes(answer)))
    expect(await sessionsOf(accountId)).toMatchObject([{ is_open: true }])
  })

  test('refuses an expired link', async () => {
    const { id: accountId } = await gateway.createAccount()
    const proof = { portal_token: await linkToken(gateway, { accountId }) }
    await gateway.database.query(
      `UPDATE oauth.portal_link SET expires_at = now() WHERE account_id = $1`,
      [accountId],
    )

    expectRefused(await previewOf(gateway.live, proof), await signInWith(gateway.live, proof))
    expect(await sessionsOf(accountId)).toEqual([])
  })

  test.each([
    ['LIVE', 'sandbox', 'live'],
    ['SANDBOX', 'live', 'sandbox'],
  ] as const)(
    'refuses a link of %s on the %s listener, and leaves it',
    async (environment, wrong, right) => {
      const { id: accountId } = await gateway.createAccount()
      const proof = { portal_token: await linkToken(gateway, { accountId, environment }) }

      expectRefused(await previewOf(gateway[wrong], proof), await signInWith(gateway[wrong], proof))
      expect((await signInWith(gateway[right], proof)).status).toBe(201)
    },
  )

  test.each(['SUSPENDED', 'CLOSED'])('refuses a link of an account that is %s', async (status) => {
    const { id: accountId } = await gateway.createAccount()
    const proof = { portal_token: await linkToken(gateway, { accountId }) }
    const input = { id: accountId, status }
    await gateway.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input },
    )

    expectRefused(await previewOf(gateway.live, proof), await signInWith(gateway.live, proof))
    expect(await sessionsOf(accountId)).toEqual([])
  })

  test.each([
    ['nothing', {}, 201],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['its own origin alone', { origin: 'own' }, 201],
    ['a foreign site, from its own origin', { origin: 'own', 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['a typed address', { 'sec-fetch-site': 'none' }, 403],
    ['a program', null, 403],
  ] as const)('is for pages of the listener: %s', async (_who, given, status) => {
    const { id: accountId } = await gateway.createAccount()
    const proof = { portal_token: await linkToken(gateway, { accountId }) }
    const { origin, ...rest } = { origin: undefined, ...given }
    const headers = {
      ...(given !== null && Object.keys(given).length === 0 ? ofOwnPage : rest),
      ...(origin && { origin: origin === 'own' ? gateway.live.url : origin }),
    }

    const preview = await gateway.live.post(
      ...(['/v1/account/sessions/preview', proof, undefined, headers] as const),
    )
    const answer = await gateway.live.post(
      ...(['/v1/account/sessions', proof, undefined, headers] as const),
    )

    expect([preview.status, answer.status]).toEqual([status === 201 ? 200 : 403, status])
    if (status === 403) {
      expectError(gateway, answer, { status, code: 'FORBIDDEN' })
      expect(cookieOf(answer)).toBeNull()
      expect((await linkOf(proof.portal_token)).used_at).toBeNull()
    }
  })

  test('takes JSON alone', async () => {
    const { id: accountId } = await gateway.createAccount()
    const token = await linkToken(gateway, { accountId })
    const headers = { ...ofOwnPage, 'content-type': 'application/x-www-form-urlencoded' }

    const answer = await gateway.live.post(
      ...(['/v1/account/sessions', `portal_token=${token}`, undefined, headers] as const),
    )

    expectError(gateway, answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    expect((await linkOf(token)).used_at).toBeNull()
  })

  const oneOfBoth = 'must be sent, or handover_code or invitation_token instead'
  test.each([
    [{}, 'portal_token', oneOfBoth],
    [{ portal_token: 'a', handover_code: 'b' }, 'portal_token', oneOfBoth],
    [{ portal_token: 'a', role: 'OWNER' }, 'role', 'is not known here'],
    [{ handover_code: '' }, 'handover_code', 'must have at least 1 character'],
  ])('refuses the body %j', async (body, field, problem) => {
    for (const path of ['/v1/account/sessions', '/v1/account/sessions/preview']) {
      const answer = await gateway.live.post(path, body, undefined, ofOwnPage)

      const details = [{ field, in: 'body', message: problem } as const]
      expectError(gateway, answer, { status: 422, code: 'INVALID_REQUEST', details })
    }
  })

  test.each(['x', `svc_opl_${'A'.repeat(43)}`, 'svc_live_nonsense'])(
    'finds nobody for the token %s',
    async (portal_token) => {
      expectRefused(
        await previewOf(gateway.live, { portal_token }),
        await signInWith(gateway.live, { portal_token }),
        await signInWith(gateway.live, { handover_code: portal_token }),
      )
    },
  )
})

describe('a link for a browser that is signed in', () => {
  const person = { role: 'OWNER', actor: 'jane@example.com' }

  async function signedIn(input: LinkInput) {
    const answer = await signInWith(gateway.live, {
      portal_token: await linkToken(gateway, input),
    })
    expect(answer.status).toBe(201)
    return { id: Object(answer.body).id, cookie: cookieOf(answer) ?? '' }
  }

  test('proves the session of the same person anew: it stays, as does its end', async () => {
    const { id: accountId } = await gateway.createAccount()
    const first = await signedIn({ accountId, ...person })
    const hourAgo = `now() - interval '1 hour'`
    await gateway.database.query(
      `UPDATE oauth.session SET proven_at = ${hourAgo}, auth_time = ${hourAgo} WHERE id = $1`,
      [first.id],
    )
    const [before] = await sessionsOf(accountId)
    const proof = { portal_token: await linkToken(gateway, { accountId, ...person }) }

    const again = await signInWith(gateway.live, proof, first.cookie)

    const [after, ...others] = await sessionsOf(accountId)
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ id: first.id })
    expect(cookieOf(again)).not.toBe(first.cookie)
    expect(others).toEqual([])
    expect(after?.expires_at).toEqual(before?.expires_at)
    expect(after?.proven_at.getTime()).toBeGreaterThan((before?.proven_at.getTime() ?? 0) + 3e6)
  })

  test.each([
    ['role', { ...person, role: 'VIEWER' }],
    ['actor', { ...person, actor: 'joe@example.com' }],
  ])('of another %s is a new sign-in, and the session of before ends', async (_of, other) => {
    const { id: accountId } = await gateway.createAccount()
    const first = await signedIn({ accountId, ...person })
    const proof = { portal_token: await linkToken(gateway, { accountId, ...other }) }

    const answer = await signInWith(gateway.live, proof, first.cookie)

    expect(answer.status).toBe(201)
    expect(await sessionsOf(accountId)).toMatchObject([
      { id: first.id, is_open: false },
      { id: Object(answer.body).id, is_open: true, ...other },
    ])
  })

  test('of another account is a new sign-in, and the session of before ends', async () => {
    const [one, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const first = await signedIn({ accountId: one.id, ...person })
    const proof = { portal_token: await linkToken(gateway, { accountId: other.id, ...person }) }

    const answer = await signInWith(gateway.live, proof, first.cookie)

    expect(answer.status).toBe(201)
    expect(await sessionsOf(one.id)).toMatchObject([{ id: first.id, is_open: false }])
    expect(await sessionsOf(other.id)).toMatchObject([{ is_open: true }])
  })
})

describe('the audit trail', () => {
  const linesOf = (accountId: string) =>
    gateway.database.query(
      `SELECT environment, actor_kind, actor_id, actor_role, action, resource_id, result, details
       FROM usage.audit_event WHERE account_id = $1 AND action NOT LIKE 'account.%'
         AND action NOT LIKE 'key.%' AND action NOT LIKE 'credits.%'
       ORDER BY occurred_at, id`,
      [accountId],
    )

  test('says who made a link, and shows the person who used it', async () => {
    const { id: accountId } = await gateway.createAccount()
    const input = { accountId, role: 'VIEWER', actor: 'Jane Doe' }
    const { link } = await askForLink(gateway, input, 'support')
    const token = secretOf(link?.url ?? '')
    const answer = await signInWith(gateway.live, { portal_token: token })
    expect(answer.status).toBe(201)
    const { id: linkId } = await linkOf(token)
    const { id: sessionId } = Object(answer.body)

    await vi.waitFor(async () => expect(await linesOf(accountId)).toHaveLength(3), patience)
    const person = { actor_kind: 'session', actor_id: 'Jane Doe', actor_role: null }
    const here = { environment: 'live', result: 'succeeded' }
    expect(await linesOf(accountId)).toEqual([
      {
        ...here,
        ...{ actor_kind: 'internal', actor_role: 'support' },
        actor_id: expect.stringMatching(/^tok_/),
        ...{ action: 'portal_link.create', resource_id: linkId },
        details: { role: 'VIEWER', actor: 'Jane Doe' },
      },
      {
        ...{ ...here, ...person, action: 'portal_link.use', resource_id: linkId },
        details: { session_id: sessionId, role: 'VIEWER' },
      },
      { ...here, ...person, action: 'session.open', resource_id: sessionId, details: {} },
    ])
    expect(JSON.stringify(await linesOf(accountId))).not.toContain(token)
  })

  test('has a line of a link that support may not make, and none of a wrong token', async () => {
    const { id: accountId } = await gateway.createAccount()
    await askForLink(gateway, { accountId, role: 'OWNER' }, 'support')
    const proof = { portal_token: await linkToken(gateway, { accountId }) }
    await signInWith(gateway.live, proof)
    expectRefused(await signInWith(gateway.live, proof))

    await vi.waitFor(async () => expect(await linesOf(accountId)).toHaveLength(4), patience)
    expect(await linesOf(accountId)).toMatchObject([
      { action: 'portal_link.create', result: 'FORBIDDEN' },
      { action: 'portal_link.create', result: 'succeeded' },
      { action: 'portal_link.use', result: 'succeeded' },
      { action: 'session.open', result: 'succeeded' },
    ])
  })
})

describe('wrong tokens', () => {
  test('are counted like wrong keys; a link that was used before is not', async () => {
    const limited = await startTestGateway({ OAUTH_LIMITS: 'failures=2' })
    try {
      const { id: accountId } = await limited.createAccount()
      const wrong = { portal_token: `svc_opl_${'A'.repeat(43)}` }
      const used = { portal_token: await linkToken(limited, { accountId }) }
      expect((await signInWith(limited.live, used)).status).toBe(201)
      for (let count = 0; count < 4; count += 1) {
        expect((await signInWith(limited.live, used)).status).toBe(404)
      }

      expect((await previewOf(limited.live, wrong)).status).toBe(404)
      expect((await signInWith(limited.live, wrong)).status).toBe(404)
      const refused = await signInWith(limited.live, wrong)
      const good = { portal_token: await linkToken(limited, { accountId }) }
      const accepted = await signInWith(limited.live, good)

      expectError(limited, refused, {
        ...{ status: 429, code: 'RATE_LIMIT_EXCEEDED', page: 'rate-limits' },
      })
      expect(accepted.status).toBe(201)
    } finally {
      await limited.close()
    }
  })
})
