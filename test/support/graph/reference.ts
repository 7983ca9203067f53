import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isObjectType,
  parse,
} from 'graphql'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { SubgraphExecutor } from '../../../subgraphs/shared/graph/in-process.ts'

interface Subgraph {
  readonly schema: GraphQLSchema
  readonly execute: SubgraphExecutor
}

type Fields = Readonly<Record<string, unknown>>

interface Reference {
  /** What graphql-js answers over the merged schema. */
  answer(document: DocumentNode, variables: Fields): Promise<ExecutionResult>
}

/**
 * The merged schema, with resolvers over what subgraphs answer to plain documents: one field, without aliases
 * and fragments, and everything below it. Each is asked for once, so that documents are compared with a snapshot.
 */
export function referenceGraph(
  schema: GraphQLSchema,
  subgraphs: ReadonlyMap<string, Subgraph>,
  caller: Caller,
): Reference {
  const snapshot = new Map<string, Promise<unknown>>()

  function ownersOf(type: string, field: string): string[] {
    return [...subgraphs].flatMap(([name, one]) => {
      const known = one.schema.getType(type)
      return isObjectType(known) && known.getFields()[field] ? [name] : []
    })
  }

  function everythingBelow(subgraph: GraphQLSchema, typeName: string): string {
    const type = subgraph.getType(typeName)
    if (!isObjectType(type)) return ''
    const parts = Object.values(type.getFields()).flatMap((field) => {
      if (field.args.length > 0) return []
      return [`${field.name}${everythingBelow(subgraph, getNamedType(field.type).name)}`]
    })
    return ` { ${parts.join(' ')} }`
  }

  async function fetch(object: Fields | undefined, args: Fields, info: GraphQLResolveInfo) {
    const { parentType, fieldName, operation } = info
    const [name = ''] = ownersOf(parentType.name, fieldName)
    const subgraph = subgraphs.get(name)
    if (!subgraph) throw new Error(`Nobody answers ${parentType.name}.${fieldName}.`)
    const field = parentType.getFields()[fieldName]
    const given = (field?.args ?? []).filter((arg) => Object.hasOwn(args, arg.name))
    const declared = given.map((arg) => `$${arg.name}: ${String(arg.type)}`)
    const passed = given.map((arg) => `${arg.name}: $${arg.name}`)
    const list = given.length === 0 ? '' : `(${passed.join(', ')})`
    const below = everythingBelow(subgraph.schema, getNamedType(info.returnType).name)
    const isRoot = object === undefined
    const text = isRoot
      ? `{ ${fieldName}${list}${below} }`
      : `{ _entities(representations: $of) { ... on ${parentType.name} { ${fieldName}${list}${below} } } }`
    const variables = isRoot ? args : { ...args, of: [representation(object, parentType)] }
    const all = isRoot ? declared : [...declared, '$of: [_Any!]!']
    const kind = isRoot ? operation.operation : 'query'
    const document = parse(`${kind}${all.length === 0 ? '' : `(${all.join(', ')})`} ${text}`)
    const { data, errors } = await subgraph.execute({
      ...{ document, variables },
      // Each is a request of its own, because the rows that one may read are limited.
      caller: { ...caller, requestId: newId('req') },
    })
    // Without the path that it has there.
    if (errors?.[0]) throw new Error(errors[0].message)
    return isRoot ? Object(data)[fieldName] : Object(data)._entities[0][fieldName]
  }

  function representation(object: Fields, { name }: GraphQLObjectType): Fields {
    const keys = name === 'Account' ? ['id'] : ['id', 'keyId'].filter((key) => key in object)
    return { __typename: name, ...Object.fromEntries(keys.map((key) => [key, object[key]])) }
  }

  const resolve: GraphQLFieldResolver<Fields | undefined, unknown> = (object, args, _, info) => {
    const { parentType, fieldName, operation } = info
    if (object && Object.hasOwn(object, fieldName)) return object[fieldName]
    const isChange = operation.operation === 'mutation'
    const key = JSON.stringify([
      ...[parentType.name, fieldName, args],
      object ? representation(object, parentType) : null,
    ])
    const known = isChange ? undefined : snapshot.get(key)
    const fetched = known ?? fetch(object, args, info)
    if (!isChange) snapshot.set(key, fetched)
    return fetched
  }

  return {
    async answer(document, variables) {
      if (getOperationAST(document)?.operation === 'mutation') snapshot.clear()
      return execute({
        ...{ schema, document, variableValues: variables, fieldResolver: resolve },
        contextValue: null,
      })
    },
  }
}
