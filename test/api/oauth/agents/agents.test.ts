import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { personRoles } from '../../../../schema/vocabulary/roles.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type Agent,
  agentOf,
  agentRedirect,
  agentRequest,
  agentScope,
  approveAgent,
  asOperator,
  type DocumentHost,
  fromElsewhere,
  newAddress,
  redeemAgent,
  refreshAgent,
  registerItself,
  startDocumentHost,
  trustedProxy,
} from '../../../support/oauth/agents.ts'
import { authorize, consent, shownTo, signIn } from '../../../support/oauth/asking.ts'
import { postForm, tokensOf } from '../../../support/oauth/oauth-flow.ts'
import { linkToken, signInWith } from '../../../support/oauth/portal.ts'
import type { TestResponse } from '../../../support/requests/client.ts'
import { patience } from '../../../support/time/patience.ts'

const variables = {
  ...{ ...trustedProxy, WEBHOOK_ALLOW_LOOPBACK: 'true' },
  // Higher than any other limit that could be shown.
  ANONYMOUS_RPS: '98765',
}

let gateway: TestGateway
/** Its clients are all at one address. */
let started: TestGateway
let host: DocumentHost
beforeAll(async () => {
  started = await startTestGateway(variables)
  gateway = { ...started, live: fromElsewhere(started.live) }
  host = await startDocumentHost()
})
afterAll(async () => {
  await host.close()
  await gateway.close()
})

let turns = 0
/** Counts by address that no other turn has begun. */
const nextTurn = () => ++turns

const tools = () => `${gateway.baseUrl}/mcp`
const withDocument = () => agentOf(host.address())
const registered = async () => agentOf(await registerItself(gateway.live))
const idOf = (agent: Agent, key: string) =>
  authorize(gateway.live, agentRequest(agent), key).then(({ body }) =>
    String(Object(body).client.client_id),
  )

const kinds = [
  ['with a document', async () => withDocument()],
  ['that registered itself', registered],
] as const

