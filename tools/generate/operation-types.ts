import {
  type DocumentNode,
  type FieldNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import type { JoinPlan } from '../../rest-facade/graph/joined-operation.ts'

/** An operation as the manifest has it: without names of fragments. */
interface Operation {
  readonly document: string
  readonly plan?: JoinPlan
}

/** Scalars as the executor of a subgraph answers them, in its own process and over HTTP. */
const answeredScalars: Readonly<Record<string, string>> = {
  ID: 'string',
  String: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
  SafeInt: 'number',
  DateTimeISO: 'string',
  JSONObject: 'Readonly<Record<string, unknown>>',
}

/** Scalars as it takes them. JSON makes text of a date. */
const takenScalars = { ...answeredScalars, DateTimeISO: 'string | Date', JSONObject: 'object' }

const head = `// Written by \`npm run schema\` from the persisted operations (tools/generate/operation-types.ts).

export type OperationName = keyof Operations

/** The variables of an operation. Of one that is known at run time only, they are not checked. */
export type VariablesOf<Name extends OperationName> = OperationName extends Name
  ? Readonly<Record<string, unknown>>
  : Operations[Name]['variables']

/** What an operation returns: its root field \`result\`, with its other root fields as further members. */
export type BodyOf<Name extends OperationName> = OperationName extends Name
  ? unknown
  : Operations[Name]['body']

/** The operations whose bodies have such members. */
export type OperationWith<Members> = {
  [Name in OperationName]: Operations[Name]['body'] extends Members ? Name : never
}[OperationName]
`

/**
 * The text of schema/generated/operations.ts: variables and body of each operation. Throws for a scalar that
 * it does not know.
 */
export function operationTypes(
  schema: GraphQLSchema,
  operations: Readonly<Record<string, Operation>>,
): string {
  const types = namedTypes()
  const members = Object.entries(operations).map(([name, operation]) => {
    const document = parse(operation.document)
    const variables = variablesType(schema, document, types)
    const body = bodyType(schema, document, { types, lost: lostPlaces(operation), schema })
    return member(name, objectType([member('variables', variables), member('body', body)]))
  })
  return `${[head, `export interface Operations ${objectType(members)}\n`, ...types.declarations()].join('\n')}`
}

const operatorHead = `// Written by \`npm run schema\` from schema/operator (tools/generate/operation-types.ts).

export type OperatorOperationName = keyof OperatorOperations

/** The operations of the operators' page: their variables, and what is in \`data\`. */
`

/** The text of schema/generated/operator-operations.ts, as `operationTypes` with whole answers. */
export function operatorOperationTypes(
  schema: GraphQLSchema,
  operations: Readonly<Record<string, Operation>>,
): string {
  const types = namedTypes()
  const members = Object.entries(operations).map(([name, operation]) => {
    const document = parse(operation.document)
    const variables = variablesType(schema, document, types)
    const data = dataType(schema, document, { types, lost: new Set(), schema })
    return member(name, objectType([member('variables', variables), member('body', data)]))
  })
  const declared = `export interface OperatorOperations ${objectType(members)}\n`
  return [`${operatorHead}${declared}`, ...types.declarations()].join('\n')
}

type NamedTypes = ReturnType<typeof namedTypes>

/** Declares each enum and input that is used, once, in the order of their names. */
function namedTypes() {
  const declarations = new Map<string, string>()

  function declare(type: GraphQLNamedType, declaration: () => string): string {
    if (!declarations.has(type.name)) {
      // An input may contain itself.
      declarations.set(type.name, '')
      declarations.set(type.name, declaration())
    }
    return type.name
  }

  function inputObject(type: GraphQLInputObjectType): string {
    const fields = Object.values(type.getFields())
    return objectType(
      fields.map((field) => inputMember(field.name, field.type, isRequiredInputField(field))),
    )
  }

  function inputMember(name: string, type: GraphQLInputType, isRequired: boolean): string {
    return member(name, input(type), isRequired)
  }

  function input(type: GraphQLInputType): string {
    return isNonNullType(type) ? inputValue(type.ofType) : orNull(inputValue(type))
  }

  function inputValue(type: GraphQLInputType): string {
    if (isListType(type)) return listType(input(type.ofType))
    if (isInputObjectType(type)) {
      return declare(type, () => `export interface ${type.name} ${inputObject(type)}\n`)
    }
    return leaf(type, takenScalars)
  }

  function leaf(type: GraphQLInputType | GraphQLOutputType, scalars: typeof answeredScalars) {
    if (isEnumType(type)) {
      const names = type.getValues().map(({ name }) => `'${name}'`)
      return declare(type, () => `export type ${type.name} = ${names.join(' | ')}\n`)
    }
    const scalar = scalars[String(type)]
    if (!scalar) throw new Error(`tools/generate/operation-types.ts does not know ${String(type)}.`)
    return scalar
  }

  return {
    inputMember,
    answered: (type: GraphQLOutputType) => leaf(type, answeredScalars),
    declarations: () =>
      [...declarations]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, declaration]) => declaration),
  }
}

