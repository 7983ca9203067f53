import { createServer } from 'node:http'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { readExamples } from '../../../tools/openapi/components/examples.ts'
import { type Answer, createAnswerCheck, newAjv } from '../../support/conformity/answers-conform.ts'
import { apiDocument, readApiDocument } from '../../support/conformity/api-document.ts'
import { requireConformity } from '../../support/conformity/conformity.ts'
import { takeNonconforming } from '../../support/conformity/nonconforming.ts'

const requestId = newId('req')
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': requestId,
  'x-ratelimit-limit': '100',
  'x-ratelimit-remaining': '99',
  'x-ratelimit-reset': '1795180812',
  'x-credits-charged': '5',
}

const envelope = (code: string, status: number) =>
  JSON.stringify({ error: { code, status, request_id: requestId } })

const thing = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'made_at'],
  properties: { id: { type: 'string' }, made_at: { type: 'string', format: 'date-time' } },
}

const document = apiDocument({
  openapi: '3.1.1',
  paths: {
    '/v1/things/{thing_id}': {
      get: {
        operationId: 'getThing',
        responses: {
          200: {
            headers: { 'X-Credits-Charged': { $ref: '#/components/headers/Credits' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: { $ref: '#/components/responses/Failure' },
        },
      },
    },
    '/v1/things/new': {
      get: { operationId: 'getNew', responses: { 204: {} } },
    },
  },
  'x-any-path': {
    404: { $ref: '#/components/responses/Failure' },
    405: { $ref: '#/components/responses/Failure' },
  },
  components: {
    headers: { Credits: { required: true, schema: { type: 'integer', minimum: 0 } } },
    schemas: { Thing: thing },
    responses: {
      Failure: {
        content: {
          'application/json': { schema: { type: 'object', required: ['error'] } },
        },
      },
    },
  },
})
const check = createAnswerCheck(document)

const right: Answer = {
  method: 'GET',
  path: '/v1/things/1?a=b',
  status: 200,
  headers,
  body: '{"id":"1","made_at":"2026-10-01T09:30:00Z"}',
}
const { 'x-credits-charged': _credits, ...uncharged } = headers
const { 'x-ratelimit-limit': _limit, ...unlimited } = headers

describe('an answer', () => {
  test.each<[string, Partial<Answer>]>([
    ['as the document has it', {}],
    ['to HEAD, without its body', { method: 'HEAD', body: '' }],
    ['that refuses', { status: 404, headers: uncharged, body: envelope('NOT_FOUND', 404) }],
    [
      'of a fixed path, not of the placeholder beside it',
      { path: '/v1/things/new', status: 204, headers: uncharged, body: '' },
    ],
    [
      'to a path that nothing has',
      { path: '/v1/other', status: 404, headers: uncharged, body: envelope('NOT_FOUND', 404) },
    ],
    [
      'to a method that the path lacks',
      { method: 'POST', status: 405, headers: uncharged, body: envelope('X', 405) },
    ],
    ['to a browser that asks first', { method: 'OPTIONS', status: 204, body: '' }],
  ])('conforms: %s', (_what, change) => {
    expect(check({ ...right, ...change })).toEqual([])
  })

  test('does not conform with an error whose documentation page does not exist', () => {
    const judge = createAnswerCheck(document, (name) => name === 'errors/NOT_FOUND')
    const leadingTo = (link: string) => {
      const error = { status: 404, request_id: requestId, documentation_url: link }
      return judge({ ...right, status: 404, headers: uncharged, body: JSON.stringify({ error }) })
    }
    const docsUrl = 'https://docs.example.com/gateway'

    expect(leadingTo(`${docsUrl}/errors/NOT_FOUND`)).toEqual([])
    expect(leadingTo(`${docsUrl}/errors/GONE`)).toEqual([
      `there is no page at ${docsUrl}/errors/GONE`,
    ])
  })

  test.each<[string, Partial<Answer>, string]>([
    [
      'header, of which the document does not tell,',
      { path: '/v1/things/new', status: 204, body: '' },
      'header x-credits-charged is not documented',
    ],
    ['status', { status: 201 }, 'status 201 is not documented for getThing'],
    [
      'media type',
      { headers: { ...headers, 'content-type': 'text/plain' } },
      'media type text/plain is not documented',
    ],
    [
      'member',
      { body: right.body.replace('{', '{"more":1,') },
      'the body has more, which is not documented',
    ],
    ['lack of a member', { body: '{"id":"1"}' }, "the body must have required property 'made_at'"],
    ['type', { body: right.body.replace('"1"', '1') }, '/id must be string'],
    ['format', { body: right.body.replace('Z', '') }, '/made_at must match format "date-time"'],
    ['text', { body: '<p>' }, 'the body is not JSON'],
    ['lack of a header', { headers: uncharged }, 'header X-Credits-Charged is missing'],
    [
      'header',
      { headers: { ...headers, 'x-credits-charged': '-1' } },
      'header X-Credits-Charged is -1: must be >= 0',
    ],
    [
      'lack of what every answer has',
      { headers: unlimited },
      'header x-ratelimit-limit is missing',
    ],
    ['answer to a path', { path: '/v1/other' }, 'status 200 is not documented for any path'],
    ['envelope', { status: 404, body: envelope('NOT_FOUND', 400) }, 'error.status is 400, not 404'],
  ])('does not conform with another %s', (_what, change, problem) => {
    expect(check({ ...right, ...change })).toContain(problem)
  })
})

describe.each([
  ['fetch', (url: string) => fetch(url).then((response) => response.text())],
  ['undici', (url: string) => request(url).then(({ body }) => body.text())],
])('an answer that a test fetches with %s', (_name, ask) => {
  test('is reported to the test with method, path, status, problem and body', async () => {
    const server = createServer((_req, res) => res.writeHead(200, headers).end('{"id":7}'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${Object(address).port}`
    requireConformity({ live: url, sandbox: url })

    await ask(`${url}/v1/account/credits`)
    const [description, ...others] = takeNonconforming()
    server.close()

    expect(others).toEqual([])
    expect(description).toMatch(/^GET \/v1\/account\/credits answered 200: .*balance/)
    expect(description).toMatch(/the body has id, which is not documented.*\n\{"id":7\}$/)
  })
})

describe('schema/generated/examples.json', () => {
  const api = readApiDocument()
  const checkAnswer = createAnswerCheck(api)

  test.each(Object.entries(readExamples()))('is answered as documented: %s', (id, example) => {
    const operation = api.operations.find((candidate) => candidate.id === id)
    expect(operation).toBeDefined()

    for (const [status, body] of Object.entries(example.responses)) {
      const { method = '', path = '' } = operation ?? {}
      const answer = { method, path, status: Number(status), headers, body: JSON.stringify(body) }
      const problems = checkAnswer(answer).filter((problem) => !problem.startsWith('header '))
      expect(problems).toEqual([])
    }
    if (!operation?.requestBody || example.request === undefined) return
    const [first] = Object.values(operation.requestBody.content)
    const ajv = newAjv()
    ajv.addSchema(Object(api.root), 'document')
    const schema = JSON.stringify(first?.schema).replaceAll('"$ref":"#/', '"$ref":"document#/')
    ajv.validate(JSON.parse(schema), example.request)
    expect(ajv.errors).toBeNull()
  })
})

/** Operations without an example, with the reason. */
const withoutExample: Readonly<Record<string, string>> = {
  getOpenapi: 'It is the document.',
  getPostmanCollection: 'It is another form of the document.',
}

test('every JSON body of a request and of a success in the document has an example', () => {
  const api = readApiDocument()
  const bare: string[] = []
  for (const { id, method, path, requestBody, responses } of api.operations) {
    if (id in withoutExample) continue
    const successes = [...responses].filter(([status]) => status < 300)
    const bodies = [
      ...Object.entries(requestBody?.content ?? {}),
      ...successes.flatMap(([, { content }]) =>
        Object.entries(content).filter(([type]) => type === 'application/json'),
      ),
    ]
    for (const [type, media] of bodies) {
      if (!('example' in media || 'examples' in media)) bare.push(`${method} ${path}: ${type}`)
    }
  }

  expect(bare).toEqual([])
})

test('every object of an answer requires the members that it names, and allows no others', () => {
  const open: string[] = []
  const { root, operations, anyPath } = readApiDocument()
  function walk(node: unknown, path: string): void {
    if (typeof node !== 'object' || node === null) return
    const { properties, additionalProperties, allOf } = Object(node)
    const isOpen = additionalProperties === undefined && typeof properties === 'object'
    // A part adds to what another part has closed.
    if (isOpen && !path.includes('/allOf/')) open.push(path)
    if (allOf === undefined || Array.isArray(allOf)) {
      for (const [name, child] of Object.entries(node)) walk(child, `${path}/${name}`)
    }
  }
  const answered = operations.flatMap(({ responses }) => [...responses.values()])
  for (const { pointer, content } of [...answered, ...anyPath.values()]) walk(content, pointer)
  const { schemas } = Object(root.components)
  for (const [name, schema] of Object.entries(schemas)) {
    if (!name.endsWith('Request')) walk(schema, name)
  }

  expect(open).toEqual([])
})
