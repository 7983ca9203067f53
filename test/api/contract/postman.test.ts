import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { whenReady } from '../../support/time/when-ready.ts'

const pair = z.strictObject({ key: z.string(), value: z.string() })
const field = pair.extend({ description: z.string(), disabled: z.literal(true).optional() })
const formField = pair.extend({ disabled: z.literal(true).optional() })
const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  auth: z.strictObject({ type: z.literal('noauth') }).optional(),
  header: z.array(z.union([pair, field])),
  url: z.strictObject({
    raw: z.string().startsWith('{{base_url}}/'),
    host: z.tuple([z.literal('{{base_url}}')]),
    path: z.array(z.string().min(1)),
    query: z.array(field).optional(),
    variable: z.array(field).optional(),
  }),
  body: z
    .discriminatedUnion('mode', [
      z.strictObject({ mode: z.literal('raw'), raw: z.string(), options: z.object() }),
      z.strictObject({ mode: z.literal('urlencoded'), urlencoded: z.array(formField) }),
    ])
    .optional(),
  description: z.string(),
})
const response = z.strictObject({
  name: z.string().min(1),
  originalRequest: request,
  code: z.int().min(200).max(299),
  header: z.array(pair),
  _postman_previewlanguage: z.enum(['json', 'text', 'html']),
  body: z.string(),
})
const item = z.strictObject({
  name: z.string().min(1),
  request,
  response: z.array(response).min(1),
})
const folder = z.strictObject({
  name: z.string(),
  description: z.string(),
  item: z.array(item).min(1),
})

/** The part of Postman's format v2.1 that we write. */
const collection = z.strictObject({
  info: z.strictObject({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json'),
  }),
  auth: z.strictObject({
    type: z.literal('bearer'),
    bearer: z.array(pair.extend({ type: z.string() })),
  }),
  variable: z.array(pair),
  item: z.array(folder),
})

type Request = z.infer<typeof request>

const operation = z.object({
  tags: z.array(z.string()),
  responses: z.record(z.string(), z.unknown()),
})
const openapi = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) })

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(projectRoot, 'schema/generated', file), 'utf8'))
}

const { item: folders, variable } = collection.parse(read('postman.json'))
const { paths } = openapi.parse(read('openapi.json'))

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/**
 * Sends the collection's request for an operation, with Postman's variables filled in as Postman does.
 */
function send(sent: Request, apiKey: string): Promise<TestResponse> {
  const { method, auth, header, url, body } = sent
  const values = new Map(url.variable?.map(({ key, value }) => [`:${key}`, value]))
  const path = url.path.map((segment) => encodeURIComponent(values.get(segment) ?? segment))
  const search = new URLSearchParams(enabled(url.query).map(({ key, value }) => [key, value]))
  const headers = enabled(header).map(({ key, value }) => [
    key.toLowerCase(),
    value.replace('{{$guid}}', crypto.randomUUID()),
  ])
  return gateway.sandbox.request(`/${path.join('/')}${search.size > 0 ? `?${search}` : ''}`, {
    method,
    key: auth ? undefined : apiKey,
    headers: Object.fromEntries(headers),
    body: body?.mode === 'urlencoded' ? formOf(enabled(body.urlencoded)) : body?.raw,
  })
}

type Field = z.infer<typeof formField>

function enabled(fields: readonly Field[] = []): readonly Field[] {
  return fields.filter(({ disabled }) => !disabled)
}

function formOf(fields: readonly Field[]): string {
  return new URLSearchParams(fields.map(({ key, value }) => [key, value])).toString()
}

function templateOf({ url }: Request): string {
  return `/${url.path.map((segment) => segment.replace(/^:(\w+)/, '{$1}')).join('/')}`
}

/**
 * Operations whose input stands for something that a sample cannot be: an app, a token, a
 * signature, a link, a package; or that need a live key, a browser, or a page of the gateway.
 */
