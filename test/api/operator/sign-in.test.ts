import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { admin, openTestGraph } from '../../support/database/graph.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  newOperator,
  operate,
  operatorCookieOf,
  plantLink,
  signInOperator,
  withOperators,
} from '../../support/gateway/operator-page.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway(withOperators)
})
afterAll(() => gateway.close())

const noLink = {
  ...{ status: 404, code: 'NOT_FOUND' },
  message: 'This link is invalid or no longer works. Make another one.',
}
const signedOut = {
  ...{ status: 401, code: 'AUTHENTICATION_REQUIRED', details: { methods: ['link'] } },
}

const me = (cookie: string) => operate(gateway, 'Me', {}, { cookie })
const hashOf = (cookie: string) => sha256(cookie.slice(cookie.indexOf('=') + 1))

/** Moves an instant of a session into the past. */
function age(cookie: string, column: string, interval: string): Promise<unknown> {
  return gateway.database.query(
    `UPDATE keys.operator_session SET ${column} = now() - $2::interval WHERE secret_hash = $1`,
    [hashOf(cookie), interval],
  )
}

async function sessionOf(cookie: string) {
  const [row] = await gateway.database.query<{
    id: string
    used_at: Date
    proven_at: Date
    expires_at: Date
    ended_at: Date | null
  }>('SELECT * FROM keys.operator_session WHERE secret_hash = $1', [hashOf(cookie)])
  if (!row) throw new Error('There is no such session.')
  return row
}

/** The lines of the audit trail about operators with this name. */
function linesOf(name: string) {
  return gateway.database.query<{ action: string; resource_id: string; details: object }>(
    `SELECT action, actor_kind, actor_role, account_id, result FROM usage.audit_event
     WHERE actor_id = $1 ORDER BY id`,
    [name],
  )
}

describe('SignIn', () => {
  test('opens a session with a cookie for this host alone, and says who is there', async () => {
    const operator = newOperator('support')
    const token = await plantLink(gateway, operator)

    const answer = await operate(gateway, 'SignIn', { token })

    expect([answer.status, answer.body]).toEqual([200, { data: operator }])
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-gw_operator=svc_ops_[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const cookie = operatorCookieOf(answer) ?? ''
    const session = await sessionOf(cookie)
    expect((await me(cookie)).body).toEqual({
      data: {
        ...operator,
        provenAt: session.proven_at.toISOString(),
        isProofFresh: true,
        expiresAt: session.expires_at.toISOString(),
        signInMethods: ['link'],
      },
    })
    await vi.waitFor(async () => {
      expect(await linesOf(operator.name)).toEqual([
        {
          ...{ action: 'operator.sign_in', actor_kind: 'internal', actor_role: 'support' },
          ...{ account_id: null, result: 'succeeded' },
        },
      ])
    }, patience)
  })

  test('works once: of ten at the same time, one opens a session', async () => {
    const operator = newOperator()
    const token = await plantLink(gateway, operator)

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => operate(gateway, 'SignIn', { token })),
    )

    const opened = answers.filter(({ status }) => status === 200)
    expect(opened).toHaveLength(1)
    for (const refused of answers.filter((answer) => !opened.includes(answer))) {
      expectError(gateway, refused, noLink)
      expect(refused.headers.get('set-cookie')).toBeNull()
    }
    const sessions = 'SELECT FROM keys.operator_session WHERE name = $1'
    expect(await gateway.database.query(sessions, [operator.name])).toHaveLength(1)
    expectError(gateway, await operate(gateway, 'SignIn', { token }), noLink)
  })

  test.each<[string, (token: string) => Promise<unknown>]>([
    [
      'that has expired',
      (token) =>
        gateway.database.query(
          "UPDATE keys.operator_link SET expires_at = now() - interval '1 s' WHERE token_hash = $1",
          [sha256(token)],
        ),
    ],
    [
      'that was removed',
      (token) =>
        gateway.database.query('DELETE FROM keys.operator_link WHERE token_hash = $1', [
          sha256(token),
        ]),
    ],
  ])('refuses a link %s, as one that nobody made', async (_, change) => {
    const token = await plantLink(gateway, newOperator())
    await change(token)

    for (const tried of [token, newOAuthSecret('svc', 'olk'), 'x']) {
      for (const operation of ['Preview', 'SignIn']) {
        expectError(gateway, await operate(gateway, operation, { token: tried }), noLink)
      }
    }
  })

  test('takes no cookie that somebody has planted: each sign-in has another', async () => {
    const planted = `__Host-gw_operator=${newOAuthSecret('svc', 'ops')}`
    const token = await plantLink(gateway, newOperator())

    const answer = await operate(gateway, 'SignIn', { token }, { cookie: planted })

    expect(answer.status).toBe(200)
    expect(operatorCookieOf(answer)).not.toBe(planted)
    expectError(gateway, await me(planted), signedOut)
  })

  test('does not replace a session silently, and ends it where it is told to', async () => {
    const first = newOperator()
    const cookie = await signInOperator(gateway, first)
    const second = newOperator('readonly')
    const token = await plantLink(gateway, second)

    const preview = await operate(gateway, 'Preview', { token }, { cookie })
    const refused = await operate(gateway, 'SignIn', { token }, { cookie })

    expect([preview.status, preview.body]).toEqual([
      200,
      { data: { ...second, expiresAt: expect.any(String), signedInAs: first } },
    ])
    expectError(gateway, refused, { status: 409, code: 'CONFLICT' })
    expect(refused.headers.get('set-cookie')).toBeNull()
    expect((await me(cookie)).status).toBe(200)
    const replaced = await operate(gateway, 'SignIn', { token, replaces: true }, { cookie })
    expect(replaced.status).toBe(200)
    expectError(gateway, await me(cookie), signedOut)
    const now = await me(operatorCookieOf(replaced) ?? '')
    expect(now.body).toMatchObject({ data: second })
  })

  test('counts a wrong token for the block of the client, and a used link not', async () => {
    const other = await startTestGateway({ ...withOperators, OAUTH_LIMITS: 'failures=3' })
    try {
      const token = await plantLink(other, newOperator())
      const good = await plantLink(other, newOperator())
      expect((await operate(other, 'SignIn', { token })).status).toBe(200)
      for (let use = 0; use < 5; use += 1) {
        expect((await operate(other, 'SignIn', { token })).status).toBe(404)
      }

      const guesses: number[] = []
      for (let guess = 0; guess < 4; guess += 1) {
        const wrong = { token: newOAuthSecret('svc', 'olk') }
        const { status } = await operate(other, guess % 2 ? 'Preview' : 'SignIn', wrong)
        guesses.push(status)
      }

      expect(guesses).toEqual([404, 404, 404, 429])
      expect((await operate(other, 'SignIn', { token: good })).status).toBe(200)
    } finally {
      await other.close()
    }
  })
})

