import { parse, print } from 'graphql'
import { describe, expect, test } from 'vitest'
import { expand, readFragments, withFragments } from '../../../tools/fragments/expand.ts'

const { fragments } = readFragments(
  new Map([
    ['schema/fragments/Page.graphql', 'fragment Page on Page { items { ...Item } next }'],
    ['schema/fragments/Item.graphql', 'fragment Item on Item { id name: title }'],
    ['schema/fragments/Loop.graphql', 'fragment Loop on Item { id parent { ...Loop } }'],
  ]),
)

describe('an operation with fragments', () => {
  test('is expanded to one that stands alone, with the fields in their order', () => {
    const document = parse('query Get { before result: page { total ...Page } }')

    expect(print(expand(document, fragments))).toBe(
      print(parse('query Get { before result: page { total items { id name: title } next } }')),
    )
  })

  test('is validated together with each fragment that it uses, once', () => {
    const document = parse('query Get { a { ...Page } b { ...Page ...Item } }')

    const { definitions } = withFragments(document, fragments)

    expect(definitions.map((definition) => 'name' in definition && definition.name?.value)).toEqual(
      ['Get', 'Page', 'Item'],
    )
  })

  test('keeps the name of a fragment that is unknown or contains itself', () => {
    const document = parse('query Get { a { ...Other } b { ...Loop } }')

    expect(print(expand(document, fragments))).toBe(
      print(parse('query Get { a { ...Other } b { id parent { ...Loop } } }')),
    )
  })
})

test('a fragment file that holds anything else is named with its mistake', () => {
  const { problems } = readFragments(
    new Map([
      ['schema/fragments/A.graphql', 'fragment B on A { id }'],
      ['schema/fragments/C.graphql', 'query C { id }'],
      ['schema/fragments/D.graphql', 'fragment D on'],
    ]),
  )

  expect(problems).toEqual([
    { file: 'schema/fragments/A.graphql', message: 'must name its fragment A' },
    { file: 'schema/fragments/C.graphql', message: 'must hold exactly one fragment' },
    { file: 'schema/fragments/D.graphql', message: expect.stringContaining('Syntax Error') },
  ])
})