const needRealInput: Readonly<Record<string, readonly number[]>> = {
  'POST /v1/billing/checkout': [422],
  'GET /v1/billing/checkout/preview': [422],
  'POST /v1/account/subscription': [422],
  // Members are of live, and only people in a browser change them.
  'GET /v1/account/members': [409],
  'POST /v1/account/members': [401],
  'PATCH /v1/account/members/me': [401],
  'POST /v1/account/members/me/email': [401],
  'PATCH /v1/account/members/{member_id}': [401],
  'DELETE /v1/account/members/{member_id}': [401],
  'POST /v1/account/members/{member_id}/resend': [401],
  'GET /v1/account/members/me/passkeys': [409],
  'POST /v1/account/members/me/passkeys': [409, 422],
  'POST /v1/account/members/me/passkeys/options': [409],
  'DELETE /v1/account/members/me/passkeys/{passkey_id}': [409],
  'POST /v1/account/sessions/passkey/options': [403],
  'POST /v1/account/sessions/passkey': [403],
  'POST /v1/account/sessions/current/passkey/options': [404],
  'POST /v1/account/sessions/current/passkey': [401, 404, 422],
  'GET /v1/account/sign-in': [409],
  'PUT /v1/account/sign-in': [401],
  'POST /v1/billing/notifications/{provider}': [404, 422],
  'GET /billing/return': [404],
  'GET /billing/return/status': [404],
  'GET /billing/simulated': [404],
  'POST /billing/simulated': [404, 422],
  'GET /v1/account/audit/export/{job_id}/result': [403, 404],
  'GET /v1/account/notifications': [409],
  'GET /v1/account/sessions/current': [404],
  'POST /v1/account/sessions/preview': [403],
  'POST /v1/account/sessions': [403],
  'POST /v1/account/sessions/mail/request': [403],
  'POST /v1/account/sessions/mail': [403],
  'POST /v1/account/sessions/handover': [401],
  'GET /v1/account/notifications/confirm': [409],
  'GET /v1/account/notifications/unsubscribe': [409],
  'GET /v1/oauth/authorize': [422],
  'POST /v1/oauth/consent': [422],
  'POST /v1/oauth/token': [400, 401, 422],
  'POST /v1/oauth/revoke': [401, 422],
  'POST /v1/oauth/introspect': [401, 422],
}

describe('schema/generated/postman.json', () => {
  test('has a request for every operation of the document', () => {
    const requests = folders.flatMap(({ item }) => item.map((one) => one.request))
    const named = requests.map((one) => `${one.method} ${templateOf(one)}`)
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // Pages are for readers.
        .filter(([, { tags }]) => !tags.includes('Documentation'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )

    expect(named.toSorted()).toEqual(documented.toSorted())
  })

  test('asks for an address and a key, and for nothing else', () => {
    const { auth } = collection.parse(read('postman.json'))
    const used = JSON.stringify(folders).match(/\{\{[^}]+\}\}/g) ?? []

    expect(auth.bearer).toEqual([{ key: 'token', value: '{{api_key}}', type: 'string' }])
    expect(variable.map(({ key }) => key)).toEqual(['base_url', 'api_key'])
    expect(new Set(used)).toEqual(new Set(['{{base_url}}', '{{$guid}}']))
  })

  test.each(folders)('$name: requests are answered as documented', async ({ item }) => {
    const { sandboxKey } = await gateway.createAccount()
    const surprises: unknown[] = []

    for (const { request } of item) {
      const template = templateOf(request)
      const name = `${request.method} ${template}`
      const { status, body } = await answerOf(name, () => send(request, sandboxKey))
      const documented = paths[template]?.[request.method.toLowerCase()]?.responses ?? {}
      const mayBe = [...refusalsOf(request), ...(needRealInput[name] ?? [])]
      const isExpected = status < 300 || mayBe.includes(status)
      if (!isExpected || !(status in documented)) surprises.push({ name, status, body })
    }

    expect(surprises).toEqual([])
  })
})

function answerOf(name: string, ask: () => ReturnType<typeof send>): ReturnType<typeof send> {
  return name === 'GET /v1/ready' ? whenReady(ask) : ask()
}

/** Sample ids do not exist, and objects of a new account may not be in a state that can change. */
function refusalsOf({ method, url }: Request): readonly number[] {
  return [...(url.variable ? [404] : []), ...(method === 'GET' ? [] : [409])]
}
