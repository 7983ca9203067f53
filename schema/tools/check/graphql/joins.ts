import {
  type ConstDirectiveNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
} from 'graphql'

/** What the supergraph asks for besides what an operation selects, to put subgraphs together. */
export interface Joins {
  /** The fields that a field needs which is selected of what `enclosing` (`Type.field`) returned. */
  neededBy(coordinate: string, enclosing: string): readonly string[]
}

interface Declared {
  readonly subgraph: string
  readonly requires: readonly string[]
}

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode

/**
 * The keys of a type are needed where a field comes from another subgraph than the object that it is
 * of; what it `@requires` is needed always. `sdls`: subgraph → its schema.
 */
export function joinsOf(sdls: ReadonlyMap<string, string>): Joins {
  const declarations = new Map<string, Declared[]>()
  const keys = new Map<string, string[]>()
  for (const [subgraph, sdl] of sdls) {
    for (const type of objectTypes(sdl)) {
      const name = type.name.value
      keys.set(`${subgraph} ${name}`, fieldSets(type, name, 'key'))
      for (const field of type.fields ?? []) {
        if (has(field, 'external')) continue
        const coordinate = `${name}.${field.name.value}`
        const requires = fieldSets(field, name, 'requires')
        const declared = declarations.get(coordinate) ?? []
        declarations.set(coordinate, [...declared, { subgraph, requires }])
      }
    }
  }

  return {
    neededBy(coordinate, enclosing) {
      const owners = declarations.get(coordinate) ?? []
      const origins = declarations.get(enclosing)?.map(({ subgraph }) => subgraph) ?? []
      const isJoined =
        origins.length > 0 && !owners.some(({ subgraph }) => origins.includes(subgraph))
      const type = coordinate.replace(/\..*$/, '')
      return owners.flatMap(({ subgraph, requires }) => [
        ...requires,
        ...(isJoined ? (keys.get(`${subgraph} ${type}`) ?? []) : []),
      ])
    },
  }
}

function objectTypes(sdl: string): ObjectNode[] {
  return parse(sdl).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
    definition.kind === Kind.OBJECT_TYPE_EXTENSION
      ? [definition]
      : [],
  )
}

interface Marked {
  readonly directives?: readonly ConstDirectiveNode[]
}

function has({ directives = [] }: Marked, directive: string): boolean {
  return directives.some((node) => isNamed(node, directive))
}

/** Imported by `@link` under its own name, or not. */
function isNamed({ name: { value } }: ConstDirectiveNode, directive: string): boolean {
  return value === directive || value === `federation__${directive}`
}

/** The fields that directives of this name list in `fields`. */
function fieldSets({ directives = [] }: Marked, type: string, directive: string): string[] {
  return directives
    .filter((node) => isNamed(node, directive))
    .flatMap(({ arguments: args = [] }) => args)
    .flatMap(({ name, value }) =>
      name.value === 'fields' && value.kind === Kind.STRING ? topFields(value.value, type) : [],
    )
}

/** Of a nested set only the outer fields: a removed inner one does not compose. */
function topFields(fieldSet: string, type: string): string[] {
  const [definition] = parse(`{ ${fieldSet} }`).definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) return []
  return definition.selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [`${type}.${selection.name.value}`] : [],
  )
}
