import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import {
  coversTokenScope,
  membersScope,
  scopes,
  serviceSlugs,
} from '../../../schema/vocabulary/scopes.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError, expectStandardHeaders } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { admitted } from '../../support/requests/admitted.ts'
import { type ApiRow, productRows, routeRows } from '../../support/requests/every-row.ts'

let gateway: TestGateway
/** The key of an account to which nothing happens, because its requests are refused. */
let refusedKey: string
beforeAll(async () => {
  gateway = await sharedGateway()
  refusedKey = (await gateway.createAccount()).liveKey
})
afterAll(() => gateway.close())

const rows = [...routeRows(), ...productRows()]
const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const malformedHeaders = [
  'Basic x',
  'Bearer',
  'Bearer ',
  'Bearer a b',
  'Bearer a,b',
  'Bearer "a"',
  'Bearer =a',
  'Bearera',
  'Token a',
]

/** A body, where the route expects one, so that only the check under test can fail. */
function bodyOf({ hasBody }: ApiRow): unknown {
  return hasBody ? {} : undefined
}

/**
 * OAuth clients read in the header what went wrong (RFC 6750 §3); elsewhere it is the bare scheme.
 */
function challengeOf({ path }: ApiRow, error?: string): string {
  if (!path.startsWith('/v1/oauth/')) return 'Bearer'
  const realm = `Bearer realm="${gateway.baseUrl}/v1"`
  return error === undefined ? realm : `${realm}, error="${error}"`
}

