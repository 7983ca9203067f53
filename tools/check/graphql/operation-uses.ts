import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Joins } from './joins.ts'
import type { NamedDocument } from './operations.ts'

/**
 * Coordinate (`Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`) → operations that use
 * it.
 */
export type Uses = ReadonlyMap<string, ReadonlySet<string>>

/** The parts of a schema that the operations use, fields that join subgraphs included. */
export function usesOf(
  schema: GraphQLSchema,
  operations: readonly NamedDocument[],
  joins: Joins,
): Uses {
  const uses = new Map<string, Set<string>>()
  for (const { name, document } of operations) {
    for (const coordinate of coordinatesOf(schema, parse(document), joins)) {
      uses.set(coordinate, (uses.get(coordinate) ?? new Set()).add(name))
    }
  }
  return uses
}

/**
 * Ignores fields that the schema does not have: another check reports that such a document does not
 * validate.
 */
function coordinatesOf(schema: GraphQLSchema, document: DocumentNode, joins: Joins): Set<string> {
  const found = new Set<string>()
  const info = new TypeInfo(schema)
  const enclosing: string[] = []

  function enterField(): void {
    const parent = info.getParentType()
    const field = info.getFieldDef()
    const coordinate = parent && field ? `${parent.name}.${field.name}` : ''
    enclosing.push(coordinate)
    if (!parent || !field) return
    const owners = isAbstractType(parent) ? schema.getPossibleTypes(parent) : []
    for (const { name } of [parent, ...owners]) found.add(name).add(`${name}.${field.name}`)
    for (const needed of joins.neededBy(coordinate, enclosing.at(-2) ?? '')) found.add(needed)
    addType(getNamedType(field.type))
  }

  function enterArgument(): void {
    const argument = info.getArgument()
    if (!argument) return
    found.add(`${enclosing.at(-1)}(${argument.name}:)`)
    addInput(argument.type)
  }

  /** A variable may send any member and any value. */
  function addInput(type: GraphQLInputType): void {
    const named = getNamedType(type)
    const isNew = !found.has(named.name)
    addType(named)
    if (!isNew || !isInputObjectType(named)) return
    for (const field of Object.values(named.getFields())) {
      found.add(`${named.name}.${field.name}`)
      addInput(field.type)
    }
  }

  function addType(type: GraphQLNamedType): void {
    found.add(type.name)
    if (!isEnumType(type)) return
    for (const { name } of type.getValues()) found.add(`${type.name}.${name}`)
  }

  const leaveField = () => void enclosing.pop()
  const visitor = {
    Field: { enter: enterField, leave: leaveField },
    Argument: { enter: enterArgument },
  }
  visit(document, visitWithTypeInfo(info, visitor))
  return found
}