describe.each(kinds)('an app %s (docs/oauth-rules.md 124-131)', (_kind, newAgent) => {
  test('from zero to tokens for the tools: REST refuses them, userinfo takes them, refresh works', async () => {
    const owner = await gateway.createAccount()
    const agent = await newAgent()

    const code = await approveAgent(gateway.live, agent, owner.liveKey)
    const first = tokensOf(await redeemAgent(gateway.live, agent, code, { resource: tools() }))
    const second = tokensOf(await refreshAgent(gateway.live, agent, first.refreshToken))
    const claims = await gateway.live.get('/v1/oauth/userinfo', second.accessToken)
    const payload = JSON.parse(
      Buffer.from(first.idToken.split('.')[1] ?? '', 'base64url').toString(),
    )

    expect((await gateway.live.get('/v1/account', first.accessToken)).status).toBe(401)
    expect([claims.status, Object(claims.body).sub]).toEqual([200, owner.id])
    expect(payload.aud).toBe(agent.clientId)
  })

  test('counts by client block, as nobody has to answer for it (docs/oauth-rules.md 124)', async () => {
    const agent = await newAgent()
    await approveAgent(gateway.live, agent, (await gateway.createAccount()).liveKey)
    const from = (address: string) =>
      postForm(
        started.live,
        '/v1/oauth/token',
        { grant_type: 'refresh_token', refresh_token: 'gone', client_id: agent.clientId },
        { 'x-forwarded-for': address },
      )
    const addressesOf = (turn: number) => [
      ...[`2001:db8:${turn}:1::1`, `2001:db8:${turn}:1:ffff::2`, `2001:db8:${turn}:2::1`],
      ...[`203.0.${turn}.7`, `203.0.${turn}.7`, `203.0.${turn}.8`],
    ]
    const windowOf = ({ headers }: TestResponse) => headers.get('x-ratelimit-reset')

    // Only requests of one second show how they are counted.
    const answers = await vi.waitUntil(async () => {
      const all: TestResponse[] = []
      for (const address of addressesOf(nextTurn())) all.push(await from(address))
      return new Set(all.map(windowOf)).size === 1 && all
    }, patience)

    expect(answers.map(({ status, body }) => [status, Object(body).error])).toEqual(
      answers.map(() => [400, 'invalid_grant']),
    )
    const limit = Number(answers[0]?.headers.get('x-ratelimit-limit'))
    expect(limit).toBe(Number(variables.ANONYMOUS_RPS))
    const used = answers.map(({ headers }) => limit - Number(headers.get('x-ratelimit-remaining')))
    expect(used).toEqual([1, 2, 1, 1, 2, 1])
  })

  test('can only ask for the tools and what agents may have', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = await newAgent()
    const ask = async (changes: object) => {
      const { status, body } = await authorize(
        gateway.live,
        agentRequest(agent, { ...changes }),
        liveKey,
      )
      return [status, Object(body).error?.oauth_error]
    }

    expect(await ask({ resource: `${gateway.baseUrl}/v1` })).toEqual([422, 'invalid_target'])
    expect(await ask({ scope: 'openid billing:read' })).toEqual([422, 'invalid_scope'])
    expect(await ask({ scope: 'profile' })).toEqual([422, 'invalid_scope'])
    expect(await ask({ code_challenge: null, code_challenge_method: null })).toEqual([
      422,
      'invalid_request',
    ])
    expect(await ask({ resource: tools() })).toEqual([200, undefined])
  })

  test('is approved only with a budget, which a further approval neither raises nor drops', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = await newAgent()
    const decide = async (budgets: string | null) => {
      const { status, body } = await consent(
        gateway.live,
        agentRequest(agent, { budgets }),
        liveKey,
      )
      return [status, Object(body).status ?? Object(body).error.details[0].field]
    }
    const screen = await authorize(gateway.live, agentRequest(agent), liveKey)

    const decided = [
      await decide(null),
      await decide('month:300'),
      await decide('month:301'),
      await decide('day:100'),
      await decide(null),
      await decide('month:300,day:100'),
    ]
    const clientId = Object(screen.body).client.client_id
    const lifted = await gateway.live.request(`/v1/oauth/consents/${clientId}`, {
      ...{ method: 'PATCH', key: liveKey },
      body: { budgets: [{ period: 'month', limit_credits: 1000 }] },
    })

    expect(Object(screen.body).budgets).toEqual([{ period: 'month', limit_credits: 500 }])
    expect(decided).toEqual([
      [422, 'budgets'],
      [200, 'approved'],
      [422, 'budgets'],
      [422, 'budgets'],
      [422, 'budgets'],
      [200, 'approved'],
    ])
    expect(lifted.status).toBe(200)
    expect(await decide('month:1000')).toEqual([200, 'approved'])
  })

  test('is never approved by prompt=none, also after an approval', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = await newAgent()
    await approveAgent(gateway.live, agent, liveKey)

    const asked = agentRequest(agent, { prompt: 'none', budgets: 'month:500' })
    const screen = await authorize(gateway.live, asked, liveKey)
    const decision = await consent(gateway.live, asked, liveKey)

    expect(new URL(Object(screen.body).redirect_to).searchParams.get('error')).toBe(
      'consent_required',
    )
    expect([decision.status, decision.body]).toEqual([200, { status: 'consent_required' }])
  })

  test('belongs to no account: each account has its own consent, and nobody lists or suspends the app', async () => {
    const [owner, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const agent = await newAgent()
    await approveAgent(gateway.live, agent, owner.liveKey)
    const clientId = await idOf(agent, owner.liveKey)

    const mine = await gateway.live.get('/v1/oauth/consents', owner.liveKey)
    const theirs = await gateway.live.get('/v1/oauth/consents', other.liveKey)
    const apps = await gateway.live.get('/v1/oauth/apps', owner.liveKey)
    const suspended = await gateway.live.request(`/v1/oauth/apps/${clientId}`, {
      ...{ method: 'DELETE', key: owner.liveKey },
    })
    const screen = await authorize(gateway.live, agentRequest(agent), other.liveKey)

    expect(clientId).toMatch(/^app_[0-9a-z]{26}$/)
    const host = URL.parse(agent.clientId)?.host
    expect(Object(mine.body).items).toEqual([
      {
        ...{ client_id: clientId, client_name: 'Agent', scope: agentScope, status: 'active' },
        ...{ granted_at: expect.any(String), budgets: [expect.anything()] },
        ...(host ? { origin: 'document', document_host: host } : { origin: 'registration' }),
      },
    ])
    expect(Object(theirs.body).items).toEqual([])
    expect(Object(apps.body).items).toEqual([])
    expect(suspended.status).toBe(404)
    expect(Object(screen.body)).toMatchObject({ consent_required: true })
  })

  test('is refused by an account that permits no unverified apps, unless it was approved before', async () => {
    const owner = await gateway.createAccount()
    const [known, unknown] = [await newAgent(), await newAgent()]
    await approveAgent(gateway.live, known, owner.liveKey)
    const path = '/v1/account/agents'
    const put = (allow_unverified_apps: unknown, key = owner.liveKey) =>
      gateway.live.request(path, { method: 'PUT', key, body: { allow_unverified_apps } })

    const before = await gateway.live.get(path, owner.liveKey)
    const changed = await put(false)
    const wrong = await put('no')
    const asked = agentRequest(unknown, { budgets: 'month:500' })
    const refused = [
      await authorize(gateway.live, asked, owner.liveKey),
      await consent(gateway.live, asked, owner.liveKey),
    ]

    expect([before.status, before.body]).toEqual([200, { allow_unverified_apps: true }])
    expect([changed.status, changed.body]).toEqual([200, { allow_unverified_apps: false }])
    expect(wrong.status).toBe(422)
    for (const response of refused) {
      expectError(gateway, response, {
        ...{ status: 403, code: 'FORBIDDEN' },
        message: 'This account permits no apps that nobody has verified.',
      })
    }
    await approveAgent(gateway.live, known, owner.liveKey)
    await approveAgent(gateway.live, unknown, (await gateway.createAccount()).liveKey)
  })

  test('ends with the suspension by an operator, for all accounts', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = await newAgent()
    const code = await approveAgent(gateway.live, agent, liveKey)
    const { accessToken, refreshToken } = tokensOf(await redeemAgent(gateway.live, agent, code))
    const clientId = await idOf(agent, liveKey)

    const { suspendOAuthApp } = await asOperator(
      gateway,
      'mutation ($id: ID!) { suspendOAuthApp(clientId: $id) { clientId status } }',
      { id: clientId },
    )
    const refreshed = await refreshAgent(gateway.live, agent, refreshToken)
    const asked = await authorize(gateway.live, agentRequest(agent), liveKey)

    expect(suspendOAuthApp).toEqual({ clientId, status: 'suspended' })
    expect((await gateway.live.get('/v1/oauth/userinfo', accessToken)).status).toBe(401)
    expect([refreshed.status, Object(refreshed.body).error]).toEqual([401, 'invalid_client'])
    expect(Object(asked.body).error.details[0]).toMatchObject({
      ...{ field: 'client_id', message: 'is no app that is registered here' },
    })
  })
})

