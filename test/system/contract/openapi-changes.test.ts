import { describe, expect, test } from 'vitest'
import { openapiChanges } from '../../../tools/check/openapi/openapi-changes.ts'
import { openapiProblems } from '../../../tools/check/openapi/openapi-lint.ts'
import { spectralProblems } from '../../../tools/check/openapi/openapi-spectral.ts'

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

const today = '2026-01-15'

/** The breaks that the check finds in a change of the document: id → the broken clients. */
function idsAfter(change: (document: Document) => unknown) {
  const document = structuredClone(before)
  Object.assign(document, change(document))
  const texts = { before: JSON.stringify(before), after: JSON.stringify(document, null, 2) }
  const findings = openapiChanges({ ...texts, today })
  for (const { severity } of findings) expect(severity).toBe('breaking')
  return Object.fromEntries(findings.map(({ id, breaks }) => [id.replace('openapi/', ''), breaks]))
}

type Node = Record<string, unknown>

/** The document with some members changed, by JSON pointer; undefined: it is not there. */
function edited(given: unknown, edits: Readonly<Record<string, unknown>>): Node {
  const document: Node = Object(structuredClone(given))
  for (const [pointer, value] of Object.entries(edits)) {
    const parts = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/'))
    const parent = parts.slice(0, -1).reduce<Node>((node, part) => Object(node[part]), document)
    const name = parts.at(-1) ?? ''
    if (value === undefined) delete parent[name]
    else parent[name] = value
  }
  return document
}

const collection = '#/paths/~1v1~1things'
const schema = '#/components/schemas/Thing'

