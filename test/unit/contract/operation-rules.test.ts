import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { operationProblems } from '../../../tools/check/openapi/operation-rules.ts'
import { readApiDocument } from '../../support/conformity/api-document.ts'

const description = 'Lists keys.'
const body = (schema: object) => ({ content: { 'application/json': { schema } } })
const nullable = { anyOf: [{ type: 'object' }, { type: 'null' }] }

function problemsOf(operation: object, components = {}): string[] {
  const openapi = JSON.stringify({ paths: { '/a': { post: operation } }, components })
  return operationProblems(openapi).map(({ id }) => id.replace('openapi/', ''))
}

describe('the check of operations', () => {
  test.each([
    ['taken', { requestBody: body(nullable) }, 'requestBody'],
    ['answered', { responses: { 200: body({ type: ['object', 'null'] }) } }, 'responses/200'],
    ['a component', { requestBody: body({ $ref: '#/components/schemas/A' }) }, 'requestBody'],
  ])('finds a body that may be null: %s', (_, operation, place) => {
    const found = problemsOf({ description, ...operation }, { schemas: { A: nullable } })

    expect(found).toEqual([`null-body/#/paths/~1a/post/${place}/content`])
  })

  test('permits a member that may be null', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] }, b: nullable } }

    expect(problemsOf({ description, requestBody: body(schema) })).toEqual([])
  })

  test('finds a schema that may be null, and a part of it that may not', () => {
    const a = { type: ['string', 'null'], allOf: [{ type: 'string', pattern: 'a' }] }
    const b = { type: ['string', 'null'], allOf: [{ type: ['string', 'null'], pattern: 'b' }] }
    const schema = { type: 'object', properties: { a, b } }
    const place = 'paths/~1a/post/requestBody/content/application~1json/schema/properties/a'

    expect(problemsOf({ description, requestBody: body(schema) })).toEqual([`lost-null/#/${place}`])
  })

  test.each([
    'The keys.',
    'Keys of the account, newest first.',
    'Costs 3 credits. Lists keys.',
    'Lists keys',
    '',
  ])('finds a description that does not begin with what is done, as a sentence: %j', (text) => {
    expect(problemsOf({ description: text })).toEqual(['verb-first/POST /a'])
  })

  test('finds nothing in schema/generated/openapi.json', () => {
    const openapi = readFileSync(join(projectRoot, 'schema/generated/openapi.json'), 'utf8')

    expect(operationProblems(openapi).map(({ id }) => id)).toEqual([])
  })
})

test('no member that cannot be null is described as null', () => {
  const { root } = readApiDocument()
  const schemas: [string, unknown][] = Object.entries(Object(root.components).schemas)
  const members = schemas.flatMap(([name, schema]) =>
    Object.entries(Object(Object(schema).properties)).map(([member, one]) => ({
      place: `${name}.${member}`,
      text: String(Object(one).description),
      schema: JSON.stringify({ ...Object(one), description: '' }),
    })),
  )
  const wrong = members.filter(({ text, schema }) => /\bnull\b/.test(text) && !/null/.test(schema))

  expect(members.length).toBeGreaterThan(500)
  expect(wrong.map(({ place }) => place)).toEqual([])
})

test('the description of every body names the members that it needs', () => {
  const document = readApiDocument()
  const bodies = document.operations.flatMap(({ id, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => {
      const { required = [] }: { required?: string[] } = Object(document.resolve(schema))
      return { id, text: String(requestBody?.description), required }
    }),
  )

  expect(bodies.length).toBeGreaterThan(30)
  for (const { id, text, required } of bodies) {
    expect(text, id).toMatch(/\w+ \w+/)
    for (const name of required) expect(text, id).toContain(`\`${name}\``)
  }
})
