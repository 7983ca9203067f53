import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { type ApiOperation, readApiDocument } from '../../support/conformity/api-document.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { admitted } from '../../support/requests/admitted.ts'
import { createClient, type TestResponse } from '../../support/requests/client.ts'
import { type ApiRow, productRows, routeRows } from '../../support/requests/every-row.ts'

let gateway: TestGateway
let account: TestAccount
beforeAll(async () => {
  gateway = await sharedGateway()
  account = await gateway.createAccount({ tier: 'ENTERPRISE' })
})
afterAll(() => gateway.close())

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

interface Described {
  readonly title: string
  readonly row: ApiRow
  readonly operation: ApiOperation
  readonly isRequired: boolean
  /** Media types that are taken. */
  readonly types: readonly string[]
}

const document = readApiDocument()
const rows = [...routeRows(), ...productRows()]

/** Every operation that the document gives a body. */
const described: readonly Described[] = document.operations.flatMap((operation) => {
  const { requestBody, method, path } = operation
  if (!requestBody) return []
  const title = `${method} ${path}`
  const row = rows.find((candidate) => candidate.title === title)
  if (!row) throw new Error(`No row is ${title}.`)
  const types = Object.keys(requestBody.content)
  return [{ title, row, operation, isRequired: requestBody.required, types }]
})

/** Only the signer of a body is told its mistakes. */
const isSigned = ({ row }: Described) => row.template === '/billing/notifications/:provider'
/** The route of a page, whose address must be right first; `test/api/payments` sends it. */
const isPage = ({ row }: Described) => row.template === '/billing/simulated'
/** Refuses with the body of RFC 7591; `test/api/oauth/agents` sends it. */
const isRegistration = ({ row }: Described) => row.template === '/oauth/register'
/** No key covers it; `test/api/members` sends it. */
const isOfPeople = ({ row }: Pick<Described, 'row'>) =>
  row.template.startsWith('/account/members') || row.template === '/account/sign-in'
/** Signs in: its answer is a cookie. */
const isSignIn = ({ row }: Described) => row.template === '/oauth/session'

/** The header by which a browser tells its page, where only pages may ask. */
function pageOf({ isOfPage }: ApiRow): Record<string, string> {
  return isOfPage ? { 'sec-fetch-site': 'same-origin' } : {}
}

function send({ row, types }: Described, body?: string, type?: string): Promise<TestResponse> {
  // An app says who it is in its form.
  const isOfApp = types.includes(form) && !types.includes(json)
  return admitted(() =>
    gateway.live.request(row.path, {
      method: row.method,
      ...(isOfApp ? {} : { key: account.liveKey }),
      ...(body === undefined ? {} : { body }),
      headers: { ...pageOf(row), ...(type !== undefined && { 'content-type': type }) },
    }),
  )
}

/** A body is announced, in chunks, and none comes. */
function sendNothingInChunks({ row }: Described): Promise<TestResponse> {
  return admitted(
    () =>
      new Promise((resolve, reject) => {
        const asked = httpRequest(createClient(gateway.baseUrl).url + row.path, {
          method: row.method,
          headers: {
            authorization: `Bearer ${account.liveKey}`,
            'content-type': json,
            'transfer-encoding': 'chunked',
            ...pageOf(row),
          },
        })
        asked.on('error', reject)
        asked.on('response', async (response) => {
          const text = (await response.toArray()).join('')
          const headers = new Headers(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          )
          resolve({ status: response.statusCode ?? 0, headers, body: JSON.parse(text) })
        })
        asked.end()
      }),
  )
}

function detailsOf({ body }: TestResponse): FieldError[] {
  return Object(body).error?.details ?? []
}

/** Whatever the details are. */
function expectInvalid(response: TestResponse): void {
  const details = detailsOf(response)
  expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  expect(details).not.toEqual([])
}

function expectRefused(response: TestResponse, message: string): void {
  expectInvalid(response)
  expect(detailsOf(response)).toContainEqual({ field: 'body', in: 'body', message })
}

