import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider as OlderProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  ask,
  askOlder,
  callTool,
  failureOf,
  headersOf,
  modern,
  modernMeta,
  resultOf,
} from '../../support/mcp/mcp.ts'
import {
  agentOf,
  agentRedirect,
  agentRequest,
  approveInBrowser,
  type DocumentHost,
  redeemAgent,
  refreshAgent,
  registerItself,
  startDocumentHost,
} from '../../support/oauth/agents.ts'
import { tokensOf } from '../../support/oauth/oauth-flow.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let backend: StubBackend
let gateway: TestGateway
let host: DocumentHost
beforeAll(async () => {
  backend = await startStubBackend()
  host = await startDocumentHost()
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: backend.url,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  })
})
beforeEach(() => {
  backend.received.length = 0
  backend.answer(({ body }, res) =>
    sendBackendJson(res, 200, { contact_id: JSON.parse(body).contact_id }),
  )
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
  await host.close()
  await backend.close()
})

const reveal = 'contacts_reveal_contact'
const named = (contact_id: string) => ({ contact_id })

const ways = [
  ['a document', async () => host.address()],
  ['a registration', () => registerItself(gateway.live)],
] as const

/** The addresses that a client finds, beginning with nothing but that of the tools. */
async function discover() {
  const refused = await ask(gateway.live, undefined, 'server/discover')
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const [, metadata = ''] = /resource_metadata="([^"]*)"/.exec(challenge) ?? []
  const resource = Object((await gateway.live.get(new URL(metadata).pathname)).body)
  const { pathname } = new URL(resource.authorization_servers[0])
  const server = await gateway.live.get(`/.well-known/oauth-authorization-server${pathname}`)
  return { refused, resource, server: Object(server.body) }
}

/** Sends a call and leaves once its module was asked; then the module answers. */
async function callAndLeave(token: string, input: object): Promise<void> {
  const kept: (() => void)[] = []
  backend.answer(
    ({ body }, res) =>
      void kept.push(() => sendBackendJson(res, 200, { contact_id: JSON.parse(body).contact_id })),
  )
  const leaving = new AbortController()
  const params = { name: reveal, arguments: input }
  const message = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { ...params, _meta: modernMeta },
  }
  const sent = fetch(`${gateway.live.url}/mcp`, {
    ...{ method: 'POST', signal: leaving.signal, body: JSON.stringify(message) },
    headers: {
      ...headersOf('tools/call', params),
      ...{ 'content-type': 'application/json', authorization: `Bearer ${token}` },
    },
  }).catch(() => null)
  await vi.waitUntil(() => kept.length === 1, patience)
  leaving.abort()
  await sent
  for (const answer of kept) answer()
}

async function balanceOf({ liveKey }: TestAccount): Promise<unknown> {
  return (await gateway.live.get('/v1/account/credits', liveKey)).body
}