describe('a client metadata document (docs/oauth-rules.md 132)', () => {
  test('is the client_id of authorize, token and revoke alone; its app_ id is none there', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = withDocument()
    const code = await approveAgent(gateway.live, agent, liveKey)
    const clientId = await idOf(agent, liveKey)

    const screen = await authorize(gateway.live, agentRequest({ ...agent, clientId }), liveKey)
    const byId = await redeemAgent(gateway.live, { ...agent, clientId }, code)
    const { accessToken } = tokensOf(await redeemAgent(gateway.live, agent, code))
    const introspected = await postForm(gateway.live, '/v1/oauth/introspect', {
      ...{ client_id: agent.clientId, token: accessToken },
    })
    const revoked = await postForm(gateway.live, '/v1/oauth/revoke', {
      ...{ client_id: agent.clientId, token: accessToken },
    })

    expect(screen.status).toBe(422)
    expect([byId.status, Object(byId.body).error]).toEqual([401, 'invalid_client'])
    expect(introspected.status).toBe(401)
    expect([revoked.status, revoked.body]).toEqual([200, {}])
    expect((await gateway.live.get('/v1/oauth/userinfo', accessToken)).status).toBe(401)
  })

  test('that is wrong is a 422 that says why, without a redirect', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = agentOf('https://agent.example/a?b')

    const { status, body } = await authorize(gateway.live, agentRequest(agent), liveKey)

    expect([status, Object(body).error.details]).toEqual([
      422,
      [{ field: 'client_id', in: 'query', message: 'must have no query and no fragment' }],
    ])
    expect(body).not.toHaveProperty('error.redirect_to')
  })

  test('must name the redirect URI; on loopback the port is free', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = withDocument()
    const ask = (redirect_uri: string) =>
      authorize(gateway.live, agentRequest(agent, { redirect_uri }), liveKey)

    expect((await ask(agentRedirect.replace('33418', '40001'))).status).toBe(200)
    expect((await ask('https://agent.example/other')).status).toBe(422)
  })

  test('with another name or other redirects: consent is asked anew, and refresh goes on with the copy (docs/oauth-rules.md 136)', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = withDocument()
    const code = await approveAgent(gateway.live, agent, liveKey)
    const { refreshToken } = tokensOf(await redeemAgent(gateway.live, agent, code))
    const restarted = await startTestGateway(variables, gateway)
    host.say({ client_name: 'Another', redirect_uris: [agentRedirect, 'https://new.example/cb'] })
    try {
      const screen = await authorize(restarted.live, agentRequest(agent), liveKey)
      const refreshed = tokensOf(await refreshAgent(restarted.live, agent, refreshToken))
      const consents = await gateway.live.get('/v1/oauth/consents', liveKey)

      expect(Object(screen.body)).toMatchObject({
        ...{ consent_required: true, client: { name: 'Another' } },
      })
      expect(Object(screen.body).requested_scope[0].already_granted).toBe(false)
      expect(refreshed.refreshToken).not.toBe('')
      expect(Object(consents.body).items).toMatchObject([{ client_name: 'Agent' }])
    } finally {
      host.say({})
      await restarted.close()
    }
  })

  test('that another account approves with a new name: each account is told the name that it has approved (docs/oauth-rules.md 136)', async () => {
    const [first, second, later] = await Promise.all(
      Array.from({ length: 3 }, () => gateway.createAccount()),
    )
    const agent = withDocument()
    for (const account of [first, second]) {
      await approveAgent(gateway.live, agent, account?.liveKey ?? '')
    }
    const clientId = await idOf(agent, first?.liveKey ?? '')
    const restarted = await startTestGateway(variables, gateway)
    host.say({ client_name: 'Another' })
    try {
      await approveAgent(restarted.live, agent, later?.liveKey ?? '')
    } finally {
      host.say({})
      await restarted.close()
    }
    const send = (method: string, body?: object) =>
      gateway.live.request(`/v1/oauth/consents/${clientId}`, {
        ...{ method, key: first?.liveKey, ...(body && { body }) },
      })
    const budgets = [{ period: 'month', limit_credits: 900 }]

    const shown = [await send('PATCH', { budgets }), await send('DELETE'), await send('DELETE')]
    await asOperator(gateway, 'mutation ($id: ID!) { suspendOAuthApp(clientId: $id) { status } }', {
      id: clientId,
    })

    expect(shown.map(({ status, body }) => [status, Object(body).client_name])).toEqual([
      ...[
        [200, 'Agent'],
        [200, 'Agent'],
        [200, 'Agent'],
      ],
    ])
    const told = await gateway.database.query(
      `SELECT account_id, data->>'client_name' AS name, data->>'reason' AS reason
       FROM account.event WHERE account_id = ANY ($1) AND type = 'consent.revoked'`,
      [[first, second, later].map((account) => account?.id)],
    )
    expect(told).toHaveLength(3)
    expect(told).toEqual(
      expect.arrayContaining([
        { account_id: first?.id, name: 'Agent', reason: 'withdrawn' },
        { account_id: second?.id, name: 'Agent', reason: 'app_suspended' },
        { account_id: later?.id, name: 'Another', reason: 'app_suspended' },
      ]),
    )
  })

  test('whose other members differ is approved by another process than the one that has shown it; another name is not', async () => {
    const { liveKey } = await gateway.createAccount()
    const asked = agentRequest(withDocument(), { budgets: 'month:500' })
    const { cookie, ...browser } = await signIn(gateway.live, liveKey)
    const consent_token = await shownTo(gateway.live, { ...browser, cookie }, asked)
    const decide = async (said: object) => {
      const restarted = await startTestGateway(variables, gateway)
      const { live } = restarted
      host.say(said)
      const path = `/v1/oauth/consent${asked}&${new URLSearchParams({ consent_token })}`
      const headers = { cookie, origin: live.url }
      const { status, body } = await live.request(path, { method: 'POST', headers })
      host.say({})
      await restarted.close()
      return [status, Object(body).status ?? Object(body).error?.details]
    }

    expect(await decide({ client_name: 'Another' })).toEqual([
      ...[422, [expect.objectContaining({ field: 'consent_token' })]],
    ])
    expect(await decide({ software_version: '2' })).toEqual([200, 'approved'])
  })

  test('writes nothing until it is approved', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = withDocument()
    await authorize(gateway.live, agentRequest(agent), liveKey)
    const stored = () =>
      gateway.database.query('SELECT origin, account_id FROM oauth.app WHERE document_url = $1', [
        agent.clientId,
      ])

    expect(await stored()).toEqual([])
    await approveAgent(gateway.live, agent, liveKey)
    expect(await stored()).toEqual([{ origin: 'document', account_id: null }])
  })
})

