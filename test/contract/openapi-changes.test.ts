import { describe, expect, test } from 'vitest'
import { openapiChanges } from '../../schema/check/openapi-changes.ts'
import { openapiProblems } from '../../schema/check/openapi-lint.ts'

const json = (schema: unknown) => ({ 'application/json': { schema } })
const ok = (schema: unknown) => ({ description: 'Done.', content: json(schema) })
const thing = { $ref: '#/components/schemas/Thing' }

function member(...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
}

const before = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Thing: {
        type: 'object',
        required: ['id', 'size'],
        properties: {
          ...member('id', 'name', 'note'),
          size: { type: 'integer' },
          state: { type: 'string', enum: ['on', 'off'] },
        },
      },
    },
  },
  paths: {
    '/v1/things': {
      get: {
        ...{ operationId: 'listThings', 'x-operation': 'ListThings', 'x-scope': 'things:read' },
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 200 } },
          { name: 'kind', in: 'query', schema: { type: 'string', enum: ['a', 'b'] } },
          { name: 'old', in: 'query', schema: { type: 'string' } },
        ],
        responses: { '200': ok({ type: 'array', items: thing }), '202': ok(thing) },
      },
      post: {
        ...{ operationId: 'createThing', 'x-scope': 'things:write', 'x-credits': { flat: 2 } },
        security: [{}],
        requestBody: {
          content: {
            ...json({ type: 'object', properties: member('name', 'kind') }),
            'text/plain': { schema: { type: 'string' } },
          },
        },
        responses: { '201': ok(thing) },
      },
    },
    '/v1/things/{id}': {
      get: { operationId: 'getThing', 'x-operation': 'GetThing', responses: { '200': ok(thing) } },
    },
    '/v1/others': { get: { operationId: 'listOthers', responses: { '200': ok({}) } } },
  },
  webhooks: {
    'thing.done': {
      post: {
        operationId: 'onThingDone',
        requestBody: { content: json({ type: 'object', properties: member('id', 'at') }) },
        responses: { '200': { description: 'Taken.' } },
      },
    },
  },
}

const list = { operation: 'ListThings', routes: ['GET /v1/things'], gateway: [] }
const create = { operation: null, routes: ['POST /v1/things'], gateway: [] }
const get = { operation: 'GetThing', routes: ['GET /v1/things/{id}'], gateway: [] }

type Document = typeof before

/** What a change of the document is found to break: id → whom. */
function idsAfter(change: (document: Document) => unknown) {
  const document = structuredClone(before)
  Object.assign(document, change(document))
  const findings = openapiChanges(JSON.stringify(before), JSON.stringify(document, null, 2))
  for (const { severity } of findings) expect(severity).toBe('breaking')
  return Object.fromEntries(findings.map(({ id, breaks }) => [id.replace('openapi/', ''), breaks]))
}

const collection = '#/paths/~1v1~1things'
const schema = '#/components/schemas/Thing'

