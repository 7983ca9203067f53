import { buildSchema, parse, print } from 'graphql'
import { describe, expect, test } from 'vitest'
import type { JoinPlan } from '../../../rest-facade/graph/joined-operation.ts'
import { expand, readFragments } from '../../../tools/fragments/expand.ts'
import { operationTypes } from '../../../tools/generate/operation-types.ts'

const schema = buildSchema(`
  scalar DateTimeISO
  scalar JSONObject
  scalar SafeInt
  scalar Odd
  enum Color { RED pale_blue }
  interface Named { name: String! }
  type Cat implements Named { name: String! lives: Int! color: Color owner: Owner! }
  type Owner implements Named { name: String! cats: [Cat!]! friends: [Owner]! phone: String }
  union Pet = Cat | Dog
  type Dog implements Named { name: String! bornAt: DateTimeISO facts: JSONObject! }
  input Shape { color: Color! rows: [[ID!]!]! width: Float! = 1 inner: [Shape!] at: DateTimeISO more: JSONObject }
  type Query {
    cat(name: ID): Cat
    cats(colors: [Color], limit: Int! = 5): [Cat!]
    dog: Dog!
    pet: Pet
    named: [Named!]!
    credits: SafeInt!
    isOpen: Boolean
    odd: Odd
  }
  type Mutation { draw(shape: Shape!): [[SafeInt]!]! }
`)

/** The declared variables and body of an operation, and what else is declared, without line breaks. */
function typesOf(document: string, plan?: JoinPlan) {
  const text = operationTypes(schema, { Get: { document, plan } })
  const [, declared = ''] = text.split('export interface Operations ')
  const [operations = '', ...others] = declared.replaceAll(/\s+/g, ' ').split(' export ')
  const [, variables, body] =
    /^\{ readonly Get: \{ readonly variables: (.*) readonly body: (.*) \} \}$/.exec(
      operations.trim(),
    ) ?? []
  return { variables, body, others: others.map((one) => one.trim()) }
}

const bodyOf = (selection: string) => typesOf(`query Get { ${selection} }`).body

describe('the body of an operation', () => {
  test.each([
    ['result: credits', 'number'],
    ['result: isOpen', 'boolean | null'],
    [
      'result: dog { born_at: bornAt facts }',
      '{ readonly born_at: string | null readonly facts: Readonly<Record<string, unknown>> }',
    ],
    [
      'result: cat { __typename color }',
      `{ readonly __typename: 'Cat' readonly color: Color | null } | null`,
    ],
    ['result: cats { name }', 'readonly { readonly name: string }[] | null'],
    [
      'result: cat { owner { friends { phone } } }',
      '{ readonly owner: { readonly friends: readonly ({ readonly phone: string | null } | null)[] } } | null',
    ],
  ])(
    'of %s has the nulls and lists of the schema, by the names of the answer',
    (selection, type) => {
      expect(bodyOf(selection)).toBe(type)
    },
  )

  test('has the other root fields beside the members of the result', () => {
    expect(bodyOf('result: dog { name } credits')).toBe(
      '({ readonly name: string }) & { readonly credits: number }',
    )
    expect(bodyOf('dog { name } credits')).toBe(
      '{ readonly dog: { readonly name: string } readonly credits: number }',
    )
  })

  test('has what a directive may leave out as an optional member, unless it is selected without one too', () => {
    expect(
      bodyOf('result: dog { name @include(if: true) bornAt ... @skip(if: true) { bornAt facts } }'),
    ).toBe(
      '{ readonly name?: string readonly bornAt: string | null readonly facts?: Readonly<Record<string, unknown>> }',
    )
  })

  test('merges the selections of one member', () => {
    expect(bodyOf('result: cat { owner { name } owner { phone } }')).toBe(
      '{ readonly owner: { readonly name: string readonly phone: string | null } } | null',
    )
  })

  test('is one of the objects that a union or an interface can be, each once', () => {
    expect(bodyOf('result: pet { ... on Cat { lives } ... on Dog { bornAt } }')).toBe(
      '{ readonly lives: number } | { readonly bornAt: string | null } | null',
    )
    expect(bodyOf('result: pet { ... on Named { name } }')).toBe('{ readonly name: string } | null')
    expect(bodyOf('result: named { name ... on Cat { lives } }')).toBe(
      'readonly ({ readonly name: string readonly lives: number } | { readonly name: string })[]',
    )
  })

  test('has the members of fragments in the place of their names', () => {
    const { fragments } = readFragments(
      new Map([['schema/fragments/Dog.graphql', 'fragment Dog on Dog { name born: bornAt }']]),
    )
    const document = print(expand(parse('query Get { result: dog { facts ...Dog } }'), fragments))

    expect(typesOf(document).body).toBe(
      '{ readonly facts: Readonly<Record<string, unknown>> readonly name: string readonly born: string | null }',
    )
  })

  test('has null where a join does not find an object that must have members', () => {
    const completes = (path: string[], need: 'needed' | 'optional') => [
      { path, keys: ['id'], variable: 'r', answer: '_entities', members: { name: need } },
    ]
    const document = 'query Get { cats { owner { name } } dog { name } }'
    const plan: JoinPlan = [
      [{ subgraph: 'a', document: '', completes: completes(['cats', '@', 'owner'], 'needed') }],
      [{ subgraph: 'a', document: '', completes: completes(['dog'], 'optional') }],
    ]

    expect(typesOf(document, plan).body).toBe(
      '{ readonly cats: readonly ({ readonly owner: { readonly name: string } | null })[] | null readonly dog: { readonly name: string } }',
    )
  })
})

describe('the variables of an operation', () => {
  test('are optional where they may be null or have a default, and lists and dates are what may be sent', () => {
    const { variables, others } = typesOf(
      'query Get($colors: [Color], $limit: Int! = 5, $name: ID!) { cats(colors: $colors, limit: $limit) { name } cat(name: $name) { name } }',
    )

    expect(variables).toBe(
      '{ readonly colors?: readonly (Color | null)[] | null readonly limit?: number readonly name: string }',
    )
    expect(others).toEqual([`type Color = 'RED' | 'pale_blue'`])
  })

  test('have inputs as types of their own, which may contain themselves', () => {
    const { variables, body, others } = typesOf(
      'mutation Get($shape: Shape!) { result: draw(shape: $shape) }',
    )

    expect(variables).toBe('{ readonly shape: Shape }')
    expect(body).toBe('readonly (readonly (number | null)[])[]')
    expect(others).toEqual([
      `type Color = 'RED' | 'pale_blue'`,
      'interface Shape { readonly color: Color readonly rows: readonly (readonly string[])[] readonly width?: number readonly inner?: readonly Shape[] | null readonly at?: string | Date | null readonly more?: object | null }',
    ])
  })

  test('are none for an operation without any', () => {
    expect(typesOf('query Get { result: credits }').variables).toBe(
      'Readonly<Record<string, never>>',
    )
  })
})

test('a result that may be null has no other root fields beside it', () => {
  expect(() => bodyOf('result: cat { name } credits')).toThrow('must be one object')
})

test('a scalar that the generator does not know is a mistake', () => {
  expect(() => bodyOf('result: odd')).toThrow(
    'tools/generate/operation-types.ts does not know Odd.',
  )
})
