import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { toolName } from '../../../schema/catalog/tool-name.ts'
import { version } from '../../../schema/process/version.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  accepted,
  ask,
  askOlder,
  callTool,
  headersOf,
  modern,
  modernMeta,
  resultOf,
} from '../../support/mcp/mcp.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const serverInfo = { name: 'credit-gateway', title: 'Credit Gateway', version }
const supported = [modern, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const products = loadCatalog().services.flatMap(({ operations }) => operations.map(toolName))

function rpcError(code: number, message: unknown, more: object = {}) {
  return { jsonrpc: '2.0', id: 1, error: { code, message, ...more } }
}

describe.each(['live', 'sandbox'] as const)('POST /mcp on the %s listener', (environment) => {
  const keyOf = async () => (await gateway.createAccount())[`${environment}Key`]

  test('server/discover names revisions, abilities and the server', async () => {
    const response = await ask(gateway[environment], await keyOf(), 'server/discover')

    expect(resultOf(response)).toEqual({
      resultType: 'complete',
      supportedVersions: supported,
      capabilities: { tools: {} },
      instructions: expect.stringContaining('max_credits'),
      ttlMs: 3_600_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('initialize, initialized and ping of older clients are answered, without a session', async () => {
    const key = await keyOf()
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }

    const response = await gateway[environment].post('/mcp', body, key, accepted)

    expect(resultOf(response)).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo,
      instructions: expect.stringContaining('max_credits'),
    })
    expect(response.headers.get('mcp-session-id')).toBeNull()
    const noted = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const notified = await gateway[environment].post('/mcp', noted, key, accepted)
    expect([notified.status, notified.body]).toEqual([202, null])
    expect(resultOf(await askOlder(gateway[environment], key, 'ping'))).toEqual({})
  })
})

test('initialize with a revision that is not known gets the newest one of older clients', async () => {
  const { liveKey } = await gateway.createAccount()

  const response = await askOlder(gateway.live, liveKey, 'initialize', {
    protocolVersion: '1999-01-01',
  })

  expect(resultOf(response)).toMatchObject({ protocolVersion: '2025-11-25' })
})

describe('tools/list', () => {
  test('has all 21 tools for a key with every scope, in a fixed order', async () => {
    const { liveKey } = await gateway.createAccount()

    const first = resultOf(await ask(gateway.live, liveKey, 'tools/list'))
    const second = resultOf(await askOlder(gateway.live, liveKey, 'tools/list'))

    expect(first.tools.map(({ name }: { name: string }) => name)).toEqual([
      ...products,
      ...['credits', 'quote', 'usage'],
    ])
    expect(first.tools).toHaveLength(21)
    expect(second.tools).toEqual(first.tools)
    expect(first).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' })
  })

  test('describes a tool: price, flat input, output, and every hint', async () => {
    const { liveKey } = await gateway.createAccount()

    const { tools } = resultOf(await ask(gateway.live, liveKey, 'tools/list'))

    const byName = new Map<string, Record<string, unknown>>(
      tools.map((tool: { name: string }) => [tool.name, tool]),
    )
    expect(byName.get('contacts_reveal_contact')).toEqual({
      name: 'contacts_reveal_contact',
      title: 'Reveal how to reach a contact',
      description:
        'Reveals how to reach a contact. Costs 5 credits, whatever is found. Price: 5 credits.',
      inputSchema: {
        type: 'object',
        properties: {
          contact_id: expect.objectContaining({ type: 'string', maxLength: 64 }),
          max_credits: expect.objectContaining({ type: 'integer', minimum: 0 }),
          idempotency_key: expect.objectContaining({ type: 'string', maxLength: 255 }),
        },
        required: ['contact_id'],
        additionalProperties: false,
      },
      outputSchema: expect.objectContaining({ type: 'object' }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    })
    expect(Object.keys(Object(byName.get('contacts_get_contact')?.inputSchema).properties)).toEqual(
      ['contact_id'],
    )
    const hintsOf = (hint: string) =>
      tools
        .filter((tool: { annotations: Record<string, boolean> }) => tool.annotations[hint])
        .map(({ name }: { name: string }) => name)
    expect(hintsOf('destructiveHint')).toEqual(['promote_create_send', 'reviews_create_reply'])
    expect(hintsOf('openWorldHint')).toEqual(['promote_create_send', 'reviews_create_reply'])
    expect(hintsOf('readOnlyHint')).toEqual([
      ...['campaigns_get_draft', 'cloud_list_files', 'contacts_get_contact'],
      ...['promote_get_send', 'seo_get_audit', 'credits', 'quote', 'usage'],
    ])
    for (const { annotations } of tools) {
      expect(Object.values(annotations).map((hint) => typeof hint)).toEqual(
        Array(4).fill('boolean'),
      )
    }
  })

  test('has names of at most 64 characters, which the guide lists; each priced tool takes the limits of a call', async () => {
    const { liveKey } = await gateway.createAccount()
    const guide = await (await fetch(`${gateway.baseUrl}/docs/agents.md`)).text()
    const { body } = await gateway.live.get('/v1/openapi.json')
    const operations = Object.values(Object(body).paths).flatMap((path) =>
      Object.values(Object(path)),
    )

    const { tools } = resultOf(await ask(gateway.live, liveKey, 'tools/list'))

    for (const { name, description, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
      expect(guide).toContain(`\`${name}\``)
      const takesLimits = ['max_credits', 'idempotency_key'].map(
        (one) => one in inputSchema.properties,
      )
      const isPriced = !description.endsWith('Price: free.')
      expect([name, takesLimits]).toEqual([name, [isPriced, isPriced]])
    }
    const documented = operations.flatMap((one) => Object(one)['x-mcp-tool'] ?? [])
    expect(new Set(documented)).toEqual(
      new Set(tools.map(({ name }: { readonly name: string }) => name)),
    )
    expect(documented).toHaveLength(21)
  })

  test('has for a key only the tools that its scopes cover', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['contacts:write'] })

    const { tools } = resultOf(await ask(gateway.live, plaintext, 'tools/list'))

    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      ...['contacts_search_contacts', 'contacts_reveal_contact', 'credits', 'quote'],
    ])
  })

  test('says of an answer what it has at least, and of an input all that it may have', async () => {
    const { liveKey } = await gateway.createAccount()

    const { tools } = resultOf(await ask(gateway.live, liveKey, 'tools/list'))

    const closed = '"additionalProperties":false'
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(JSON.stringify(inputSchema), name).toContain(closed)
      expect(JSON.stringify(outputSchema), name).not.toContain(closed)
    }
  })

  test('has for a token all tools; those that it does not cover begin with the scope they need', async () => {
    const { id } = await gateway.createAccount()
    const { accessToken } = await plantGrant(gateway, {
      ownerId: id,
      accountId: id,
      scopes: ['contacts:write'],
      audience: 'mcp',
    })

    const { tools } = resultOf(await ask(gateway.live, accessToken, 'tools/list'))

    expect(tools).toHaveLength(21)
    const needing = tools.filter(({ description }: { description: string }) =>
      /^[a-z-]+:(read|write) is needed\. /.test(description),
    )
    expect(needing).toHaveLength(17)
    const [usage] = needing.filter(({ name }: { name: string }) => name === 'usage')
    expect(usage.description).toMatch(/^usage:read is needed\. Counts /)
  })
})