describe('denyAppHost and allowAppHost (docs/oauth-rules.md 135)', () => {
  test('end the apps of a host with all that was granted to them, until it is allowed again', async () => {
    const { liveKey } = await gateway.createAccount()
    const redirect = { redirect_uris: ['https://denied.example/cb'] }
    const agent = agentOf(await registerItself(gateway.live, redirect))
    const asked = { redirect_uri: 'https://denied.example/cb' }
    const code = await approveAgent(gateway.live, agent, liveKey, asked)
    const { refreshToken } = tokensOf(await redeemAgent(gateway.live, agent, code, asked))
    const change = (name: string) =>
      asOperator(gateway, `mutation { result: ${name}(host: "denied.example") }`)

    const denied = [await change('denyAppHost'), await change('denyAppHost')]
    const listed = await asOperator(gateway, '{ deniedAppHosts }')
    const refreshed = await refreshAgent(gateway.live, agent, refreshToken)
    const screen = await authorize(gateway.live, agentRequest(agent, asked), liveKey)
    const again = await gateway.live.post('/v1/oauth/register', redirect)
    const allowed = [await change('allowAppHost'), await change('allowAppHost')]

    expect(denied).toEqual([{ result: 1 }, { result: 0 }])
    expect(listed.deniedAppHosts).toContain('denied.example')
    expect([refreshed.status, Object(refreshed.body).error]).toEqual([400, 'invalid_grant'])
    expect(screen.status).toBe(422)
    expect([again.status, Object(again.body).error]).toEqual([400, 'invalid_redirect_uri'])
    expect(allowed).toEqual([{ result: true }, { result: false }])
    await approveAgent(gateway.live, agent, liveKey, asked)
  })
})

