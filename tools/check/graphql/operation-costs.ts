import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import { maxCost, rowsOf } from '../../../gateway/internal/document-cost.ts'
import type { Finding } from '../report/finding.ts'
import { breaksOf, type Callers } from './callers.ts'
import type { NamedDocument } from './operations.ts'

/** The highest possible cost of a persisted operation, whatever its variables. */
export interface OperationCost {
  /** The rows that one execution may read, with pages of 200. */
  readonly rows: number
  /** The levels of nested fields. */
  readonly depth: number
  /** The total number of fields. */
  readonly fields: number
  /** The number of root fields: each may ask another subgraph. */
  readonly rootFields: number
  /** The number of times that one selection has the same field under several names. */
  readonly aliases: number
}

/**
 * The limit of rows is that of internal tools; the others are about twice the need of the largest
 * operation.
 */
export const costLimits: OperationCost = {
  rows: maxCost,
  depth: 8,
  fields: 100,
  rootFields: 10,
  aliases: 2,
}

const units: Readonly<Record<keyof OperationCost, string>> = {
  rows: 'rows to read',
  depth: 'levels of fields',
  fields: 'fields',
  rootFields: 'root fields',
  aliases: 'times the same field in one selection',
}

/** Operations that may cost more than the limits allow. They are valid for the schema. */
export function costly(
  schema: GraphQLSchema,
  operations: readonly NamedDocument[],
  callers: Callers,
  limits: OperationCost = costLimits,
): Finding[] {
  return operations.flatMap(({ name, file, document }) => {
    const cost = costOf(schema, document)
    return measures
      .filter((measure) => cost[measure] > limits[measure])
      .map((measure) => ({
        id: `cost/${measure}/${name}`,
        severity: 'error',
        file,
        breaks: breaksOf(callers, [name]),
        message: `costs ${cost[measure]} ${units[measure]}; at most ${limits[measure]} are allowed`,
      }))
  })
}

const measures = ['rows', 'depth', 'fields', 'rootFields', 'aliases'] as const

/** The cost of a document with one operation that is valid for the schema. */
export function costOf(schema: GraphQLSchema, source: string): OperationCost {
  const document = parse(source)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('The document holds not exactly one operation.')
  const variables = greatestVariables(schema, operation)
  const selections = [...selectionsBelow(operation.selectionSet, 1)]
  return {
    rows: rowsOf({ schema, document, operation, variables }),
    depth: Math.max(...selections.map(({ depth }) => depth)),
    fields: selections.reduce((sum, { fields }) => sum + fields.length, 0),
    rootFields: selections[0]?.fields.length ?? 0,
    aliases: Math.max(...selections.map(({ fields }) => greatestCount(fields))),
  }
}

interface Selection {
  readonly depth: number
  /** Names of fields, not their aliases. */
  readonly fields: readonly string[]
}

/** Each selection of fields, the outer one first. An inline fragment belongs to the selection around it. */
function* selectionsBelow(set: SelectionSetNode, depth: number): Generator<Selection> {
  const fields = fieldsOf(set)
  yield { depth, fields: fields.map(({ name }) => name.value) }
  for (const { selectionSet } of fields) {
    if (selectionSet) yield* selectionsBelow(selectionSet, depth + 1)
  }
}

/** Named fragments are expanded already. */
function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    return selection.kind === Kind.INLINE_FRAGMENT ? fieldsOf(selection.selectionSet) : []
  })
}

function greatestCount(names: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

/** The largest page that a route accepts (docs/contract.md §5). */
const maxPage = 200

function greatestVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Readonly<Record<string, unknown>> {
  const values = variableDefinitions.map(({ variable, type }) => {
    const input = typeFromAST(schema, type)
    return [variable.name.value, isInputType(input) ? greatestValue(input) : null]
  })
  return Object.fromEntries(values)
}

/**
 * Only numbers matter to the cost, and whether a field is included; other values are the smallest valid
 * ones.
 */
function greatestValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType)
  if (!('name' in type)) return null
  if (type.name === 'Boolean') return true
  return type.name === 'Int' ? maxPage : null
}

function sampleOf(type: GraphQLInputType): unknown {
  if (isListType(type)) return []
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields())
    return Object.fromEntries(members.map(({ name, type: of }) => [name, greatestValue(of)]))
  }
  return scalars.get(String(type)) ?? ''
}

const scalars: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['Int', maxPage],
  ['SafeInt', maxPage],
  ['Float', maxPage],
  ['Boolean', true],
])
