import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildASTSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
  parse,
} from 'graphql'
import { mergedGraph } from '../../../gateway/internal/free-form/merged-graph.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

type Fields = Readonly<Record<string, unknown>>

interface Invention {
  readonly seed: number
  /** Whether a subgraph now and then does not know an object of another one. */
  readonly losesObjects: boolean
}

interface Asked {
  readonly document: DocumentNode
  readonly variables: Fields
}

const { schema: merged, keysOf } = mergedGraph()

/** A subgraph that invents what it answers: the same for a field of the same object, whatever its name there. */
export function inventingSubgraph(name: string) {
  const text = readFileSync(join(projectRoot, 'schema/generated', `${name}.graphql`), 'utf8')
  const schema = buildASTSchema(parse(text), { assumeValidSDL: true })
  return (asked: Asked, invention: Invention) => answer(schema, asked, invention)
}

/** What graphql-js answers over the merged schema, if the subgraphs invent the same. */
export function inventedAnswer(asked: Asked, seed: number): Promise<ExecutionResult> {
  return answer(merged, asked, { seed, losesObjects: false })
}

async function answer(schema: GraphQLSchema, { document, variables }: Asked, invention: Invention) {
  return execute({
    ...{ schema, document, variableValues: variables, contextValue: invention, rootValue: {} },
    ...{ fieldResolver: invent, typeResolver: ({ __typename }) => __typename },
  })
}

/** 0 ≤ number < 1; the same for the same text. */
function luck(seed: number, text: string): number {
  return createHash('sha256').update(`${seed} ${text}`).digest().readUInt32BE() / 2 ** 32
}

/** Any value of the type. Fails now and then. */
const invent: GraphQLFieldResolver<Fields, Invention> = (
  source,
  { representations, ...args },
  { seed, losesObjects },
  { fieldName, parentType, returnType },
) => {
  // An object of another subgraph is what it was asked by.
  if (fieldName === '_entities') {
    return representations.map((one: Fields) =>
      losesObjects && luck(seed, JSON.stringify(one)) < 0.2 ? null : one,
    )
  }
  if (Object.hasOwn(source, fieldName)) return source[fieldName]
  const keys = keysOf(parentType.name)
  if (keys.includes(fieldName)) return null
  const known = keys.length === 0 ? source : keys.map((key) => source[key] ?? null)
  const place = `${parentType.name}.${fieldName} ${JSON.stringify([args, known])}`
  if (luck(seed, `failure ${place}`) < 0.01) {
    throw new GraphQLError('It is not there.', { extensions: { code: 'NOT_FOUND' } })
  }
  return anyOf(returnType, (text) => luck(seed, `${text} ${place}`))
}

function anyOf(type: GraphQLOutputType, lot: (text: string) => number): unknown {
  if (!isNonNullType(type) && lot('null') < 0.2) return null
  const inner = getNullableType(type)
  if (isListType(inner)) {
    const { ofType } = inner
    const count = Math.floor(lot('length') * 4)
    return Array.from({ length: count }, (_, index) =>
      anyOf(ofType, (text) => lot(`${text} ${index}`)),
    )
  }
  if (isEnumType(inner)) {
    const values = inner.getValues()
    return values[Math.floor(lot('enum') * values.length)]?.value
  }
  if (isUnionType(inner)) {
    const types = inner.getTypes()
    return { __typename: types[Math.floor(lot('union') * types.length)]?.name, lot: lot('object') }
  }
  if (isObjectType(inner)) {
    const keys = keysOf(inner.name).map((key) => {
      const isOptional = !isNonNullType(inner.getFields()[key]?.type)
      return [key, isOptional && lot(key) < 0.2 ? null : `${key} ${Math.floor(lot(key) * 1000)}`]
    })
    return { lot: Math.floor(lot('object') * 1000), ...Object.fromEntries(keys) }
  }
  if (!isScalarType(inner)) throw new Error(`No value is known for ${inner.name}.`)
  if (inner.name === 'Boolean') return lot('boolean') < 0.5
  const number = Math.floor(lot('number') * 3)
  return ['Int', 'Float', 'SafeInt'].includes(inner.name) ? number : `text ${number}`
}
