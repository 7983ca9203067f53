import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  OperationTypeNode,
} from 'graphql'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { changeAt, placesOf } from '../breaking.ts'
import { filled, shapes } from './shapes.ts'

/** A body of `POST /graphql` that is large somewhere. */
export interface InternalCase {
  /** The root field, or `document`. */
  readonly id: string
  readonly name: string
  /** Made when it is needed: all of them together are gigabytes. */
  readonly body: () => unknown
}

const schema = buildSchema(readFileSync(join(projectRoot, 'schema/generated/api.graphql'), 'utf8'))

/** Documents with large parts, and every root field with large variables. */
export function internalCases(bytes: number): readonly InternalCase[] {
  return [...ofDocuments(bytes), ...ofVariables(bytes)]
}

function ofDocuments(bytes: number): InternalCase[] {
  const long = () => filled('n', bytes * 0.9)
  const times = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index)).join(' ')
  const documents: Record<string, () => string> = {
    'a long field': () => `{ ${long()} }`,
    'long fields': () => `{ ${times(90, () => filled('n', bytes / 100))} }`,
    'a long argument': () => `{ accounts(${long()}: 1) { nodes { id } } }`,
    'a long directive': () => `{ __typename @${long()} }`,
    'a long operation with variables that nothing uses': () =>
      `query ${long()}(${times(230, (index) => `$v${index}: Int`)}) { __typename }`,
    'a long operation with variables that nobody declares': () =>
      `query ${long()} { ${times(90, (index) => `a${index}: account(id: $v${index}) { id }`)} }`,
    'a long variable many times': () =>
      `{ ${times(9, (index) => `a${index}: account(id: $${filled('n', bytes / 10)}) { id }`)} }`,
    'a long type of variables': () =>
      `query (${times(9, (index) => `$v${index}: ${filled('N', bytes / 10)}`)}) { __typename }`,
    'a long fragment that spreads itself': () =>
      `{ ...${filled('n', bytes / 4)} } fragment ${filled('n', bytes / 4)} on Query { ...${filled('n', bytes / 4)} }`,
    'long fragments that nothing uses': () =>
      `{ __typename } ${times(90, (index) => `fragment ${filled('n', bytes / 100)}${index} on Query { __typename }`)}`,
    'a long fragment of fields that conflict': () =>
      `{ ${times(14, () => `${filled('n', bytes / 30)}: account(id: "a") { id }`)} ${times(14, () => `${filled('n', bytes / 30)}: account(id: "b") { name }`)} }`,
    'a long alias': () => `{ ${long()}: accounts(first: 100) { nodes { id } } }`,
    'long aliases of many rows': () =>
      `{ accounts(first: 200) { nodes { ${times(10, (index) => `${filled('n', bytes / 20)}${index}: id`)} } } }`,
    'a long text for a number': () => `{ accounts(first: "${long()}") { nodes { id } } }`,
    'a long text for an id': () => `{ account(id: "${long()}") { id } }`,
    'a long number': () => `{ accounts(first: ${filled('1', bytes)}) { nodes { id } } }`,
    'a long list': () => `{ accounts(first: [${times(900, () => '1')}]) { nodes { id } } }`,
    'a long comment': () => `# ${long()}\n{ __typename }`,
    'spaces and a mistake': () => `${' '.repeat(bytes)}!`,
    'a text without end': () => `{ account(id: "${long()}`,
    'lines and a mistake': () => `${'\n'.repeat(bytes)}!`,
    'escapes in a text for a number': () =>
      `{ accounts(first: "${filled('\\u0001', bytes / 2)}") { nodes { id } } }`,
  }
  const bodies = Object.entries(documents).map(([name, query]) => ({
    name,
    body: () => ({ query: query() }),
  }))
  const query = 'query A { __typename } query B { __typename }'
  return [
    ...bodies,
    { name: 'a long name of the operation', body: () => ({ query, operationName: long() }) },
    {
      name: 'a long hash',
      body: () => ({ extensions: { persistedQuery: { version: 1, sha256Hash: long() } } }),
    },
    ...shapes.map((shape) => ({
      name: `${shape.name} as variables`,
      body: () => ({ query: '{ __typename }', variables: shape.make(bytes, {}) }),
    })),
    ...shapes.map((shape) => ({
      name: `${shape.name} as the body`,
      body: () => shape.make(bytes, { query: '{ __typename }' }),
    })),
  ].map((one) => ({ id: 'document', ...one }))
}

function ofVariables(bytes: number): InternalCase[] {
  return [OperationTypeNode.QUERY, OperationTypeNode.MUTATION].flatMap((kind) =>
    Object.values(schema.getRootType(kind)?.getFields() ?? {})
      .filter((field) => field.args.length > 0)
      .flatMap((field) => ofField(kind, field, bytes)),
  )
}

function ofField(
  kind: OperationTypeNode,
  field: GraphQLField<unknown, unknown>,
  bytes: number,
): InternalCase[] {
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ')
  const selected = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }'
  const query = `${kind} A(${declared}) { ${field.name}(${given})${selected} }`
  const usual = Object.fromEntries(field.args.map(({ name, type }) => [name, sampleOf(type)]))
  return placesOf(usual).flatMap((place) =>
    shapes.map((shape) => ({
      id: field.name,
      name: `${shape.name} at ${place.join('.') || 'the variables'}`,
      body: () => ({ query, variables: changeAt(usual, place, (here) => shape.make(bytes, here)) }),
    })),
  )
}

/** A value of this type, with every member. */
function sampleOf(type: GraphQLInputType, depth = 0): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, depth)
  if (isListType(type)) return [sampleOf(type.ofType, depth)]
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    if (depth > 3) return null
    const members = Object.values(type.getFields())
    return Object.fromEntries(members.map((one) => [one.name, sampleOf(one.type, depth + 1)]))
  }
  const samples: Record<string, unknown> = {
    Int: 1,
    SafeInt: 1,
    Float: 1,
    Boolean: true,
    DateTimeISO: '2030-01-01T00:00:00.000Z',
    JSONObject: { a: 'b' },
  }
  return samples[type.name] ?? 'text'
}