describe('a message that the protocol refuses', () => {
  test.each<[string, (long: string) => object, object]>([
    [
      'the method',
      (long) => ({ body: { method: long } }),
      {
        code: -32020,
        message: `Header mismatch: Mcp-Method names tools/call, and the body ${'x'.repeat(200)}.`,
      },
    ],
    [
      'the name',
      (long) => ({ params: { name: long } }),
      {
        code: -32020,
        message: `Header mismatch: Mcp-Name names credits, and the body ${'x'.repeat(200)}.`,
      },
    ],
    [
      'the revision',
      (long) => ({ meta: { 'io.modelcontextprotocol/protocolVersion': long } }),
      {
        code: -32020,
        message: `Header mismatch: MCP-Protocol-Version names 2026-07-28, and the body ${'x'.repeat(200)}.`,
      },
    ],
    [
      'the revision, without its header',
      (long) => ({
        meta: { 'io.modelcontextprotocol/protocolVersion': long },
        headers: { 'mcp-protocol-version': undefined },
      }),
      { code: -32022, data: { supported: expect.anything(), requested: 'x'.repeat(200) } },
    ],
  ])('%s is repeated up to 200 characters', async (_, wrong, error) => {
    const { liveKey } = await gateway.createAccount()
    const { body = {}, params = {}, meta = {}, headers = {} } = Object(wrong('x'.repeat(100_000)))
    const sent = { name: 'credits', arguments: {}, ...params, _meta: { ...modernMeta, ...meta } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: sent, ...body }
    const given = { ...headersOf('tools/call', { name: 'credits' }), ...headers }
    const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value))

    const answer = await gateway.live.post('/mcp', message, liveKey, kept as Record<string, string>)

    expect([answer.status, Object(answer.body).error]).toEqual([
      ...[400, expect.objectContaining(error)],
    ])
  })

  const params = { name: 'credits', arguments: {}, _meta: modernMeta }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const usual = headersOf('tools/call', params)
  const { 'mcp-name': _name, ...nameless } = usual
  const { 'mcp-method': _method, ...methodless } = usual
  const { 'mcp-protocol-version': _version, ...versionless } = usual
  const old = { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }

  test.each<[string, object, Record<string, string>, number, object]>([
    [
      'Mcp-Name is missing',
      call,
      nameless,
      400,
      rpcError(-32020, expect.stringMatching(/Mcp-Name/)),
    ],
    [
      'Mcp-Name differs',
      call,
      { ...usual, 'mcp-name': 'usage' },
      400,
      rpcError(-32020, expect.stringMatching(/usage/)),
    ],
    [
      'Mcp-Name is broken Base64',
      call,
      { ...usual, 'mcp-name': '=?base64?%%?=' },
      400,
      rpcError(-32020, expect.stringMatching(/Base64/)),
    ],
    [
      'Mcp-Method is missing',
      call,
      methodless,
      400,
      rpcError(-32020, expect.stringMatching(/Mcp-Method/)),
    ],
    [
      'Mcp-Method differs',
      call,
      { ...usual, 'mcp-method': 'tools/list' },
      400,
      rpcError(-32020, expect.stringMatching(/tools\/list/)),
    ],
    [
      'MCP-Protocol-Version is missing',
      call,
      versionless,
      400,
      rpcError(-32020, expect.stringMatching(/Version/)),
    ],
    [
      'MCP-Protocol-Version differs',
      call,
      { ...usual, 'mcp-protocol-version': '2025-11-25' },
      400,
      rpcError(-32020, expect.stringMatching(/2025-11-25/)),
    ],
    [
      'a revision that is not served',
      { ...call, params: { ...params, _meta: old } },
      { ...usual, 'mcp-protocol-version': '1900-01-01' },
      400,
      rpcError(-32022, 'Unsupported protocol version', {
        data: { supported, requested: '1900-01-01' },
      }),
    ],
    [
      '_meta is missing',
      { ...call, params: { name: 'credits' } },
      usual,
      400,
      rpcError(-32602, expect.stringMatching(/_meta/)),
    ],
    [
      'clientCapabilities is missing',
      {
        ...call,
        params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': modern } },
      },
      usual,
      400,
      rpcError(-32602, expect.stringMatching(/clientCapabilities/)),
    ],
    [
      'an unknown method',
      { ...call, method: 'resources/list' },
      { ...usual, 'mcp-method': 'resources/list' },
      404,
      rpcError(-32601, 'Method not found: resources/list'),
    ],
    [
      'ping in the newest revision',
      { ...call, method: 'ping' },
      { ...usual, 'mcp-method': 'ping' },
      404,
      rpcError(-32601, 'Method not found: ping'),
    ],
    [
      'an unknown tool',
      { ...call, params: { ...params, name: 'nothing' } },
      { ...usual, 'mcp-name': 'nothing' },
      400,
      rpcError(-32602, 'Unknown tool: nothing'),
    ],
    [
      'arguments that are no object',
      { ...call, params: { ...params, arguments: [] } },
      usual,
      400,
      rpcError(-32602, expect.stringMatching(/arguments/)),
    ],
    [
      'params that are a list',
      { ...call, params: [] },
      usual,
      400,
      rpcError(-32602, expect.stringMatching(/params/)),
    ],
    [
      'jsonrpc 1.0',
      { ...call, jsonrpc: '1.0' },
      usual,
      400,
      rpcError(-32600, expect.stringMatching(/2\.0/)),
    ],
    [
      'an id that is null',
      { ...call, id: null },
      usual,
      400,
      { jsonrpc: '2.0', error: { code: -32600, message: expect.stringMatching(/id/) } },
    ],
    [
      'a request without an id',
      { ...call, id: undefined },
      usual,
      400,
      { jsonrpc: '2.0', error: { code: -32600, message: expect.stringMatching(/id/) } },
    ],
    [
      'a response',
      { jsonrpc: '2.0', id: 1, result: {} },
      usual,
      400,
      rpcError(-32600, expect.stringMatching(/method/)),
    ],
  ])('%s', async (_, body, headers, status, expected) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/mcp', body, liveKey, headers)

    expect([response.status, response.body]).toEqual([status, expected])
  })

  test.each([
    ['[]', -32600],
    [JSON.stringify([call]), -32600],
    ['{', -32700],
    ['"text"', -32600],
    ['\u00ff{', -32700],
  ])('the body %s', async (body, code) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/mcp', body, liveKey, usual)

    expect(response.status).toBe(400)
    expect(response.body).toEqual({ jsonrpc: '2.0', error: { code, message: expect.any(String) } })
  })

  test('no body', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.request('/mcp', { method: 'POST', key: liveKey })

    expect([response.status, Object(response.body).error.code]).toEqual([400, -32700])
  })
})

