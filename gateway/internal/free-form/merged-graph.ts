import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  valueFromASTUntyped,
} from 'graphql'
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { maxValueSize, valueSize } from './value-size.ts'

/** The merged schema, and which subgraphs answer what of it. */
export interface MergedGraph {
  /**
   * The merged schema. Its scalars refuse what the scalars of the subgraphs refuse, and keep values as they
   * were written.
   */
  readonly schema: GraphQLSchema
  /** The subgraphs that can answer a field. */
  readonly answering: (type: string, field: string) => readonly string[]
  /** The fields by which other subgraphs know an object of this type; empty: they do not know it. */
  readonly keysOf: (type: string) => readonly string[]
}

let merged: MergedGraph | undefined

/**
 * The merged schema, which is read when it is first needed, because only documents of internal
 * tools need it.
 */
export function mergedGraph(): MergedGraph {
  merged ??= readMergedGraph(read('supergraph.graphql'), read('api.graphql'))
  return merged
}

function read(name: string): string {
  return readFileSync(join(projectRoot, 'schema/generated', name), 'utf8')
}

/** Throws for a supergraph with directives that documents of internal tools could not follow. */
function readMergedGraph(supergraph: string, api: string): MergedGraph {
  const schema = buildSchema(api)
  for (const scalar of [GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt]) {
    const type = schema.getType(scalar.name)
    if (isScalarType(type)) refuseAs(scalar, type)
  }
  const document = parse(supergraph, { noLocation: true })
  const names = subgraphNames(document)
  const places = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION
        ? [[definition.name.value, placesOf(definition, names)] as const]
        : [],
    ),
  )
  return {
    schema,
    answering: (type, field) => places.get(type)?.fields.get(field) ?? [],
    keysOf: (type) => places.get(type)?.keys ?? [],
  }
}

/**
 * Has a scalar refuse what the subgraphs' scalar refuses. An accepted value goes on as it was
 * written, because a subgraph reads it again.
 */
function refuseAs(scalar: GraphQLScalarType, type: GraphQLScalarType): void {
  type.parseValue = (value) => {
    scalar.parseValue(value)
    return asJson(value)
  }
  type.parseLiteral = (node, variables) => {
    scalar.parseLiteral(node, variables)
    return asJson(valueFromASTUntyped(node, variables))
  }
}

/**
 * A value as JSON, without the members whose variable was left out. Throws for a number that JSON has no form
 * for, and for a literal that repeats large variables.
 */
function asJson(value: unknown): unknown {
  if (valueSize(value) > maxValueSize) {
    throw new GraphQLError('It is too large together with its variables.')
  }
  const text = JSON.stringify(value, (_, member) => {
    if (typeof member !== 'number' || Number.isFinite(member)) return member
    throw new GraphQLError('A number is out of range.')
  })
  return JSON.parse(text)
}

function subgraphNames({ definitions }: DocumentNode): ReadonlyMap<string, string> {
  const graphs = definitions.find(
    (definition) =>
      definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph',
  )
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) throw new Error('There are no subgraphs.')
  return new Map(
    (graphs.values ?? []).map(({ name, directives }) => [
      name.value,
      String(argumentsOf(directives, 'join__graph')[0]?.name),
    ]),
  )
}

interface Places {
  readonly keys: readonly string[]
  readonly fields: ReadonlyMap<string, readonly string[]>
}

function placesOf(
  { name: { value: type }, directives, fields = [] }: ObjectTypeDefinitionNode,
  names: ReadonlyMap<string, string>,
): Places {
  const nameOf = ({ graph, ...others }: Readonly<Record<string, unknown>>) => {
    const name = names.get(String(graph))
    const unknown = Object.keys(others)
    if (name !== undefined && unknown.length === 0) return name
    throw new Error(
      `${type} has a field with ${unknown.join(', ')}, which documents cannot follow.`,
    )
  }
  const joins = argumentsOf(directives, 'join__type')
  const [keys = '', ...otherKeys] = new Set(
    joins.map(({ key }) => (typeof key === 'string' ? key : '')),
  )
  if (otherKeys.length > 0) throw new Error(`${type} must have the same key in every subgraph.`)
  const all = joins.map(({ graph }) => nameOf({ graph }))
  return {
    keys: keys.split(' ').filter((key) => key !== ''),
    fields: new Map(
      fields.map((field) => {
        const own = argumentsOf(field.directives, 'join__field').map(nameOf)
        return [field.name.value, own.length === 0 ? all : own]
      }),
    ),
  }
}

/** The arguments of each use of a directive. */
function argumentsOf(
  directives: readonly ConstDirectiveNode[] = [],
  name: string,
): Record<string, unknown>[] {
  return directives
    .filter((directive) => directive.name.value === name)
    .map((directive) =>
      Object.fromEntries(
        (directive.arguments ?? []).map((argument) => [
          argument.name.value,
          valueFromASTUntyped(argument.value),
        ]),
      ),
    )
}
