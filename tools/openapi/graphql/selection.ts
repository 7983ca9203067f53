import {
  type DocumentNode,
  type FieldNode,
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Components } from '../components/components.ts'
import { compact, type Json, membersOf, orNull, pascalCase } from '../components/json.ts'
import { nameByOperation, nameByType } from './names.ts'
import { inRestWords } from './rest-words.ts'

interface BodyOptions {
  readonly schema: GraphQLSchema
  readonly components: Components
  /** The body leaves out members that are null: all, or those of these names. */
  readonly leavesOutNull: boolean | readonly string[]
  /** Members that the body does not have. */
  readonly withheld: readonly string[]
}

interface Context extends BodyOptions {
  /** The place of the selection. It names a second selection of a type, whose own name is taken. */
  readonly place: string
}

const scalars: Readonly<Record<string, Json>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  SafeInt: { type: 'integer', format: 'int64' },
  Float: { type: 'number', format: 'double' },
  DateTimeISO: { type: 'string', format: 'date-time' },
  JSONObject: { type: 'object', additionalProperties: true },
}

/** A null cursor marks the end of a list (docs/spec.md §7.3). */
const neverLeftOut = 'next_cursor'

/** The body of a persisted operation: its selection, whose aliases are the names of the members. */
export function bodySchema(document: DocumentNode, options: BodyOptions): Json {
  const operation = getOperationAST(document)
  const root = operation && options.schema.getRootType(operation.operation)
  if (!operation || !root) throw new Error('A persisted operation has no root type.')
  const name = operation.name?.value ?? ''
  const context = { ...options, place: name }
  const fields = fieldsOf(operation.selectionSet)
  const result = fields.find(({ alias }) => alias?.value === 'result')
  if (result && fields.length === 1) {
    // Where the graph answers null, the facade answers a refusal.
    return valueSchema(getNullableType(definitionOf(root, result).type), result, context)
  }
  const bodyName = nameByOperation[name] ?? name
  const members = { ...operation.selectionSet, selections: fields.filter((one) => one !== result) }
  const rest = objectSchema(root, members, context)
  const body = result ? joined(resultSchema(root, result, context), rest) : rest
  return options.components.add('schemas', bodyName, body)
}

/** The schema of the root field `result`, without a name. Other root fields add members to it. */
function resultSchema(root: GraphQLObjectType, result: FieldNode, context: Context): Json {
  const type = getNamedType(definitionOf(root, result).type)
  if (!isObjectType(type) || !result.selectionSet) throw new Error('A body must be an object.')
  return objectSchema(type, result.selectionSet, context)
}

function joined(one: Json, other: Json): Json {
  const required = [one.required, other.required].flatMap((names) =>
    Array.isArray(names) ? names : [],
  )
  const properties = { ...membersOf(one.properties), ...membersOf(other.properties) }
  return { ...one, properties, required }
}

function typeSchema(type: GraphQLOutputType, field: FieldNode, context: Context): Json {
  return isNonNullType(type)
    ? valueSchema(type.ofType, field, context)
    : orNull(valueSchema(type, field, context))
}

function valueSchema(type: GraphQLOutputType, field: FieldNode, context: Context): Json {
  if (isListType(type)) {
    return { type: 'array', items: typeSchema(type.ofType, field, context) }
  }
  if (isScalarType(type)) {
    const scalar = scalars[type.name]
    if (!scalar)
      throw new Error(`Say in tools/openapi/graphql/selection.ts what ${type.name} is in JSON.`)
    return scalar
  }
  if (isEnumType(type)) return context.components.add('schemas', type.name, enumSchema(type))
  const { selectionSet } = field
  if (!selectionSet) throw new Error(`${field.name.value} selects nothing.`)
  if (isObjectType(type)) return named(type, objectSchema(type, selectionSet, context), context)
  return unionSchema(selectionSet, context)
}