test('Mcp-Name in Base64 is decoded', async () => {
  const { liveKey } = await gateway.createAccount()
  const name = `=?base64?${Buffer.from('credits').toString('base64')}?=`

  const response = await callTool(gateway.live, liveKey, 'credits', {}, { 'mcp-name': name })

  expect(resultOf(response).isError).toBe(false)
})

test('a client that takes event streams alone gets one event', async () => {
  const { liveKey } = await gateway.createAccount()
  const headers = {
    ...headersOf('tools/list'),
    accept: 'text/event-stream',
    authorization: `Bearer ${liveKey}`,
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } }

  const response = await fetch(`${gateway.live.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const [, data = ''] = /^event: message\ndata: (.*)\n\n$/.exec(await response.text()) ?? []
  expect(JSON.parse(data).result.tools).toHaveLength(21)
})

describe('HTTP refuses before the message', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH'])('%s /mcp with 405', async (method) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.request('/mcp', { method, key: liveKey })

    expectError(gateway, response, { status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(response.headers.get('allow')).toBe('POST')
  })

  test('a request without a credential with 401, which says where to get one', async () => {
    const response = await callTool(gateway.live, undefined, 'seo_create_audit')

    expectError(gateway, response, {
      ...{ status: 401, code: 'AUTHENTICATION_REQUIRED' },
      message:
        'Sign in by OAuth, as the header WWW-Authenticate says, or send an API key in the header "Authorization: Bearer <API_KEY>".',
    })
    const metadata = `${gateway.baseUrl}/.well-known/oauth-protected-resource/mcp`
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${metadata}", scope="seo:write"`,
    )
    const listing = await ask(gateway.live, undefined, 'tools/list')
    expect(listing.headers.get('www-authenticate')).toMatch(
      / scope="contacts:read .* usage:read openid"$/,
    )
  })

  test('a wrong key with 401 invalid_token, and a cookie is none', async () => {
    const wrong = await ask(gateway.live, 'svc_live_wrong', 'tools/list')

    expectError(gateway, wrong, { status: 401, code: 'INVALID_API_KEY' })
    expect(wrong.headers.get('www-authenticate')).toMatch(/, error="invalid_token"$/)
    const withCookie = await ask(
      gateway.live,
      undefined,
      'tools/list',
      {},
      { cookie: 'svc_session=a' },
    )
    expectError(gateway, withCookie, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
  })

  test.each(['https://evil.example', 'null', 'http://localhost:1'])(
    'the origin %s with 403',
    async (origin) => {
      const { liveKey } = await gateway.createAccount()

      const response = await ask(gateway.live, liveKey, 'tools/list', {}, { origin })

      expectError(gateway, response, { status: 403, code: 'FORBIDDEN' })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      const own = await ask(gateway.live, liveKey, 'tools/list', {}, { origin: gateway.baseUrl })
      expect(own.status).toBe(200)
    },
  )

  test('an origin of FIRST_PARTY_ORIGINS with 403; no page of another origin may ask', async () => {
    const origin = 'https://portal.example'
    const own = await startTestGateway({ FIRST_PARTY_ORIGINS: origin })
    const { liveKey } = await own.createAccount()

    const response = await ask(own.live, liveKey, 'tools/list', {}, { origin })
    const preflight = await fetch(`${own.live.url}/mcp`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })

    expectError(own, response, { status: 403, code: 'FORBIDDEN' })
    for (const { headers } of [response, preflight]) {
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
    await own.close()
  })

  test('the metadata of a resource at the root with 404: it would have to be {base_url}', async () => {
    const root = await gateway.live.get('/.well-known/oauth-protected-resource')

    expectError(gateway, root, { status: 404, code: 'NOT_FOUND' })
  })

  test('another media type with 415, and a body above 1 MiB with 413', async () => {
    const { liveKey } = await gateway.createAccount()
    const type = { 'content-type': 'text/plain' }
    const other = await gateway.live.post('/mcp', '{}', liveKey, type)
    const large = await callTool(gateway.live, liveKey, 'credits', { text: 'a'.repeat(2 ** 20) })

    expectError(gateway, other, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    expectError(gateway, large, { status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })
})

test('MCP=off: nothing is at /mcp, and no document names what is for agents (docs/oauth-rules.md 123)', async () => {
  const off = await startTestGateway({ MCP: 'off' })
  const { liveKey } = await off.createAccount()

  const response = await ask(off.live, liveKey, 'tools/list')

  expectError(off, response, { status: 404, code: 'NOT_FOUND' })
  const settings = '/v1/account/agents'
  const body = { allow_unverified_apps: false }
  const missing = [
    await off.live.get(settings, liveKey),
    await off.live.request(settings, { method: 'PUT', key: liveKey, body }),
  ]
  for (const one of missing) expectError(off, one, { status: 404, code: 'NOT_FOUND' })
  const document = await off.live.get('/v1/openapi.json')
  const text = JSON.stringify(document.body)
  expect(text).not.toMatch(
    /x-mcp-tool|ProtectedResource|RegisterItself|InvalidClientMetadata|AgentSettings/,
  )
  const pages = ['/v1/openapi.json', '/docs/postman.json', '/docs/endpoints', '/docs/endpoints.md']
  for (const path of [...pages, '/docs/assets/search.json', '/llms.txt']) {
    const listed = await (await fetch(off.baseUrl + path)).text()
    const named = listed.match(
      /.{0,60}(oauth\/register|oauth-protected-resource|account\/agents|app that describes itself).{0,60}/gi,
    )
    expect([path, named]).toEqual([path, null])
    expect(listed.length, path).toBeGreaterThan(1000)
  }
  expectError(off, await off.live.get('/docs/agents'), { status: 404, code: 'NOT_FOUND' })
  for (const page of [
    '/docs',
    '/docs/index.md',
    '/docs/contents',
    '/docs/contents.md',
    '/llms.txt',
  ]) {
    const answer = await fetch(off.baseUrl + page)
    const text = await answer.text()
    const leads = ['/docs/agents', 'within a budget'].filter((part) => text.includes(part))
    expect([page, answer.status, leads]).toEqual([page, 200, []])
  }
  await off.close()
})