describe('SignOut', () => {
  test('ends the session at once, in every process, and takes the cookie away', async () => {
    const operator = newOperator()
    const cookie = await signInOperator(gateway, operator)

    const answer = await operate(gateway, 'SignOut', {}, { cookie })

    expect([answer.status, answer.body]).toEqual([200, { data: {} }])
    expect(answer.headers.get('set-cookie')).toBe(
      '__Host-gw_operator=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0',
    )
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"')
    expectError(gateway, await me(cookie), signedOut)
    await vi.waitFor(async () => {
      expect((await linesOf(operator.name)).map(({ action }) => action)).toEqual([
        'operator.sign_in',
        'operator.sign_out',
      ])
    }, patience)
  })
})

describe('a session of an operator', () => {
  test('ends after 8 hours, however it is used', async () => {
    const cookie = await signInOperator(gateway, newOperator())
    const { expires_at: end } = await sessionOf(cookie)
    const hours = (end.getTime() - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(7.9)
    expect(hours).toBeLessThanOrEqual(8)

    await age(cookie, 'expires_at', '1 s')

    expectError(gateway, await me(cookie), signedOut)
  })

  test('ends after 30 minutes without use', async () => {
    const cookie = await signInOperator(gateway, newOperator())

    await age(cookie, 'used_at', '29 min')
    expect((await me(cookie)).status).toBe(200)
    await age(cookie, 'used_at', '30 min')

    expectError(gateway, await me(cookie), signedOut)
    expect((await sessionOf(cookie)).ended_at).toBeNull()
  })

  test('has its use written down once a minute', async () => {
    const cookie = await signInOperator(gateway, newOperator())
    const { used_at: opened } = await sessionOf(cookie)

    expect((await me(cookie)).status).toBe(200)
    expect((await sessionOf(cookie)).used_at).toEqual(opened)
    await age(cookie, 'used_at', '61 s')
    expect((await me(cookie)).status).toBe(200)

    expect((await sessionOf(cookie)).used_at.getTime()).toBeGreaterThanOrEqual(opened.getTime())
  })

  test('is not used by what the page asks by itself', async () => {
    const cookie = await signInOperator(gateway, newOperator())
    await age(cookie, 'used_at', '20 min')
    const { used_at: before } = await sessionOf(cookie)

    const answer = await operate(gateway, 'Me', {}, { cookie, isBackground: true })

    expect(answer.status).toBe(200)
    expect((await sessionOf(cookie)).used_at).toEqual(before)
  })

  test('has no secret in the database', async () => {
    const operator = newOperator()
    const cookie = await signInOperator(gateway, operator)
    const [, secret = ''] = cookie.split('=')

    const rows = await gateway.database.query(
      'SELECT s::text FROM keys.operator_session s UNION ALL SELECT l::text FROM keys.operator_link l',
    )

    expect(JSON.stringify(rows)).toContain(operator.name)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(rows)).not.toMatch(/svc_(ops|olk)_/)
  })
})