describe.each(
  rows.flatMap((row) => (row.scope === undefined ? [] : [{ ...row, scope: row.scope }])),
)('$title', (row) => {
  const { method, path, scope } = row
  /** Every key may grant identity scopes. */
  const isForAnyKey = coversTokenScope([], scope)

  test('asks for an API key when there is none', async () => {
    const response = await gateway.live.request(path, { method, body: bodyOf(row) })

    expectError(gateway, response, {
      status: 401,
      code: 'AUTHENTICATION_REQUIRED',
      message: 'Send an API key in the header "Authorization: Bearer <API_KEY>".',
    })
    expect(response.headers.get('www-authenticate')).toBe(challengeOf(row))
  })

  test('asks for an API key when the header is malformed', async () => {
    for (const authorization of chosen(row.title, malformedHeaders)) {
      const response = await gateway.live.request(path, {
        method,
        body: bodyOf(row),
        headers: { authorization },
      })

      expectError(gateway, response, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
      expect(response.headers.get('www-authenticate')).toBe(challengeOf(row))
    }
  })

  test('refuses a well-formed key that was never issued', async () => {
    const { plaintext: key } = newApiKey('svc', 'live')

    const response = await gateway.live.request(path, { method, key, body: bodyOf(row) })

    expectError(gateway, response, {
      status: 401,
      code: 'INVALID_API_KEY',
      message: 'This API key is not valid here.',
    })
    expect(response.headers.get('www-authenticate')).toBe(challengeOf(row, 'invalid_token'))
  })

  if (!isForAnyKey)
    test('refuses a key that has every scope but its own, and names the missing scope', async () => {
      const account = await gateway.createAccount()
      const others = scopes.filter((name) => name !== scope && name !== row.orScope)
      const { plaintext: key } = await gateway.createKey(account.id, { scopes: others })

      const response = await gateway.live.request(path, { method, key, body: bodyOf(row) })

      expectError(gateway, response, {
        status: 403,
        code: 'FORBIDDEN',
        message: `This API key lacks the scope ${scope}.`,
      })
    })

  // No key has the scope: test/api/members asks by sessions.
  if (scope === membersScope) return
  test('lets a key with its scope alone past authorization', async () => {
    const account = await gateway.createAccount()
    const sufficient = isForAnyKey ? 'reviews:read' : scope
    const { plaintext: key } = await gateway.createKey(account.id, { scopes: [sufficient] })

    const response = await gateway.live.request(path, { method, key, body: bodyOf(row) })

    expect([401, 403, 429]).not.toContain(response.status)
    expectStandardHeaders(response)
    expect(response.headers.get('x-ratelimit-limit')).toBe('100')
  })

  if (!row.ignoresUnknown)
    test('refuses an unknown query field, and names it', async () => {
      const response = await admitted(() =>
        gateway.live.request(`${path}?surprise=1`, {
          method,
          key: refusedKey,
          body: bodyOf(row),
        }),
      )

      expectUnknownField(response, { field: 'surprise', in: 'query' })
    })

  if (!row.hasBody) return
  test('refuses an unknown body field, and names it', async () => {
    const response = await admitted(() =>
      gateway.live.request(path, { method, key: refusedKey, body: { surprise: 1 } }),
    )

    expectUnknownField(response, { field: 'surprise', in: 'body' })
  })
})

/** The details hold this field, the message every field of the details. */
function expectUnknownField(
  response: Awaited<ReturnType<TestGateway['live']['get']>>,
  unknown: { readonly field: string; readonly in: 'query' | 'body' },
): void {
  const { details = [] } = Object(Object(response.body).error)
  const message = details
    .map((detail: { field: string; message: string }) => `${detail.field}: ${detail.message}`)
    .join('; ')
  expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', message, details })
  expect(details).toContainEqual({ ...unknown, message: 'is not known here' })
}

const methodsByTemplate = Map.groupBy(rows, ({ template }) => template)

describe.each(
  [...methodsByTemplate].flatMap(([template, [first, ...others]]) => {
    if (!first) return []
    const methods = [first, ...others].map(({ method }) => method)
    return [{ template, path: first.path, methods }]
  }),
)('/v1$template', ({ path, methods }) => {
  test('answers every other method with 405 and the methods that it has', async () => {
    // A charged answer is not to be had without its body.
    const isProduct = serviceSlugs.some((slug) => path.startsWith(`/v1/${slug}`))
    const hasHead = methods.includes('GET') && !isProduct
    const allowed = hasHead ? [...methods, 'HEAD'] : methods
    const refused = [...allMethods, 'OPTIONS'].filter((method) => !methods.includes(method))

    for (const method of chosen(path, refused, 2)) {
      const response = await gateway.live.request(path, { method })

      expectError(gateway, response, {
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        message: `${method} is not possible here; ${allowed.join(', ')} is.`,
      })
      expect(response.headers.get('allow')).toBe(allowed.join(', '))
    }
  })
})

describe.each(rows.filter(({ scope, isOfPage }) => scope === undefined && !isOfPage))(
  '$title',
  ({ method, path, hasInput, asksCaller }) => {
    test('answers without a key, with the headers of every answer', async () => {
      const response = await gateway.live.request(path, { method })

      expectStandardHeaders(response)
      if (!hasInput) expect(response.status).toBe(200)
    })

    // Routes that ask for a caller check the Authorization header if it is sent: test/oauth has their
    // tests.
    if (asksCaller) return
    test('ignores the Authorization header', async () => {
      const bare = await gateway.live.request(path, { method })
      const strange = await gateway.live.request(path, { method, key: 'nobody' })

      const withoutId = ({ status, body }: typeof bare) => {
        const { error, ...rest } = Object(body)
        return { status, ...rest, error: { ...error, request_id: '' } }
      }
      expect(withoutId(strange)).toEqual(withoutId(bare))
    })
  },
)

describe('a path without a route', () => {
  test.each(['/v1/nothing', '/v1', '/v1/account/', '/v1/Account', '/v2/account'])(
    '%s answers NOT_FOUND, with and without a key',
    async (path) => {
      const { liveKey } = await gateway.createAccount()

      for (const key of [undefined, liveKey]) {
        const response = await gateway.live.get(path, key)

        expectError(gateway, response, {
          status: 404,
          code: 'NOT_FOUND',
          message: `Nothing is at ${path}.`,
        })
      }
    },
  )

  test('answers NOT_FOUND when it cannot be decoded', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get('/v1/account/keys/%E0%A4%A', liveKey)

    expectError(gateway, response, { status: 404, code: 'NOT_FOUND' })
  })
})
