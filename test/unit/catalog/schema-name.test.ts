import { describe, expect, test } from 'vitest'
import { nameInSchema } from '../../../schema/catalog/schema-name.ts'

const schema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    people: { type: 'array', items: { type: 'object', properties: { email: {} } } },
    pair: { type: 'array', prefixItems: [{ properties: { first: {} } }] },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  anyOf: [{ properties: { city: {} } }],
}

describe('the name of a place in a JSON Schema', () => {
  test.each([
    [['query'], 'query'],
    [['people', '12', 'email'], 'people.email'],
    [['people', 'email'], undefined],
    [['pair', '0', 'first'], 'pair.first'],
    [['labels', 'mine'], undefined],
    [['city'], 'city'],
    [['mine'], undefined],
    [['constructor'], undefined],
    [[], undefined],
  ])('%j is %s', (path, name) => {
    expect(nameInSchema(schema, path)).toBe(name)
  })
})