function enumSchema(type: GraphQLEnumType): Json {
  const values = type.getValues()
  const lines = values.flatMap(({ name, description }) =>
    description ? [`- \`${name}\`: ${inRestWords(description)}`] : [],
  )
  return compact({
    type: 'string',
    description:
      [type.description && inRestWords(type.description), lines.join('\n')]
        .filter(Boolean)
        .join('\n\n') || undefined,
    enum: values.map(({ name }) => name),
  })
}

/**
 * The selection for a protocol failure is no body, because the failure is thrown (see
 * `isOAuthFailure` in rest-facade/routes/kinds/route.ts).
 */
function unionSchema({ selections }: SelectionSetNode, context: Context): Json {
  const shapes = selections.flatMap((selection) => {
    if (selection.kind !== Kind.INLINE_FRAGMENT) return []
    const { typeCondition, selectionSet } = selection
    const isFailure = fieldsOf(selectionSet).some((one) => nameOf(one) === 'error_description')
    const type = context.schema.getType(typeCondition?.name.value ?? '')
    if (isFailure || !isObjectType(type)) return []
    return [named(type, objectSchema(type, selectionSet, context), context)]
  })
  const [only, ...others] = shapes
  if (!only) throw new Error('A union selects no body.')
  return others.length === 0 ? only : { oneOf: shapes }
}

function objectSchema(type: GraphQLObjectType, set: SelectionSetNode, context: Context): Json {
  const properties: Record<string, Json> = {}
  const required: string[] = []
  for (const field of fieldsOf(set)) {
    const name = nameOf(field)
    if (context.withheld.includes(name)) continue
    const { type: fieldType, description } = definitionOf(type, field)
    const isLeftOut = mayBeLeftOut(name, context) && !isNonNullType(fieldType)
    const place = { ...context, place: `${nameByType[type.name] ?? type.name}${pascalCase(name)}` }
    const schema = isLeftOut
      ? valueSchema(fieldType, field, place)
      : typeSchema(fieldType, field, place)
    const text = context.leavesOutNull === true || isLeftOut ? leftOut(description) : description
    properties[name] = described(patterned(schema, fieldType, description), text)
    if (!isLeftOut && !isConditional(field)) required.push(name)
  }
  return compact({
    type: 'object',
    description: type.description ? inRestWords(type.description) : undefined,
    properties,
    required,
    additionalProperties: false,
  })
}

function mayBeLeftOut(name: string, { leavesOutNull }: BodyOptions): boolean {
  if (typeof leavesOutNull === 'boolean') return leavesOutNull && name !== neverLeftOut
  return leavesOutNull.includes(name)
}

/** Whether the request decides if the body has the member. */
function isConditional({ directives = [] }: FieldNode): boolean {
  return directives.some(({ name }) => name.value === 'include')
}

/**
 * The name that the contract gives to a type. A second selection of the type gets the name of its
 * place.
 */
function named(type: GraphQLObjectType, schema: Json, { components, place }: Context): Json {
  const name = nameByType[type.name] ?? type.name
  return components.add('schemas', components.fits('schemas', name, schema) ? name : place, schema)
}

/** The description of an id names its prefix: `key_…`. */
function patterned(
  schema: Json,
  type: GraphQLOutputType,
  description: string | null | undefined,
): Json {
  const start = /`([a-z]+_)…`/.exec(description ?? '')?.[1]
  const isId = !isListType(getNullableType(type)) && getNamedType(type).name === 'ID'
  return isId && start !== undefined ? { ...schema, pattern: `^${start}` } : schema
}

/** The graph describes what is null; in this body it is left out. */
function leftOut(description: string | null | undefined): string | undefined {
  return description?.replaceAll(/\bnull\b/g, 'left out')
}

function described(schema: Json, description: string | null | undefined): Json {
  return description ? { ...schema, description: inRestWords(description) } : schema
}

function fieldsOf({ selections }: SelectionSetNode): readonly FieldNode[] {
  return selections.filter((selection) => selection.kind === Kind.FIELD)
}

function nameOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value
}

function definitionOf(type: GraphQLObjectType, { name }: FieldNode) {
  const definition = type.getFields()[name.value]
  if (!definition) throw new Error(`${type.name} has no field ${name.value}.`)
  return definition
}