describe('a denied host (docs/oauth-rules.md 135)', () => {
  const change = (name: string, denied: string) =>
    asOperator(gateway, `mutation { result: ${name}(host: "${denied}") }`)

  test('refuses an app whose document has a redirect there, and ends its grants', async () => {
    const { liveKey } = await gateway.createAccount()
    const redirect_uri = 'https://redirects.example./cb'
    const agent = withDocument()
    host.say({ redirect_uris: [agentRedirect, redirect_uri] })
    const code = await approveAgent(gateway.live, agent, liveKey)
    const { refreshToken } = tokensOf(await redeemAgent(gateway.live, agent, code))

    const denied = await change('denyAppHost', 'redirects.example')
    const refreshed = await refreshAgent(gateway.live, agent, refreshToken)
    const screens = [
      await authorize(gateway.live, agentRequest(agent), liveKey),
      await authorize(gateway.live, agentRequest(withDocument(), { redirect_uri }), liveKey),
    ]
    host.say({})

    expect(denied).toEqual({ result: 1 })
    expect([refreshed.status, Object(refreshed.body).error]).toEqual([400, 'invalid_grant'])
    expect(screens.map(({ status }) => status)).toEqual([422, 422])
  })

  test('ends what was granted by a document that has dropped it since; the newest one can be approved', async () => {
    const [owner, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const redirect_uri = 'https://dropped.example/cb'
    const agent = withDocument()
    host.say({ redirect_uris: [agentRedirect, redirect_uri] })
    const asked = { redirect_uri }
    const code = await approveAgent(gateway.live, agent, owner.liveKey, asked)
    const older = tokensOf(await redeemAgent(gateway.live, agent, code, asked))
    host.say({})
    const restarted = await startTestGateway(variables, gateway)
    try {
      const { live } = restarted
      const newer = await approveAgent(live, agent, other.liveKey)
      tokensOf(await redeemAgent(live, agent, newer))

      const denied = await change('denyAppHost', 'dropped.example')
      const refreshed = await refreshAgent(live, agent, older.refreshToken)
      const gone = await authorize(live, agentRequest(agent, asked), owner.liveKey)

      expect(denied).toEqual({ result: 2 })
      expect([refreshed.status, Object(refreshed.body).error]).toEqual([400, 'invalid_grant'])
      expect(gone.status).toBe(422)
      await approveAgent(live, agent, owner.liveKey)
    } finally {
      await restarted.close()
    }
  })

  test('is one of at most 100 that the documents of an app name over time', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = withDocument()
    await approveAgent(gateway.live, agent, liveKey)
    await gateway.database.query(
      `UPDATE oauth.app SET client_name = 'Before', hosts = ARRAY(
         SELECT format('host-%s.example', n) FROM generate_series(1, 100) AS n)
       WHERE document_url = $1`,
      [agent.clientId],
    )

    const asked = agentRequest(agent, { budgets: 'month:500' })
    const refused = await consent(gateway.live, asked, liveKey)

    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [
        {
          ...{ field: 'client_id', in: 'query' },
          message: 'has had redirects of more than 100 hosts over time',
        },
      ],
    })
  })

  test('is the same with a dot at its end', async () => {
    await change('denyAppHost', 'dotted.example.')
    const register = (uri: string) =>
      gateway.live.post('/v1/oauth/register', { redirect_uris: [uri] })

    for (const name of ['dotted.example', 'dotted.example.']) {
      expect((await register(`https://${name}/cb`)).body).toMatchObject({
        error: 'invalid_redirect_uri',
      })
    }
    expect((await asOperator(gateway, '{ deniedAppHosts }')).deniedAppHosts).toContain(
      'dotted.example',
    )
    expect(await change('allowAppHost', 'dotted.example')).toEqual({ result: true })
  })
})

