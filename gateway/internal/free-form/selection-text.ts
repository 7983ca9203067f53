import { collectSubFields, type VariableValues } from '@graphql-tools/utils'
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql'
import type { MergedGraph } from './merged-graph.ts'

/** A document of an internal tool while it runs. */
export interface Running {
  readonly graph: MergedGraph
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly variables: VariableValues
  readonly aliases: Aliases
}

/** Names that the subgraphs see instead of those of the client, so that no two can be alike. */
export interface Aliases {
  readonly aliasOf: (responseKey: string) => string
  readonly responseKeyOf: (alias: string) => string
}

export function createAliases(): Aliases {
  const aliases = new Map<string, string>()
  const responseKeys: string[] = []
  return {
    aliasOf(responseKey) {
      const known = aliases.get(responseKey)
      if (known !== undefined) return known
      const alias = `f${responseKeys.push(responseKey) - 1}`
      aliases.set(responseKey, alias)
      return alias
    },
    responseKeyOf: (alias) => responseKeys[Number(alias.slice(1))] ?? alias,
  }
}

/**
 * The alias by which an answer has the type of an object that may have several, and the fields of its key.
 */
export const typeAlias = 't'
export const keyAlias = (key: string): string => `k_${key}`

/** The type of which every object has its key, whatever is selected. */
export const accountType = 'Account'

/** Makes a variable of a request, and returns its name with `$`. */
type AddVariable = (type: string, value: unknown) => string

interface Asked {
  readonly subgraph: string
  readonly type: GraphQLObjectType
  readonly responseKey: string
  /** All selections of the field, which are merged. */
  readonly nodes: readonly FieldNode[]
}

/** The text that asks a subgraph for a field and everything below it that the subgraph answers. */
export function fieldText(
  running: Running,
  { subgraph, type, responseKey, nodes }: Asked,
  addVariable: AddVariable,
): string {
  const [node] = nodes
  const field = node && type.getFields()[node.name.value]
  if (!field) throw new Error(`${type.name} has no such field.`)
  const values = getArgumentValues(field, node, running.variables.coerced)
  const given = field.args
    .filter(({ name }) => Object.hasOwn(values, name))
    .map((arg) => `${arg.name}: ${addVariable(String(arg.type), values[arg.name])}`)
  const list = given.length === 0 ? '' : `(${given.join(', ')})`
  const selection = selectionText(running, { subgraph, type: field.type, nodes }, addVariable)
  return `${running.aliases.aliasOf(responseKey)}: ${field.name}${list}${selection}`
}

interface AskedObject extends Pick<Asked, 'subgraph' | 'nodes'> {
  readonly type: GraphQLOutputType
}

function selectionText(
  running: Running,
  { subgraph, type, nodes }: AskedObject,
  addVariable: AddVariable,
): string {
  const named = getNamedType(type)
  const ask = (one: GraphQLObjectType) =>
    membersText(running, { subgraph, type: one, nodes }, addVariable)
  if (isObjectType(named)) return ` { ${ask(named)} }`
  if (!isAbstractType(named)) return ''
  const { schema } = running.graph
  const parts = schema.getPossibleTypes(named).map((one) => `... on ${one.name} { ${ask(one)} }`)
  return ` { ${typeAlias}: __typename ${parts.join(' ')} }`
}

function membersText(
  running: Running,
  { subgraph, type, nodes }: AskedObject & { readonly type: GraphQLObjectType },
  addVariable: AddVariable,
): string {
  const { answering, keysOf } = running.graph
  const parts: string[] = []
  let isJoined = false
  for (const [responseKey, selected] of subFields(running, type, nodes)) {
    const name = selected[0]?.name.value ?? ''
    if (name === '__typename') continue
    if (answering(type.name, name).includes(subgraph)) {
      const asked = { subgraph, type, responseKey, nodes: selected }
      parts.push(fieldText(running, asked, addVariable))
    } else isJoined = true
  }
  // The reads of accounts are recorded by their ids.
  const isIdentified = isJoined || type.name === accountType
  const keys = isIdentified ? keysOf(type.name).map((key) => `${keyAlias(key)}: ${key}`) : []
  return [...parts, ...keys].join(' ') || `${typeAlias}: __typename`
}

/** The selected fields of an object by their name in the answer, merged (GraphQL §6.4.3). */
export function subFields(
  { graph, fragments, variables }: Running,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
): ReadonlyMap<string, readonly FieldNode[]> {
  return collectSubFields(graph.schema, fragments, variables, type, [...nodes]).fields
}
