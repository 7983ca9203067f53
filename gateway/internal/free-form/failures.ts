import {
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql'
import { type Running, subFields } from './selection-text.ts'

export type Steps = readonly (string | number)[]

/**
 * An error in the answer of a subgraph, and the aliases and numbers that lead to it from an object. The first
 * one is a field of the object; without any, the whole object failed.
 */
export interface Failure {
  readonly steps: Steps
  readonly error: GraphQLError
}

/** A field of the client's document. */
export interface Field {
  readonly type: GraphQLObjectType
  readonly nodes: readonly FieldNode[]
}

/** The error as the client knows it: with its names and the places in its document. `field` has the first step. */
export function located(
  running: Running,
  { steps, error }: Failure,
  { path, field }: { readonly path: Steps; readonly field: Field },
): GraphQLError {
  const { originalError, extensions } = error
  const names = steps.map((step) =>
    typeof step === 'number' ? step : running.aliases.responseKeyOf(step),
  )
  const nodes = nodesAt(running, names, field)
  return new GraphQLError(error.message, {
    ...{ nodes, originalError, extensions, path: [...path, ...names] },
  })
}

/** The selections that an error below a field is about. */
function nodesAt(
  running: Running,
  [, ...names]: Steps,
  { type, nodes }: Field,
): readonly FieldNode[] {
  let selected = nodes
  let parents: readonly GraphQLObjectType[] = [type]
  for (const name of names) {
    if (typeof name === 'number') continue
    const types = parents.flatMap((parent) => objectTypes(running, fieldType(parent, selected)))
    const parent = types.find((one) => subFields(running, one, selected).has(name))
    const found = parent && subFields(running, parent, selected).get(name)
    if (!found) return selected
    selected = found
    parents = [parent]
  }
  return selected
}

function fieldType(parent: GraphQLObjectType, nodes: readonly FieldNode[]) {
  return parent.getFields()[nodes[0]?.name.value ?? '']?.type
}

function objectTypes(
  { graph: { schema } }: Running,
  type: GraphQLOutputType | undefined,
): readonly GraphQLObjectType[] {
  const named = type && getNamedType(type)
  if (isAbstractType(named)) return schema.getPossibleTypes(named)
  return isObjectType(named) ? [named] : []
}

/** A field's value with each error in its place, where the executor finds it. A null has the first error below it. */
export function withFailures(
  value: unknown,
  failures: readonly Failure[],
  locate: (failure: Failure) => GraphQLError,
  depth = 1,
): unknown {
  const [first] = failures
  if (!first) return value
  const own = failures.find(({ steps }) => steps.length <= depth)
  if (own || typeof value !== 'object' || value === null) return locate(own ?? first)
  const below = Map.groupBy(failures, ({ steps }) => steps[depth])
  const failed = Object.entries(value).map(([key, item]) => {
    const step = Array.isArray(value) ? Number(key) : key
    return [key, withFailures(item, below.get(step) ?? [], locate, depth + 1)] as const
  })
  return Array.isArray(value) ? failed.map(([, item]) => item) : Object.fromEntries(failed)
}
