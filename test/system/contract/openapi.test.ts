import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import spectral from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageRoutes } from '../../../rest-facade/pages/docs/page-routes.ts'
import { routes } from '../../../rest-facade/routes/index.ts'
import { templateOf } from '../../../rest-facade/routes/kinds/route.ts'
import { localRoutes } from '../../../rest-facade/routes/local.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { version } from '../../../schema/process/version.ts'
import { configuredJson } from '../../../site/configured-json.ts'
import { atNight } from '../../support/extent/extent.ts'
import { expectError, expectStandardHeaders } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly security: readonly object[]
  readonly parameters?: readonly object[]
  readonly responses: Readonly<Record<string, object>>
  readonly 'x-scope'?: string
  readonly 'x-extension'?: boolean
}

interface Document {
  readonly openapi: string
  readonly info: { readonly version: string; readonly license: object }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

const committedText = readFileSync(join(projectRoot, 'schema/generated/openapi.json'), 'utf8')
const committed: Document = JSON.parse(committedText)
const operations = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const titleOf = (method: string, path: string) => `${method.toUpperCase()} ${path}`

const products = loadCatalog().services.flatMap(({ slug, operations }) =>
  operations.map((operation) => ({ ...operation, template: `/v1/${slug}${operation.path}` })),
)

/** Every row that is mounted, and its scope. */
const mounted = new Map<string, string | undefined>([
  ...localRoutes.map(({ path }) => [titleOf('get', `/v1${path}`), undefined] as const),
  ...pageRoutes.map(({ path }) => [titleOf('get', path), undefined] as const),
  ...routes.map((route) => [titleOf(route.method, templateOf(route)), route.scope] as const),
  ...products.map(({ method, template, scope }) => [titleOf(method, template), scope] as const),
])

/** Components that a file of the catalog words. */
const productSchemas = products.flatMap(({ id }) => {
  const name = id.charAt(0).toUpperCase() + id.slice(1)
  return [`${name}Request`, `${name}Response`]
})

/** Every endpoint that the spec lists. */
const specified = [
  'GET /v1/health',
  'GET /v1/ready',
  'GET /v1/.well-known/jwks.json',
  'GET /v1/.well-known/openid-configuration',
  'GET /v1/oauth/authorize',
  'POST /v1/oauth/consent',
  'POST /v1/oauth/token',
  'POST /v1/oauth/revoke',
  'POST /v1/oauth/introspect',
  'GET /v1/oauth/userinfo',
  'GET /v1/oauth/apps',
  'POST /v1/oauth/apps',
  'DELETE /v1/oauth/apps/{client_id}',
  'GET /v1/account',
  'GET /v1/account/credits',
  'GET /v1/account/overview',
  'GET /v1/account/billing',
  'GET /v1/account/addons',
  'GET /v1/account/sandbox',
  'POST /v1/account/sandbox/reset',
  'PATCH /v1/account/auto-recharge',
  'GET /v1/account/addons/rank-tracking/keywords',
  'POST /v1/account/addons/rank-tracking/keywords',
  'DELETE /v1/account/addons/rank-tracking/keywords/{keyword_id}',
  'GET /v1/account/audit/export',
  'POST /v1/account/audit/export',
  'POST /v1/account/audit/export/{job_id}/re-export',
  'POST /v1/account/subscription/cancel',
  'POST /v1/account/subscription/resume',
  'POST /v1/account/addons/mass-mail/cancel',
  'GET /v1/account/usage/log',
  'GET /v1/account/keys',
  'POST /v1/account/keys',
  'GET /v1/account/keys/{key_id}',
]

/** Every object of the document with the way to it. */
function walk(value: unknown, visit: (node: object, way: string) => void, way = '#'): void {
  if (typeof value !== 'object' || value === null) return
  visit(value, way)
  for (const [name, member] of Object.entries(value)) walk(member, visit, `${way}/${name}`)
}

describe('schema/generated/openapi.json', () => {
  test('describes every method of every mounted path, and nothing else', () => {
    const described = operations.map(({ method, path }) => titleOf(method, path))

    expect(new Set(described)).toEqual(new Set(mounted.keys()))
    expect(described).toHaveLength(mounted.size)
  })

  test('names the scope that the route requires', () => {
    for (const { method, path, operation } of operations) {
      expect([path, operation['x-scope']]).toEqual([path, mounted.get(titleOf(method, path))])
    }
  })

  test('marks operations that are not in the specification', () => {
    const unmarked = operations.filter(({ operation }) => !operation['x-extension'])

    expect(new Set(unmarked.map(({ method, path }) => titleOf(method, path)))).toEqual(
      new Set(specified),
    )
  })

  test('has a title and a description, in OpenAPI 3.1', () => {
    expect(committed.openapi).toMatch(/^3\.1\./)
    expect(committed.info).toMatchObject({
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    })
    expect(committed.servers.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:8080',
      'http://127.0.0.1:8081',
    ])
  })

  test('has an operation id, a summary and a description for each operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId)

    expect(new Set(ids).size).toBe(ids.length)
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
      expect(operation.summary).toMatch(/\S/)
      expect(operation.description).toMatch(/\S/)
    }
  })

  test("describes everything outside the catalog's own texts", () => {
    const silent: string[] = []
    walk(committed, (node, way) => {
      // A schema that narrows another one is described there; an example has members of its own.
      if (/\/(allOf|examples?)\//.test(way)) return
      const needsOne = /\/(properties|parameters|responses|headers|tags)\/[^/]+$/.test(way)
      if (needsOne && !('description' in node || '$ref' in node)) silent.push(way)
    })

    expect(silent).toEqual([])
  })

  test('closes every body that the gateway makes, so that no member goes undescribed', () => {
    const open: string[] = []
    walk(committed.components.schemas, (node, way) => {
      const isProduct = productSchemas.some((name) => way.startsWith(`#/${name}`))
      const isObject = !isProduct && 'type' in node && node.type === 'object'
      const isClosed = 'additionalProperties' in node && node.additionalProperties === false
      if (isObject && !isClosed) open.push(way)
    })

    expect(open).toEqual([
      // Browsers write credentials and read options: later ones add members.
      '#/AddPasskeyRequest/properties/credential',
      '#/AddPasskeyRequest/properties/credential/properties/response',
      // The account holder chooses the names of these members.
      '#/ApiKey/properties/metadata',
      // The details of an event differ by action.
      '#/AuditEvent/properties/details',
      '#/ChangeApiKeyRequest/properties/metadata',
      // OAuth ignores unknown parameters (RFC 6749 §3.2).
      '#/ConsentRequest',
      '#/GetCurrentApiKey/properties/metadata',
      '#/IntrospectRequest',
      '#/IssuedApiKey/properties/metadata',
      '#/KeyCreateRequest/properties/metadata',
      // OpenAPI has a schema of its own.
      '#/OpenApiDocument',
      '#/OpenApiDocument/properties/info',
      '#/OpenApiDocument/properties/paths',
      '#/PasskeyRequest/properties/options',
      '#/ProveWithPasskeyRequest/properties/credential',
      '#/ProveWithPasskeyRequest/properties/credential/properties/response',
      // The parameters are those of the operation that is quoted.
      '#/QuoteCallsRequest/properties/calls/items/properties/query',
      // Registration ignores unknown members (RFC 7591 §2).
      '#/RegisterItselfRequest',
      '#/RevokeRequest',
      '#/SignInWithPasskeyRequest/properties/credential',
      '#/SignInWithPasskeyRequest/properties/credential/properties/response',
      '#/TokenRequest',
      // Each type has a message of its own.
      '#/WebhookEventTypeDescription/properties/example_payload',
    ])
  })

  test('refers to no internal document', () => {
    expect(committedText).not.toMatch(/\((contract|design|spec)\b/)
  })

  test('passes the linter without an error or a warning', async () => {
    const program = join(projectRoot, 'node_modules/.bin/redocly')
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

    const { stdout } = await promisify(execFile)(
      program,
      ['lint', 'schema/generated/openapi.json', '--format=json'],
      { cwd: projectRoot, env },
    )

    expect(JSON.parse(stdout).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
  })

  // `npm run schema:check`, which the gate runs too, leaves out the few that take long.
  test.runIf(atNight)(
    "passes all of Spectral's rules for OpenAPI without an error or a warning",
    async () => {
      const linter = new spectral.Spectral()
      linter.setRuleset({ extends: [[Object(rulesets.oas), 'recommended']] })

      expect(await linter.run(new spectral.Document(committedText, parsers.Json))).toEqual([])
    },
  )
})

describe('the document of a gateway with another configuration', () => {
  test('has its addresses and the prefix of its keys', () => {
    const text = configuredJson('openapi.json', {
      baseUrls: { live: 'https://api.example.com', sandbox: 'https://sandbox.example.com' },
      docsUrl: 'https://docs.example.com',
      keyPrefix: 'acme',
    })

    // An agent's own callback may be on loopback.
    expect(text).not.toMatch(/127\.0\.0\.1:808|svc_|X-SVC/)
    expect(JSON.parse(text)).toMatchObject({
      servers: [{ url: 'https://api.example.com' }, { url: 'https://sandbox.example.com' }],
      info: { contact: { url: 'https://docs.example.com' } },
      externalDocs: { url: 'https://docs.example.com' },
      components: { parameters: { IdempotencyKey: { name: 'X-ACME-Idempotency-Key' } } },
    })
  })

  test('accepts the default address of the sandbox for live, and the reverse', () => {
    const baseUrls = { live: 'http://127.0.0.1:8081', sandbox: 'http://127.0.0.1:8080' }
    const text = configuredJson('openapi.json', {
      baseUrls,
      docsUrl: `${baseUrls.live}/docs`,
      keyPrefix: 'svc',
    })

    expect(JSON.parse(text)).toMatchObject({
      servers: [{ url: baseUrls.live }, { url: baseUrls.sandbox }],
      externalDocs: { url: 'http://127.0.0.1:8081/docs' },
    })
  })
})

describe('GET /v1/openapi.json', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.close())

  const path = '/v1/openapi.json'

  test('serves the committed document, with the addresses of this gateway', async () => {
    const response = await gateway.live.get(path)

    expect(response.status).toBe(200)
    expectStandardHeaders(response)
    const sandboxUrl = gateway.sandbox.url
    const text = committedText
      .replaceAll('http://127.0.0.1:8080', gateway.baseUrl)
      .replaceAll('http://127.0.0.1:8081', sandboxUrl)
    expect(response.body).toEqual(JSON.parse(text))
    expect(Object(response.body).servers).toMatchObject([
      { url: gateway.baseUrl },
      { url: sandboxUrl },
    ])
  })

  test('is not sent again to a client that has it', async () => {
    const { headers } = await gateway.live.get(path)
    const tag = headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{16}"$/)
    expect(headers.get('cache-control')).toBe('public, max-age=300')

    for (const known of [tag, `W/${tag}`, `"another", ${tag}`, '*']) {
      const response = await gateway.live.get(path, undefined, { 'if-none-match': known })

      expect([known, response.status, response.body]).toEqual([known, 304, null])
      expect(response.headers.get('etag')).toBe(tag)
      expect(response.headers.get('x-ratelimit-limit')).toBe('100000')
    }
    const changed = await gateway.live.get(path, undefined, { 'if-none-match': '"another"' })
    expect(changed.status).toBe(200)
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])(
    'is compressed with %s for a client that accepts it, with a tag of its own',
    async (encoding, decompress) => {
      const url = gateway.baseUrl + path
      const whole = await request(url, { headers: { 'accept-encoding': 'identity' } })
      const body = Buffer.from(await whole.body.arrayBuffer())
      expect(whole.headers['content-encoding']).toBeUndefined()
      const small = await request(url, { headers: { 'accept-encoding': encoding } })
      const compressed = Buffer.from(await small.body.arrayBuffer())

      expect(small.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
      expect(compressed.length).toBeLessThan(body.length / 4)
      expect(decompress(compressed)).toEqual(body)
      expect(small.headers.etag).not.toBe(whole.headers.etag)
      const known = { 'accept-encoding': encoding, 'if-none-match': String(small.headers.etag) }
      const again = await request(url, { headers: known })
      expect([again.statusCode, await again.body.text()]).toEqual([304, ''])
      expect(again.headers.vary).toBe('Accept-Encoding')
    },
  )

  test('answers HEAD like GET, without the body', async () => {
    const { headers } = await gateway.live.get(path)

    const response = await gateway.live.request(path, { method: 'HEAD' })

    expect([response.status, response.body]).toEqual([200, null])
    for (const name of ['etag', 'content-type', 'content-length']) {
      expect(response.headers.get(name)).toBe(headers.get(name))
    }
  })

  test('refuses a query', async () => {
    const details = [{ field: 'format', in: 'query', message: 'is not known here' } as const]

    const response = await gateway.live.get(`${path}?format=yaml`)

    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  })

  test('describes exactly the methods that each path answers', async () => {
    // A page that is not there has no methods either.
    const called = Object.entries(committed.paths).filter(([path]) => path.startsWith('/v1/'))
    for (const [documented, methods] of called) {
      const concrete = documented.replaceAll(/\{[^}]+\}/g, 'x')

      const response = await gateway.live.request(concrete, { method: 'OPTIONS' })

      const allowed = response.headers.get('allow')?.split(', ') ?? []
      const described = Object.keys(methods).map((method) => method.toUpperCase())
      expect([documented, allowed.filter((method) => method !== 'HEAD').sort()]).toEqual([
        documented,
        described.sort(),
      ])
    }
  })
})
