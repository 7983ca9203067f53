import { describe, expect, test } from 'vitest'
import { requestValidator } from '../../../schema/catalog/request-validator.ts'

const item = {
  type: 'object',
  additionalProperties: false,
  required: ['a'],
  properties: { a: { type: 'string' }, b: { type: 'integer', default: 5 } },
}

const validator = requestValidator({
  body: {
    type: 'object',
    additionalProperties: false,
    properties: {
      few: { type: 'array', maxItems: 2, items: item },
      many: { type: 'array', uniqueItems: true, items: item },
      // Named like keywords.
      items: { type: 'string', enum: ['items'] },
      properties: { type: 'integer' },
      labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    },
  },
})

function problems(body: object): string[] {
  const checked = validator.check({ path: {}, query: {}, body })
  if ('query' in checked) return []
  return checked.map(({ field, message }) => `${field}: ${message}`)
}

describe('the request of a product operation', () => {
  test('gets the defaults of its schema, inside lists too', () => {
    const body = { few: [{ a: 'x' }], items: 'items', properties: 1, labels: { a: 'abc' } }

    const filled = { ...body, few: [{ a: 'x', b: 5 }] }
    expect(validator.check({ path: {}, query: {}, body })).toEqual({
      path: {},
      query: {},
      body: filled,
    })
  })

  test('is refused with every wrong entry and member named', () => {
    const body = { few: [{}, { a: 1, c: 2 }], items: 'other', labels: { a: 'abcd', b: 1 } }

    expect(problems(body).toSorted()).toEqual([
      'few.0.a: is required',
      'few.1.a: must be string',
      'few.1.c: is not known here',
      'items: must be equal to one of the allowed values',
      'labels.a: must have at most 3 characters',
      'labels.b: must be string',
    ])
    expect(problems({ many: [{ a: 'x' }, { a: 'x' }] })).toEqual([
      'many: must NOT have duplicate items (items ## 0 and 1 are identical)',
    ])
  })

  test('has a list that is too long: no entry of it is looked at', () => {
    expect(problems({ few: [null, null, null], many: [null] })).toEqual([
      'few: must have at most 2 entries',
      'many.0: must be object',
    ])
    expect(problems({ many: Array.from({ length: 1001 }, () => null) })).toEqual([
      'many: must have at most 1000 entries',
    ])
  })

  test('has a record with too many members or too long names: no member of it is looked at', () => {
    const pairs = Array.from({ length: 101 }, (_, index) => [`n${index}`, null])

    expect(problems({ labels: Object.fromEntries(pairs) })).toEqual([
      'labels: must have at most 100 members',
    ])
    expect(problems({ labels: { ['n'.repeat(129)]: null } })).toContain(
      'labels: property name must be valid',
    )
    expect(problems({ labels: { ['n'.repeat(129)]: null } })).not.toContain(
      'labels: must be string',
    )
  })

  test('is documented with the sizes that its schema does not state', () => {
    expect(Object(validator.schemas.body).properties).toMatchObject({
      few: { maxItems: 2 },
      many: { maxItems: 1000 },
      labels: { maxProperties: 100, propertyNames: { maxLength: 128 } },
    })
  })
})
