import {
  type ConstDirectiveNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
} from 'graphql'

/** The fields that the supergraph adds to an operation to join subgraphs. */
export interface Joins {
  /**
   * The fields that are needed to select a field of the object that `enclosing` (`Type.field`)
   * returned.
   */
  neededBy(coordinate: string, enclosing: string): readonly string[]
}

interface Declared {
  readonly subgraph: string
  readonly requires: readonly string[]
}

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode

/**
 * The keys of a type are needed if a field comes from another subgraph than its object. Fields of
 * `@requires` are always needed. `sdls`: subgraph → its schema.
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

/**
 * A directive is imported by `@link` under its own name, or used with the prefix `federation__`.
 */
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

/**
 * Only the outer fields of a nested set: without a removed inner field the subgraphs do not
 * compose.
 */
function topFields(fieldSet: string, type: string): string[] {
  const [definition] = parse(`{ ${fieldSet} }`).definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) return []
  return definition.selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [`${type}.${selection.name.value}`] : [],
  )
}