describe('changes of the OpenAPI document since the base', () => {
  test('finds nothing in a document whose descriptions have other words', () => {
    const described = (descriptions: Readonly<Record<string, string>>) =>
      edited(before, {
        '/paths/~1v1~1things/get/parameters': Object.entries(descriptions).map(
          ([name, description]) => ({
            ...{ name, in: 'query', description },
            schema: { type: 'string', format: 'date-time' },
          }),
        ),
      })
    const earlier = described({ from: 'Included.', to: 'Ends before; now.', since: 'When.' })
    const later = described({
      from: 'Only what happened at this instant or later.',
      to: 'The series ends before this instant; "now" is the default.',
      since: 'Included.',
    })

    const texts = { before: JSON.stringify(earlier), after: JSON.stringify(later, null, 2) }

    expect(openapiChanges({ ...texts, today })).toEqual([])
  })

  test('lists each change of a request that refuses a caller, with its route', () => {
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

  test('lists each change of an answer that surprises a reader, with every route that shows it', () => {
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

  test('lists removed paths, methods and statuses', () => {
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

  test("lists changes of a webhook's body with the event", () => {
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

  test('does not list cheaper, optional or new parts', () => {
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

describe('changes of the promises in the OpenAPI document', () => {
  const answers = (...codes: readonly string[]) => ({
    description: 'Refused.',
    'x-error-codes': codes,
    content: json({ type: 'object', properties: { code: { $ref: '#/components/schemas/Code' } } }),
  })
  const rich = {
    ...before,
    components: {
      securitySchemes: before.components.securitySchemes,
      headers: { Trace: { required: true, schema: { type: 'string' } } },
      responses: { Refused: answers('NOT_FOUND', 'GONE') },
      schemas: {
        Code: { type: 'string', enum: ['NOT_FOUND', 'GONE'] },
        Name: { type: 'string', maxLength: 80, pattern: '^a', format: 'email', description: 'It.' },
      },
    },
    paths: {
      '/v1/things': {
        get: {
          ...{ operationId: 'listThings', 'x-operation': 'ListThings', tags: ['Things'] },
          ...{ description: 'All.', 'x-extension': true, 'x-scope': 'things:read' },
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', default: 50 } }],
          responses: {
            '200': { ...ok({}), headers: { Trace: { $ref: '#/components/headers/Trace' } } },
            '404': { $ref: '#/components/responses/Refused' },
          },
        },
        post: {
          ...{ operationId: 'createThing', tags: ['Things'], 'x-credits': { flat: 2 } },
          requestBody: { required: true, content: json({ $ref: '#/components/schemas/Name' }) },
          responses: { '201': ok({}), '404': { $ref: '#/components/responses/Refused' } },
        },
      },
      '/v1/things/{id}': {
        get: {
          ...{ operationId: 'getThing', 'x-operation': 'GetThing', tags: ['Things'] },
          ...{ 'x-credits': { per_unit: 1, max_units: 20 }, 'x-sunset': '2026-07-01' },
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { '200': ok({}) },
        },
      },
    },
  }
  const things = '#/paths/~1v1~1things'

  function changesAfter(edits: Readonly<Record<string, unknown>>, now = today) {
    const texts = { before: JSON.stringify(rich), after: JSON.stringify(edited(rich, edits)) }
    return openapiChanges({ ...texts, today: now }).map(({ id, severity, breaks }) => [
      `${severity} ${id.replace('openapi/', '')}`,
      (breaks ?? []).flatMap(({ routes }) => routes).join(', '),
    ])
  }

  test('does not list removals that only loosen a rule or a text', () => {
    const gone = [
      ...['description', 'x-extension', 'x-scope'].map((name) => `paths/~1v1~1things/get/${name}`),
      ...['pattern', 'format', 'maxLength', 'description'].map(
        (name) => `components/schemas/Name/${name}`,
      ),
      ...['requestBody/required', 'x-credits'].map((name) => `paths/~1v1~1things/post/${name}`),
    ]

    expect(changesAfter(Object.fromEntries(gone.map((name) => [`/${name}`, undefined])))).toEqual(
      [],
    )
  })

  const limit = '/paths/~1v1~1things/get/parameters/0/schema/default'
  const trace = '/components/headers/Trace/required'

  test('lists each changed default, header, code, value, unit, price and tag', () => {
    const found = changesAfter({
      [limit]: 10,
      [trace]: false,
      '/paths/~1v1~1things/get/tags': ['Objects'],
      '/components/responses/Refused/x-error-codes': ['NOT_FOUND'],
      '/components/schemas/Code/enum': ['NOT_FOUND'],
      '/paths/~1v1~1things~1{id}/get/x-credits/max_units': 30,
      '/paths/~1v1~1things/post/x-credits': { per_unit: 1, max_units: 9 },
    })

    const both = 'GET /v1/things, POST /v1/things'
    const one = 'GET /v1/things/{id}'
    expect(Object.fromEntries(found)).toEqual({
      [`dangerous default-changed/#${limit} -> 10`]: 'GET /v1/things',
      [`breaking header-became-optional/#${trace} -> false`]: 'GET /v1/things',
      'dangerous tag-removed/Things': 'GET /v1/things',
      'dangerous error-code-removed/GONE': both,
      'dangerous enum-narrowed/#/components/schemas/Code/enum -> ["NOT_FOUND"]': both,
      [`dangerous max-units-raised/${one} -> 30`]: one,
      'breaking price-raised/POST /v1/things -> per_unit 1': 'POST /v1/things',
    })
  })

  test('lists a default and a promised header that were removed', () => {
    const found = changesAfter({ [limit]: undefined, [trace]: undefined })

    expect(Object.fromEntries(found)).toEqual({
      [`breaking header-became-optional/#${trace} -> nothing`]: 'GET /v1/things',
      [`dangerous default-changed/#${limit} -> nothing`]: 'GET /v1/things',
    })
  })

  test('lists a renamed path parameter, and the other changes on its path', () => {
    const { get: read } = rich.paths['/v1/things/{id}']
    const parameters = [{ ...read.parameters[0], name: 'thing_id' }]
    const changed = { ...read, parameters, 'x-credits': { per_unit: 2, max_units: 20 } }

    const found = changesAfter({
      '/paths/~1v1~1things~1{id}': undefined,
      '/paths/~1v1~1things~1{thing_id}': { get: changed },
    })

    const route = 'GET /v1/things/{id}'
    expect(found).toEqual([
      [`breaking price-raised/${route} -> per_unit 2`, route],
      [`dangerous path-parameter-renamed/${route} -> GET /v1/things/{thing_id}`, route],
    ])
  })

  test('lists a removal before the sunset as a second break', () => {
    const edits = { '/paths/~1v1~1things~1{id}': undefined }
    const route = 'GET /v1/things/{id}'
    const removed = [`breaking path-removed/${things}~1{id}`, route]

    expect(changesAfter(edits)).toEqual([
      removed,
      [`breaking removed-before-sunset/${route} -> 2026-07-01`, route],
    ])
    expect(changesAfter(edits, '2026-07-01')).toEqual([removed])
  })
})

test('a finding of Redocly about the document is an error at its line', () => {
  const problems = openapiProblems(JSON.stringify(before, null, 2))

  expect(problems).toContainEqual({
    id: 'openapi/lint/path-parameters-defined/#/paths/~1v1~1things~1{id}/get/parameters',
    severity: 'error',
    file: 'schema/generated/openapi.json',
    line: 151,
    message: expect.stringContaining('(path-parameters-defined)'),
  })
})

test('an example that its schema does not allow is an error', () => {
  const document = edited(before, {
    '/paths/~1v1~1others/get/responses/200/content/application~1json': {
      schema: { type: 'object', properties: { credits: { type: 'integer' } } },
      example: { credits: 'many' },
    },
  })

  expect(openapiProblems(JSON.stringify(document))).toContainEqual(
    expect.objectContaining({
      id: expect.stringMatching(/^openapi\/lint\/no-invalid-media-type-examples\//),
      severity: 'error',
    }),
  )
})

test('a finding of Spectral about the document is an error at its line', async () => {
  const problems = await spectralProblems(JSON.stringify(before, null, 2))

  expect(problems).toContainEqual({
    id: 'openapi/spectral/path-params/#/paths/~1v1~1things~1{id}/get',
    severity: 'error',
    file: 'schema/generated/openapi.json',
    line: expect.any(Number),
    message: expect.stringContaining('(Spectral: path-params)'),
  })
})