const needed = described.filter(({ isRequired }) => isRequired)
const neededJson = needed.filter(
  (one) => one.types.includes(json) && !isSigned(one) && !isOfPeople(one),
)
const optional = described.filter(({ isRequired }) => !isRequired)
const jsonBodies = described.filter(
  (one) => one.types.includes(json) && !isSigned(one) && !isRegistration(one) && !isOfPeople(one),
)

describe('the operations with a body', () => {
  test('are these, and the body is required for these', () => {
    const titles = needed.filter(({ title }) => /account|oauth|billing/.test(title))

    expect(titles.map(({ title }) => title)).toEqual([
      'PUT /v1/account/budgets',
      'PUT /v1/account/external-ids/{external_id}/budgets',
      'POST /v1/account/subscription/preview',
      'POST /v1/account/subscription',
      'POST /v1/account/addons/rank-tracking/keywords',
      'PATCH /v1/account/auto-recharge',
      'POST /v1/billing/notifications/{provider}',
      'PUT /v1/billing/details',
      'POST /v1/billing/checkout',
      'POST /billing/simulated',
      'POST /v1/account/keys',
      'POST /v1/account/sessions',
      'POST /v1/account/members',
      'POST /v1/account/members/me/email',
      'PATCH /v1/account/members/{member_id}',
      'POST /v1/account/members/me/passkeys',
      'POST /v1/account/sessions/passkey',
      'POST /v1/account/sessions/current/passkey',
      'PUT /v1/account/sign-in',
      'POST /v1/account/webhooks',
      'POST /v1/account/webhooks/{endpoint_id}/resend',
      'PUT /v1/account/notifications',
      'POST /v1/account/sessions/preview',
      'POST /v1/account/sessions/mail/request',
      'POST /v1/account/sessions/mail',
      'POST /v1/oauth/token',
      'POST /v1/oauth/revoke',
      'POST /v1/oauth/introspect',
      'POST /v1/oauth/apps',
      'PUT /v1/account/agents',
    ])
    expect(optional.map(({ title }) => title)).toEqual([
      'PATCH /v1/account/keys/{key_id}',
      'POST /v1/account/keys/{key_id}/rotate',
      'PATCH /v1/account/members/me',
      'POST /v1/account/audit/export',
      'PATCH /v1/account/webhooks/{endpoint_id}',
      'POST /v1/account/webhooks/{endpoint_id}/rotate',
      'POST /v1/oauth/consent',
      'POST /v1/oauth/session',
      'PATCH /v1/oauth/apps/{client_id}',
      'POST /v1/oauth/apps/{client_id}/rotate',
      'PATCH /v1/oauth/consents/{client_id}',
      'POST /v1/oauth/userinfo',
      'POST /v1/oauth/register',
    ])
  })
})

describe.each(neededJson)('$title', (one) => {
  test('answers 422 without its body, however it is left out', async () => {
    for (const answer of [
      await send(one),
      await send(one, undefined, json),
      await send(one, '', json),
      await sendNothingInChunks(one),
    ]) {
      expectRefused(answer, 'is needed')
    }
  })

  test('says of each member that is missing that it is required', async () => {
    const schema = Object(document.resolve(one.operation.requestBody?.content[json]?.schema))
    const names: readonly string[] = schema.required ?? []

    const answer = await send(one, '{}', json)

    const missing = names.map((field) => ({ field, in: 'body', message: 'is required' }))
    if (names.length > 0) expectInvalid(answer)
    expect(detailsOf(answer)).toEqual(expect.arrayContaining(missing))
  })
})

const inQuery = document.operations.flatMap(({ method, path, parameters }) => {
  const names = parameters.filter(({ required, in: where }) => required && where === 'query')
  const row = rows.find(({ title }) => title === `${method} ${path}`)
  // OAuth has texts of its own, and a signed link is right as a whole or not.
  const isOther = path.startsWith('/v1/oauth/') || path.endsWith('/result')
  return row && names.length > 0 && !isOther && !isOfPeople({ row })
    ? [{ title: row.title, row, names: names.map(({ name }) => name) }]
    : []
})

