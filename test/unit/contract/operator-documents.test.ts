import { buildSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { operatorOperationTypes } from '../../../tools/generate/operation-types.ts'
import { operatorDocument } from '../../../tools/generate/operator-documents.ts'

const made = (text: string) => operatorDocument(parse(text), 'Act')

describe('a document of the operators’ page', () => {
  test.each([
    ['query Act { account { id } }', { isAct: false, provenRole: null }],
    ['mutation Act { grantCredits { id } }', { isAct: true, provenRole: 'admin' }],
    ['mutation Act { result: grantCredits { id } }', { isAct: true, provenRole: 'admin' }],
    ['mutation Act { createPortalLink { url } }', { isAct: true, provenRole: 'support' }],
  ])('is known: %s', (text, expected) => {
    expect(made(text)).toEqual(expected)
  })

  test.each([
    ['query Other { account { id } }', 'must name its operation Act'],
    ['{ account { id } }', 'must name its operation Act'],
    ['query Act { a } query B { b }', 'must hold exactly one operation'],
    ['fragment Act on A { a }', 'must hold exactly one operation'],
    ['subscription Act { a }', 'must be a query or a mutation'],
    [
      'mutation Act { grantCredits { id } createPortalLink { url } }',
      'must have one root field: one act',
    ],
    ['mutation Act { ... { grantCredits { id } } }', 'must have one root field: one act'],
    [
      'mutation Act { grantCredits: createAccount { id } }',
      'createAccount is no act of operators: name it in schema/vocabulary/operators.ts',
    ],
  ])('is refused: %s', (text, reason) => {
    expect(made(text)).toBe(reason)
  })

  test('has the type of its whole answer', () => {
    const schema = buildSchema('type Query { credits: Int! name: String }')
    const documents = {
      One: { document: 'query One { result: credits }' },
      Two: { document: 'query Two { credits name }' },
    }

    const text = operatorOperationTypes(schema, documents).replaceAll(/\s+/g, ' ')

    expect(text).toContain('readonly body: { readonly result: number }')
    expect(text).toContain(
      'readonly body: { readonly credits: number readonly name: string | null }',
    )
  })
})