describe('the consent page of an unverified app (docs/oauth-rules.md 128, 129)', () => {
  const wordsOf = (text: string) =>
    text
      .replaceAll(/<style>.*<\/style>/gs, '')
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&#39;', "'")

  /** The page that a browser sees; without a cookie it is not signed in. */
  async function pageOf(agent: Agent, cookie = ''): Promise<string> {
    const headers = {
      accept: 'text/html',
      'sec-fetch-site': 'same-origin',
      cookie,
      ...newAddress(),
    }
    const response = await fetch(`${gateway.baseUrl}/v1/oauth/authorize${agentRequest(agent)}`, {
      headers,
    })
    expect(response.status).toBe(200)
    return response.text()
  }

  test('says first what is known, then the claimed name in quotation marks, and warns of loopback', async () => {
    const { liveKey } = await gateway.createAccount()
    host.say({ client_name: 'Сlaude”, verified by “us' })
    const agent = withDocument()
    const browser = await signIn(gateway.live, liveKey)

    const text = await pageOf(agent, browser.cookie)
    host.say({})

    const seen = wordsOf(text)
    expect(seen).toMatch(
      /An app of .?127\.0\.0\.1.? asks to use your account\s+It calls itself “.?Сlaude', verified by 'us.?”, which is not verified/,
    )
    expect(seen).toContain('The access goes to a program on this device.')
    expect(text).not.toMatch(/<img|logo/)
    expect(text).toMatch(/name="budget_credits"[^>]*value="500"[^>]*required/s)
  })

  test('comes after a sign-in that claims no more of the app', async () => {
    host.say({ client_name: 'Us”, verified by “us' })
    const seen = wordsOf(await pageOf(withDocument()))
    host.say({})

    expect(seen).toMatch(
      /to continue to an app of .?127\.0\.0\.1.?\.\s+It calls itself “.?Us', verified by 'us.?”, which is not verified/,
    )
    expect(wordsOf(await pageOf(await registered()))).toMatch(
      /to continue to an app that registered itself on \d{4}-\d\d-\d\d\.\s+It calls itself “.?Agent.?”/,
    )
  })

  test('of an app that registered itself begins with the date', async () => {
    const { liveKey } = await gateway.createAccount()
    const browser = await signIn(gateway.live, liveKey)

    expect(await pageOf(await registered(), browser.cookie)).toMatch(
      /<h1>An app that registered itself on \d{4}-\d\d-\d\d asks to use/,
    )
  })

  test('sends a number and a period', async () => {
    const { liveKey } = await gateway.createAccount()
    const agent = withDocument()
    const browser = await signIn(gateway.live, liveKey)
    const asked = agentRequest(agent)
    const token = await shownTo(gateway.live, browser, asked)
    const post = (budget_credits: string) =>
      gateway.live.request(`/v1/oauth/consent${asked}&consent_token=${encodeURIComponent(token)}`, {
        method: 'POST',
        body: new URLSearchParams({ budget_credits, budget_period: 'week' }).toString(),
        headers: { ...browser.headers, 'content-type': 'application/x-www-form-urlencoded' },
      })

    const wrong = await post('0')
    const right = await post('70')

    expect(wrong.status).toBe(422)
    expect([right.status, Object(right.body).status]).toEqual([200, 'approved'])
    const { body } = await gateway.live.get('/v1/oauth/consents', liveKey)
    expect(Object(body).items[0].budgets).toMatchObject([{ period: 'week', limit_credits: 70 }])
  })

  test.each(personRoles.filter((role) => role !== 'OWNER'))(
    'asks a %s to ask an owner, with a link',
    async (role) => {
      const { id } = await gateway.createAccount()
      const agent = withDocument()
      const portal_token = await linkToken(gateway, { accountId: id, role })
      const opened = await signInWith(gateway.live, { portal_token })
      const cookie = /^[^;]+/.exec(opened.headers.get('set-cookie') ?? '')?.[0] ?? ''

      const text = await pageOf(agent, cookie)

      expect(text).toContain('<h1>Ask an owner</h1>')
      expect(wordsOf(text)).toMatch(
        /can allow an app of .?127\.0\.0\.1.? to use it.*It calls itself “.?Agent.?”, which is not verified/s,
      )
      expect(text).toContain(`href="${gateway.baseUrl}/v1/oauth/authorize?client_id=`)
      expect(text).not.toContain('<form')
    },
  )

  test('is for an OWNER, whose role approves', async () => {
    const { id } = await gateway.createAccount()
    const agent = withDocument()
    const portal_token = await linkToken(gateway, { accountId: id })
    const opened = await signInWith(gateway.live, { portal_token })
    const cookie = /^[^;]+/.exec(opened.headers.get('set-cookie') ?? '')?.[0] ?? ''
    const asked = agentRequest(agent, { budgets: 'month:500' })
    const screen = await authorize(gateway.live, asked, undefined, { cookie })
    const consent_token = encodeURIComponent(Object(screen.body).consent_token)

    const { status, body } = await consent(
      gateway.live,
      `${asked}&consent_token=${consent_token}`,
      undefined,
      { cookie, origin: gateway.baseUrl },
    )

    expect([status, Object(body).status]).toEqual([200, 'approved'])
  })
})

describe('an app with a document on the sandbox (docs/oauth-rules.md 119, 125, 127)', () => {
  test('is another app than on live, with the resource of the sandbox', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    const sandbox = fromElsewhere(gateway.sandbox)
    const agent = withDocument()
    const resource = `${sandbox.url}/mcp`

    const code = await approveAgent(sandbox, agent, sandboxKey, { resource })
    const { accessToken } = tokensOf(await redeemAgent(sandbox, agent, code, { resource }))
    const here = await authorize(sandbox, agentRequest(agent), sandboxKey)
    const there = await idOf(agent, liveKey)

    expect((await sandbox.get('/v1/account', accessToken)).status).toBe(401)
    expect((await sandbox.get('/v1/oauth/userinfo', accessToken)).status).toBe(200)
    expect((await gateway.live.get('/v1/oauth/userinfo', accessToken)).status).toBe(401)
    expect(Object(here.body).client.client_id).not.toBe(there)
  })
})