describe.each(inQuery)('$title', ({ row, names }) => {
  test('says of each parameter that is missing that it is required', async () => {
    const answer = await admitted(() =>
      gateway.live.request(row.path, { method: row.method, key: account.liveKey }),
    )

    const missing = names.map((field) => ({ field, in: 'query', message: 'is required' }))
    expectInvalid(answer)
    expect(detailsOf(answer)).toEqual(expect.arrayContaining(missing))
  })
})

describe.each(jsonBodies)('$title', (one) => {
  const takesNull = one.title === 'POST /v1/account/audit/export'
  const wrong = ['[]', '[{}]', '"x"', '1', 'true', ...(takesNull ? [] : ['null'])]

  test('answers 422 to a body that is not an object', async () => {
    for (const body of wrong) expectRefused(await send(one, body, json), 'must be an object')
    expectRefused(await send(one, '{', json), 'is not valid JSON')
  })

  test('answers 422 to a member of the wrong type, and names it', async () => {
    const schema = document.resolve(one.operation.requestBody?.content[json]?.schema)
    const names = Object.keys(Object(schema).properties)
    for (const name of [...names, 'unknown_member']) {
      const answer = await send(one, JSON.stringify({ [name]: [[[]]] }), json)

      expectInvalid(answer)
      const fields = detailsOf(answer).map(({ field }) => field.split('.')[0])
      expect(fields, name).toContain(name)
    }
  })

  test('answers 415 to a body of another media type', async () => {
    const others = ['text/plain', 'application/xml', ...(isSignIn(one) ? [] : [form])]
    for (const type of others) {
      const answer = await send(one, '{}', type)

      expectError(gateway, answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    }
  })
})

describe.each(optional.filter(({ types }) => types.includes(json)))('$title', (one) => {
  test('takes a missing body as {}', async () => {
    const ways = [
      () => send(one, '{}', json),
      () => send(one),
      () => send(one, '', json),
      () => sendNothingInChunks(one),
    ]
    const statuses: number[] = []
    for (const ask of ways) {
      // Each way has an account of its own, because only so many exports of one account run at once.
      account = await gateway.createAccount()
      statuses.push((await ask()).status)
    }

    expect(new Set(statuses).size, statuses.join()).toBe(1)
    expect(statuses).not.toContain(422)
  })
})

describe.each(needed.filter((one) => one.types.includes(form) && !isPage(one)))('$title', (one) => {
  test('answers 422 without its form, and names the missing fields', async () => {
    for (const answer of [await send(one), await send(one, '', form)]) {
      expectInvalid(answer)
      expect(detailsOf(answer).filter((detail) => detail.in !== 'body')).toEqual([])
    }
  })

  test('answers 415 to a body that is not a form', async () => {
    for (const type of [json, 'text/plain']) {
      const answer = await send(one, '{}', type)

      expectError(gateway, answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    }
  })
})

describe.each(needed.filter(isSigned))('$title', (one) => {
  test('answers 422 without the signed body', async () => {
    for (const answer of [
      await send(one),
      await send(one, '', json),
      await send(one, 'null', json),
    ]) {
      expectInvalid(answer)
    }
  })
})

describe('PATCH /v1/account/auto-recharge', () => {
  test('changes nothing when it is refused, and accepts {}', async () => {
    const { liveKey } = await gateway.createAccount()
    const set = { enabled: true, threshold_credits: 100, package_id: 'pack_starter' }
    const options = { method: 'PATCH', key: liveKey }
    const path = '/v1/account/auto-recharge'
    const before = await gateway.live.request(path, { ...options, body: set })

    const refused = await gateway.live.request(path, options)
    const taken = await gateway.live.request(path, { ...options, body: {} })

    expectError(gateway, refused, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: 'body: is needed',
      details: [{ field: 'body', in: 'body', message: 'is needed' }],
    })
    expect([taken.status, taken.body]).toEqual([200, before.body])
    const { body } = await gateway.live.get('/v1/account/billing', liveKey)
    expect(Object(body).auto_recharge).toEqual(before.body)
  })
})