describe('StepUp', () => {
  test('proves anew who is there, with a new cookie and the same end, by a link of the same name and role', async () => {
    const operator = newOperator()
    const cookie = await signInOperator(gateway, operator)
    await age(cookie, 'proven_at', '16 min')
    await age(cookie, 'expires_at', '-1 h')
    const before = await me(cookie)
    expect(before.body).toMatchObject({ data: { isProofFresh: false } })
    const { expiresAt } = Object(before.body).data

    const token = await plantLink(gateway, operator)
    const answer = await operate(gateway, 'StepUp', { token }, { cookie })

    expect([answer.status, answer.body]).toEqual([200, { data: operator }])
    const newCookie = operatorCookieOf(answer) ?? ''
    expect((await me(newCookie)).body).toMatchObject({
      data: { ...operator, isProofFresh: true, expiresAt },
    })
    expectError(gateway, await me(cookie), signedOut)
    await vi.waitFor(async () => {
      expect((await linesOf(operator.name)).map(({ action }) => action)).toEqual([
        'operator.sign_in',
        'operator.step_up',
      ])
    }, patience)
  })

  test('refuses a link of another name or role, which stays usable', async () => {
    const operator = newOperator('support')
    const cookie = await signInOperator(gateway, operator)
    for (const other of [newOperator('support'), { ...operator, role: 'admin' as const }]) {
      const token = await plantLink(gateway, other)

      const answer = await operate(gateway, 'StepUp', { token }, { cookie })

      expectError(gateway, answer, { status: 409, code: 'CONFLICT' })
      expect((await me(cookie)).body).toMatchObject({ data: operator })
      expect((await operate(gateway, 'Preview', { token })).status).toBe(200)
    }
  })

  test('needs a session', async () => {
    const token = await plantLink(gateway, newOperator())

    expectError(gateway, await operate(gateway, 'StepUp', { token }), signedOut)
  })
})

describe('createOperatorLink and endOperator', () => {
  const create = `mutation { createOperatorLink(name: "Ada", role: "admin") { token } }`
  const end = `mutation { endOperator(name: "Ada") { sessions } }`

  test.each([create, end])('are for the command line, and for no token: %s', async (query) => {
    const token = await gateway.internalToken('admin')

    const { body } = await gateway.internal.post('/graphql', { query }, token)

    expect(Object(body).errors[0]).toMatchObject({
      message: 'Only the command line of the gateway may do this.',
      extensions: { code: 'FORBIDDEN' },
    })
  })

  test('refuse names that nobody could tell apart from others in the audit trail', async () => {
    const graph = await openTestGraph()
    try {
      for (const name of ['', ' Ada', 'cli', 'tok_1', 'ops_1', 'a\u202eb', 'x'.repeat(101)]) {
        const asked = { name, role: 'admin' }
        const commandLine = { ...admin, tokenId: 'cli' }
        await expect(graph.as('CreateOperatorLink', asked, commandLine)).rejects.toThrow(
          'name: must have 1 to 100 visible characters',
        )
      }
    } finally {
      await graph.close()
    }
  })
})

describe('the sweep', () => {
  test('deletes links and sessions that have expired, and no others', async () => {
    const graph = await openTestGraph()
    try {
      const row = (id: string, at: string) => [id, sha256(id), at]
      for (const [id, at] of [
        ['1', '-1 s'],
        ['2', '1 h'],
      ] as const) {
        await graph.database.query(
          `INSERT INTO keys.operator_link (id, token_hash, name, role, expires_at)
           VALUES ($1, $2, 'Ada', 'admin', now() + $3::interval)`,
          row(id, at),
        )
        await graph.database.query(
          `INSERT INTO keys.operator_session (id, secret_hash, name, role, proven_at, expires_at)
           VALUES ($1, $2, 'Ada', 'admin', now(), now() + $3::interval)`,
          row(id, at),
        )
      }

      expect(await graph.asService('ForgetInternalTokens', { limit: 500 })).toBe(1)

      for (const table of ['operator_link', 'operator_session']) {
        expect(await graph.database.query(`SELECT id FROM keys.${table}`)).toEqual([{ id: '2' }])
      }
    } finally {
      await graph.close()
    }
  })
})