describe('OpenAPI changes since the base', () => {
  test('of what is asked: each that shuts a caller out, with its route', () => {
    const found = idsAfter(({ paths }) => {
      const { get: reader, post: writer } = paths['/v1/things']
      const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }
      const kind = { name: 'kind', in: 'query', schema: { type: 'string', enum: ['a'] } }
      const zone = { name: 'zone', in: 'query', required: true, schema: { type: 'string' } }
      const body = { type: 'object', required: ['name'], properties: member('name', 'kind') }
      const changed = {
        get: { ...reader, parameters: [limit, kind, zone], 'x-scope': 'things:all' },
        post: {
          ...{ ...writer, security: [{ key: [] }], 'x-credits': { flat: 3 } },
          requestBody: { required: true, content: json(body) },
        },
      }
      return { paths: { ...paths, '/v1/things': changed } }
    })

    const content = `${collection}/post/requestBody/content`
    expect(found).toEqual({
      [`schema-constraint-changed/${collection}/get/parameters/0/schema/maximum -> 100`]: [list],
      [`enum-values-removed/${collection}/get/parameters/1/schema/enum -> ["a"]`]: [list],
      [`parameter-became-required/${collection}/get/parameters/2/required -> true`]: [list],
      [`parameter-removed/${collection}/get/parameters/2/name -> "zone"`]: [list],
      [`request-body-became-required/${collection}/post/requestBody/required -> true`]: [create],
      [`required-properties-added/${content}/application~1json/schema/required -> ["name"]`]: [
        create,
      ],
      [`media-type-removed/${content}/text~1plain`]: [create],
      [`security-requirement-changed/${collection}/post/security/0`]: [create],
      'scope-changed/GET /v1/things -> things:all': [list],
      'price-raised/POST /v1/things -> flat 3': [create],
    })
  })

  test('of what is answered: each that surprises a reader, with every route that shows it', () => {
    const found = idsAfter(({ components }) => ({
      components: {
        ...components,
        schemas: {
          Thing: {
            type: 'object',
            required: ['id'],
            properties: {
              ...member('id', 'size'),
              name: { type: ['string', 'null'] },
              state: { type: 'string', enum: ['on', 'off', 'broken'] },
            },
          },
        },
      },
    }))

    const all = [list, create, get]
    expect(found).toEqual({
      [`required-properties-removed/${schema}/required -> ["id"]`]: all,
      [`property-removed/${schema}/properties/note`]: all,
      [`schema-type-changed/${schema}/properties/name/type -> ["string","null"]`]: all,
      [`schema-type-changed/${schema}/properties/size/type -> "string"`]: all,
      [`enum-values-added/${schema}/properties/state/enum -> ["on","off","broken"]`]: all,
    })
  })

  test('of paths, methods and statuses that are gone', () => {
    const found = idsAfter(({ paths }) => {
      const { get: reader } = paths['/v1/things']
      const { '200': done } = reader.responses
      const kept = { '/v1/things': { get: { ...reader, responses: { '200': done } } } }
      return { paths: { ...kept, '/v1/things/{id}': paths['/v1/things/{id}'] } }
    })

    expect(found).toEqual({
      [`operation-removed/${collection}/post`]: [create],
      [`response-removed/${collection}/get/responses/202`]: [list],
      'path-removed/#/paths/~1v1~1others': [
        { operation: null, routes: ['GET /v1/others'], gateway: [] },
      ],
    })
  })

  test('of what a webhook sends: the event', () => {
    const found = idsAfter(({ webhooks }) => {
      const { post } = webhooks['thing.done']
      const requestBody = { content: json({ type: 'object', properties: member('id') }) }
      return { webhooks: { 'thing.done': { post: { ...post, requestBody } } } }
    })

    const pointer = '#/webhooks/thing.done/post/requestBody/content/application~1json/schema'
    expect(found).toEqual({
      [`property-removed/${pointer}/properties/at`]: [
        { operation: null, routes: ['webhook thing.done'], gateway: [] },
      ],
    })
  })

  test('what is cheaper, optional or new breaks nobody', () => {
    const found = idsAfter(({ paths, components: { securitySchemes, schemas } }) => {
      const { post: writer, get: reader } = paths['/v1/things']
      const { Thing: old } = schemas
      const properties = { ...old.properties, ...member('colour') }
      const fresh = { name: 'fresh', in: 'query', schema: { type: 'boolean' } }
      const changed = {
        get: { ...reader, parameters: [...reader.parameters, fresh] },
        post: { ...writer, 'x-credits': { flat: 1 } },
      }
      return {
        components: { securitySchemes, schemas: { Thing: { ...old, properties } } },
        paths: { ...paths, '/v1/things': changed, '/v1/more': paths['/v1/others'] },
      }
    })

    expect(found).toEqual({})
  })
})

test('what Redocly has against the document is an error at its line', () => {
  const problems = openapiProblems(JSON.stringify(before, null, 2))

  expect(problems).toContainEqual({
    id: 'openapi/lint/path-parameters-defined/#/paths/~1v1~1things~1{id}/get/parameters',
    severity: 'error',
    file: 'schema/openapi.json',
    line: 151,
    message: expect.stringContaining('(path-parameters-defined)'),
  })
})