describe.each(ways)('an agent with %s, from nothing but the address of the tools', (_way, idOf) => {
  test('finds the provider, is approved in a browser with a budget, and spends no more than it', async () => {
    const owner = await gateway.createAccount({ credits: 100 })
    const found = await discover()
    const agent = agentOf(await idOf())
    const tools = found.resource.resource
    const asked = agentRequest(agent, { resource: tools })

    const back = await approveInBrowser(gateway.live, owner.liveKey, asked, 12)
    const code = back.searchParams.get('code') ?? ''
    const redeemed = await redeemAgent(gateway.live, agent, code, { resource: tools })
    const { accessToken, refreshToken } = tokensOf(redeemed)
    const call = (name: string, input: object) => callTool(gateway.live, accessToken, name, input)
    const listed = resultOf(await ask(gateway.live, accessToken, 'tools/list'))
    const priced = { method: 'POST', path: '/v1/contacts/reveal', body: named('con_1') }
    const quote = resultOf(await call('quote', { calls: [priced] }))
    const first = resultOf(await call(reveal, named('con_1')))
    await callAndLeave(accessToken, named('con_2'))
    const repeated = resultOf(await call(reveal, named('con_2')))
    const beyond = failureOf(await call(reveal, named('con_3')))
    const atTheEnd = resultOf(await call(reveal, named('con_1')))
    const lacking = await call('usage', {})
    const refreshed = tokensOf(await refreshAgent(gateway.live, agent, refreshToken))
    const byRefreshed = resultOf(
      await callTool(gateway.live, refreshed.accessToken, reveal, named('con_1')),
    )

    expect(found.refused.status).toBe(401)
    expect(tools).toBe(`${gateway.baseUrl}/mcp`)
    expect(found.server).toMatchObject({
      issuer: back.searchParams.get('iss'),
      registration_endpoint: `${gateway.baseUrl}/v1/oauth/register`,
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
    })
    expect(listed.tools).toHaveLength(21)
    expect(quote.structuredContent).toMatchObject({ total_max_credits: 5, budget_remaining: 12 })
    expect(first._meta).toMatchObject({
      ...{ credits_charged: 5, credits_remaining: 95, budget_remaining: 7, replayed: false },
    })
    expect(repeated.structuredContent).toEqual(named('con_2'))
    expect(repeated._meta).toMatchObject({
      ...{ credits_charged: 0, credits_remaining: 90, budget_remaining: 2, replayed: true },
    })
    expect(beyond).toMatchObject({ status: 402, code: 'BUDGET_EXCEEDED' })
    for (const { structuredContent, _meta } of [atTheEnd, byRefreshed]) {
      expect(structuredContent).toEqual(named('con_1'))
      expect(_meta).toMatchObject({ credits_charged: 0, replayed: true })
    }
    expect(lacking.status).toBe(403)
    expect(lacking.headers.get('www-authenticate')).toContain(
      'scope="contacts:read contacts:write account:read openid usage:read"',
    )
    expect(backend.received).toHaveLength(2)
    expect(await balanceOf(owner)).toMatchObject({ balance: 90, held: 0 })
  })
})

/** What an agent of either SDK keeps, and the page that it would open. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = agentRedirect
  readonly clientMetadata = {
    client_name: 'Agent',
    redirect_uris: [agentRedirect],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  }
  opened: URL | undefined
  readonly #kept = new Map<string, unknown>()

  constructor(clientId?: string) {
    if (clientId !== undefined) this.#kept.set('client', { client_id: clientId })
  }

  clientInformation() {
    return this.#kept.get('client') as ReturnType<OAuthClientProvider['clientInformation']>
  }
  saveClientInformation(client: unknown) {
    this.#kept.set('client', client)
  }
  tokens() {
    return this.#kept.get('tokens') as ReturnType<OAuthClientProvider['tokens']>
  }
  saveTokens(tokens: unknown) {
    this.#kept.set('tokens', tokens)
  }
  redirectToAuthorization(url: URL) {
    this.opened = url
  }
  saveCodeVerifier(verifier: string) {
    this.#kept.set('verifier', verifier)
  }
  codeVerifier() {
    return String(this.#kept.get('verifier'))
  }
}

interface Called {
  readonly structuredContent?: unknown
  readonly _meta?: Record<string, unknown> | undefined
}

/** What both SDKs can do. */
interface Connection {
  connect(): Promise<void>
  finish(back: URLSearchParams): Promise<void>
  call(name: string, input: Record<string, unknown>): Promise<Called>
  close(): Promise<void>
}

const about = { name: 'test', version: '1.0.0' }

const clients: Readonly<Record<string, (url: URL, authProvider: Keeper) => Connection>> = {
  'client 2.4.0 in the newest revision': (url, authProvider) => {
    const client = new Client(about, { versionNegotiation: { mode: { pin: modern } } })
    const transport = new StreamableHTTPClientTransport(url, { authProvider })
    return {
      connect: () => client.connect(transport),
      finish: (back) => transport.finishAuth(back),
      call: (name, input) => client.callTool({ name, arguments: input }) as Promise<Called>,
      close: () => client.close(),
    }
  },
  'sdk 1.32.2, which initializes': (url, keeper) => {
    const authProvider = keeper as unknown as OlderProvider
    const client = new OlderClient(about)
    const transport = new OlderTransport(url, { authProvider })
    return {
      connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
      finish: (back) => transport.finishAuth(back.get('code') ?? ''),
      call: (name, input) => client.callTool({ name, arguments: input }) as Promise<Called>,
      close: () => client.close(),
    }
  },
}

