import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  getVariableValues,
  isInputType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  typeFromAST,
  valueFromAST,
} from 'graphql'
import { type AnyField, argumentOf, maxErrors, shortened } from './argument-values.ts'
import { maxValueSize, valueSize } from './free-form/value-size.ts'

export interface Operation {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Throws BAD_USER_INPUT that names every variable and argument with a wrong value, in the fields that the
 * operation does not leave out. Nothing has run when it throws.
 */
export function requireValues({ schema, document, operation, variables }: Operation): void {
  const definitions = operation.variableDefinitions ?? []
  const { errors, coerced } = getVariableValues(schema, definitions, variables, { maxErrors })
  if (!coerced) throw refusal(errors)
  const found = [
    ...wrongDefaults(schema, operation),
    ...wrongArguments({ schema, document, operation, variables: coerced }),
  ]
  if (found.length > 0) throw refusal(found)
}

function refusal(errors: readonly GraphQLError[]): GraphQLError {
  const [first] = errors
  const messages = errors.slice(0, maxErrors).map(({ message }) => shortened(message))
  const extensions = { code: 'BAD_USER_INPUT', http: { status: 400 } }
  return new GraphQLError(messages.join(' '), { nodes: first?.nodes, extensions })
}

/** A default is a literal, and the executor ignores a wrong one. */
function wrongDefaults(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): GraphQLError[] {
  return variableDefinitions.flatMap((node) => {
    const { variable, type, defaultValue } = node
    const known = typeFromAST(schema, type)
    if (!defaultValue || !isInputType(known)) return []
    if (valueFromAST(defaultValue, known) !== undefined) return []
    const message = `Variable "$${variable.name.value}" has an invalid default value ${print(defaultValue)}.`
    return [new GraphQLError(message, { nodes: defaultValue })]
  })
}

/** Each selection is looked at once for each type, so a fragment that is spread often costs no more. */
function wrongArguments({ schema, document, operation, variables }: Operation): GraphQLError[] {
  const errors: GraphQLError[] = []
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition] as const]
        : [],
    ),
  )
  const spread = new Set<string>()
  let size = 0

  function isIncluded(node: SelectionNode): boolean {
    try {
      const skip = getDirectiveValues(GraphQLSkipDirective, node, variables)
      const include = getDirectiveValues(GraphQLIncludeDirective, node, variables)
      return skip?.if !== true && include?.if !== false
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      errors.push(error)
      return false
    }
  }

  function look(type: GraphQLNamedType | undefined, { selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (errors.length >= maxErrors || !isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) lookAtField(type, selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition, selectionSet } = selection
        look(typeCondition ? schema.getType(typeCondition.name.value) : type, selectionSet)
      } else {
        const fragment = fragments.get(selection.name.value)
        if (!fragment || spread.has(selection.name.value)) continue
        spread.add(selection.name.value)
        look(schema.getType(fragment.typeCondition.name.value), fragment.selectionSet)
      }
    }
  }

  function lookAtField(type: GraphQLNamedType | undefined, node: FieldNode): void {
    const field = fieldOf(schema, type, node.name.value)
    if (!field) return
    for (const arg of field.args) {
      const found = argumentOf(field, arg, node, variables)
      errors.push(...found.errors)
      size += valueSize(found.value)
      if (size <= maxValueSize || errors.length > 0) continue
      const message = `Argument "${arg.name}" and others are too large together with their variables.`
      errors.push(new GraphQLError(message, { nodes: node }))
    }
    if (node.selectionSet) look(getNamedType(field.type), node.selectionSet)
  }

  look(schema.getRootType(operation.operation) ?? undefined, operation.selectionSet)
  return errors
}

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType | undefined,
  name: string,
): AnyField | undefined {
  if (type === schema.getQueryType()) {
    if (name === '__schema') return SchemaMetaFieldDef
    if (name === '__type') return TypeMetaFieldDef
  }
  return isObjectType(type) ? type.getFields()[name] : undefined
}