function variablesType(schema: GraphQLSchema, document: DocumentNode, types: NamedTypes): string {
  const { variableDefinitions = [] } = getOperationAST(document) ?? {}
  if (variableDefinitions.length === 0) return 'Readonly<Record<string, never>>'
  return objectType(
    variableDefinitions.map(({ variable, type: node, defaultValue }) => {
      const type = typeFromAST(schema, node)
      if (!isInputType(type)) throw new Error(`${print(node)} is no type of a variable.`)
      return types.inputMember(variable.name.value, type, isNonNullType(type) && !defaultValue)
    }),
  )
}

interface Context {
  readonly schema: GraphQLSchema
  readonly types: NamedTypes
  /** Places of objects that a join makes null, whatever the schema says. */
  readonly lost: ReadonlySet<string>
}

/** The objects that are null if the subgraph that has their other members does not know them. */
function lostPlaces({ plan = [] }: Operation): ReadonlySet<string> {
  const completions = plan.flat().flatMap(({ completes = [] }) => completes)
  const losing = completions.filter(({ members }) => Object.values(members).includes('needed'))
  return new Set(losing.map(({ path }) => path.join('.')))
}

function rootFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  context: Context,
): ReadonlyMap<string, Selected> {
  const operation = getOperationAST(document)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) throw new Error('A persisted operation has no root type.')
  return selected(root, [operation.selectionSet], context)
}

function dataType(schema: GraphQLSchema, document: DocumentNode, context: Context): string {
  return membersType([...rootFields(schema, document, context)])
}

function membersType(fields: readonly (readonly [name: string, field: Selected])[]): string {
  return objectType(fields.map(([name, one]) => member(name, one.type(name), one.isSure)))
}

function bodyType(schema: GraphQLSchema, document: DocumentNode, context: Context): string {
  const { result, ...others } = Object.fromEntries(rootFields(schema, document, context))
  const further = membersType(Object.entries(others))
  if (!result) return further
  const type = result.type('result')
  if (Object.keys(others).length === 0) return type
  if (!type.endsWith('}')) throw new Error('A result beside other root fields must be one object.')
  return `(${type}) & ${further}`
}

interface Selected {
  readonly nodes: FieldNode[]
  /** False: a directive may leave it out. */
  isSure: boolean
  readonly type: (place: string) => string
}

/** The members that an object of this type has in the answer, by their names there. */
function selected(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  context: Context,
): ReadonlyMap<string, Selected> {
  const found = new Map<string, Selected>()

  function add(node: FieldNode, isSure: boolean): void {
    const name = (node.alias ?? node.name).value
    const known = found.get(name)
    if (known) {
      known.nodes.push(node)
      known.isSure ||= isSure
      return
    }
    const nodes = [node]
    const typeOf = (place: string) =>
      node.name.value === '__typename'
        ? `'${type.name}'`
        : outputType(definitionOf(type, node), nodes, { ...context, place })
    found.set(name, { nodes, isSure, type: typeOf })
  }

  function addAll({ selections }: SelectionSetNode, isSure: boolean): void {
    for (const selection of selections) {
      const isAlways = isSure && !selection.directives?.length
      if (selection.kind === Kind.FIELD) add(selection, isAlways)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        throw new Error('A persisted operation stands alone.')
      } else if (applies(selection.typeCondition?.name.value, type, context)) {
        addAll(selection.selectionSet, isAlways)
      }
    }
  }

  for (const set of sets) addAll(set, true)
  return found
}

function applies(
  condition: string | undefined,
  type: GraphQLObjectType,
  { schema }: Context,
): boolean {
  if (condition === undefined || condition === type.name) return true
  const wider = schema.getType(condition)
  return isAbstractType(wider) && schema.isSubType(wider, type)
}

function definitionOf(type: GraphQLObjectType, { name }: FieldNode): GraphQLOutputType {
  const definition = type.getFields()[name.value]
  if (!definition) throw new Error(`${type.name} has no field ${name.value}.`)
  return definition.type
}

interface Placed extends Context {
  readonly place: string
}

function outputType(type: GraphQLOutputType, nodes: readonly FieldNode[], at: Placed): string {
  if (!isNonNullType(type)) return orNull(outputValue(type, nodes, at))
  const value = outputValue(type.ofType, nodes, at)
  return at.lost.has(at.place) ? orNull(value) : value
}

function outputValue(type: GraphQLOutputType, nodes: readonly FieldNode[], at: Placed): string {
  if (isListType(type)) {
    return listType(outputType(type.ofType, nodes, { ...at, place: `${at.place}.@` }))
  }
  const sets = nodes.flatMap(({ selectionSet = [] }) => selectionSet)
  const possible = isObjectType(type)
    ? [type]
    : isAbstractType(type)
      ? at.schema.getPossibleTypes(type)
      : []
  if (possible.length === 0) return at.types.answered(type)
  const shapes = possible.map((one) =>
    objectType(
      [...selected(one, sets, at)].map(([name, { type: typeOf, isSure }]) =>
        member(name, typeOf(`${at.place}.${name}`), isSure),
      ),
    ),
  )
  return [...new Set(shapes)].join(' | ')
}

function objectType(members: readonly string[]): string {
  return `{\n${members.map((one) => `  ${one.replaceAll('\n', '\n  ')}\n`).join('')}}`
}

function member(name: string, type: string, isSure = true): string {
  return `readonly ${name}${isSure ? '' : '?'}: ${type}`
}

function listType(item: string): string {
  return `readonly ${/^readonly | \| /.test(item) ? `(${item})` : item}[]`
}

function orNull(type: string): string {
  return `${type} | null`
}