describe.each(Object.entries(clients))('the %s', (_client, open) => {
  test.each([
    // As `clientMetadataUrl` both take https alone, so they are told that they have this one already.
    ['a document', () => host.address()],
    ['a registration that it makes itself', () => undefined],
  ])('signs in by itself with %s, and calls at a price', async (_way, idOf) => {
    const owner = await gateway.createAccount({ credits: 100 })
    const keeper = new Keeper(idOf())
    const url = new URL(`${gateway.live.url}/mcp`)
    const before = open(url, keeper)
    await expect(before.connect()).rejects.toThrow(/Unauthorized/)
    const asked = keeper.opened?.search ?? ''

    const back = await approveInBrowser(gateway.live, owner.liveKey, asked, 12)
    await before.finish(back.searchParams)
    const after = open(url, keeper)
    await after.connect()
    const called = await after.call(reveal, named('con_1'))
    const again = await after.call(reveal, named('con_1'))

    expect(new URLSearchParams(asked).get('resource')).toBe(url.href)
    expect(called.structuredContent).toEqual(named('con_1'))
    expect(called._meta).toMatchObject({ credits_charged: 5, budget_remaining: 7 })
    expect(again._meta).toMatchObject({ credits_charged: 0, replayed: true })
    expect(await balanceOf(owner)).toMatchObject({ balance: 95, held: 0 })
    await before.close()
    await after.close()
  })
})

test('an older client without an SDK calls with a token, too', async () => {
  const owner = await gateway.createAccount({ credits: 100 })
  const agent = agentOf(await registerItself(gateway.live))
  const back = await approveInBrowser(gateway.live, owner.liveKey, agentRequest(agent), 12)
  const code = back.searchParams.get('code') ?? ''
  const { accessToken } = tokensOf(await redeemAgent(gateway.live, agent, code))

  const hello = resultOf(
    await askOlder(gateway.live, accessToken, 'initialize', { protocolVersion: '2025-06-18' }),
  )
  const params = { name: reveal, arguments: named('con_1') }
  const called = resultOf(await askOlder(gateway.live, accessToken, 'tools/call', params))

  expect(hello.protocolVersion).toBe('2025-06-18')
  expect(called._meta).toMatchObject({ credits_charged: 5, budget_remaining: 7 })
})

test('in the sandbox everything names the sandbox, and its token is none for the live tools', async () => {
  const { sandbox } = gateway
  const { sandboxKey } = await gateway.createAccount()
  const agent = agentOf(await registerItself(sandbox))
  const refused = await ask(sandbox, undefined, 'tools/list')
  const metadata = await sandbox.get('/.well-known/oauth-protected-resource/mcp')
  const resource = `${sandbox.url}/mcp`

  const asked = agentRequest(agent, { resource })
  const back = await approveInBrowser(sandbox, sandboxKey, asked, 12)
  const code = back.searchParams.get('code') ?? ''
  const { accessToken } = tokensOf(await redeemAgent(sandbox, agent, code, { resource }))
  const called = resultOf(await callTool(sandbox, accessToken, reveal, named('con_1')))
  const live = await callTool(gateway.live, accessToken, reveal, named('con_1'))

  expect(refused.headers.get('www-authenticate')).toContain(
    `resource_metadata="${sandbox.url}/.well-known/oauth-protected-resource/mcp"`,
  )
  expect(metadata.body).toMatchObject({
    ...{ resource, authorization_servers: [`${sandbox.url}/v1`] },
  })
  expect(called.structuredContent).toMatchObject(named('con_1'))
  expect(live.status).toBe(401)
  expect(live.headers.get('www-authenticate')).toMatch(/, error="invalid_token"$/)
})
