import type { GraphQLFieldResolver } from 'graphql'
import { getMetadataStorage } from 'type-graphql'
import { type Access, requireAccess } from './authorization.ts'
import type { GraphContext } from './context.ts'

/** Type name → field name → resolver. */
type ResolverMap = Record<string, Record<string, unknown> | undefined>

type Storage = ReturnType<typeof getMetadataStorage>
type RootField = Storage['queries'][number]
type Parameter = Storage['params'][number]
type Reader = (args: Record<string, unknown>, context: GraphContext) => unknown

/**
 * Replaces resolvers by ones that do the same in fewer layers. type-graphql makes a resolver for each
 * plain member, and several promises for each protected field. Fields whose arguments are input
 * objects keep theirs, because a class may give these members defaults.
 */
export function shortenResolvers(map: ResolverMap, classes: readonly unknown[]): void {
  const { queries, mutations } = getMetadataStorage()
  for (const [type, fields] of [['Query', queries] as const, ['Mutation', mutations] as const]) {
    for (const field of fields.filter(({ target }) => classes.includes(target))) {
      const short = shortResolver(field)
      if (short) Object.assign(map[type] ?? {}, { [field.schemaName]: short })
    }
  }
  dropPlainMembers(map)
}

/**
 * Drops the resolvers of plain members: the executor then reads the member itself. Subgraphs of one process
 * may each have a class for a type: a resolver stays when any of them computes or protects the member.
 */
function dropPlainMembers(map: ResolverMap): void {
  const { objectTypes, fieldResolvers } = getMetadataStorage()
  const plain: (readonly [type: string, field: string])[] = []
  const others = new Set<string>()
  for (const { name: type, target, fields = [] } of objectTypes) {
    const resolved = new Set(
      fieldResolvers
        .filter(({ getObjectType }) => getObjectType?.() === target)
        .map(({ methodName }) => methodName),
    )
    for (const { name, schemaName, roles, middlewares = [] } of fields) {
      const isPlain = !resolved.has(name) && name === schemaName && !roles
      if (isPlain && middlewares.length === 0) plain.push([type, schemaName])
      else others.add(`${type}.${schemaName}`)
    }
  }
  for (const [type, field] of plain) {
    if (!others.has(`${type}.${field}`)) delete map[type]?.[field]
  }
}

/** The shorter resolver of a field; null: the field has parameters that type-graphql must prepare. */
function shortResolver(field: RootField): GraphQLFieldResolver<unknown, GraphContext> | null {
  const { target, methodName, params = [], middlewares = [] } = field
  const readers = params.toSorted((a, b) => a.index - b.index).map(readerOf)
  if (middlewares.length > 0 || !readers.every((reader) => reader !== null)) return null
  const roles: readonly Access[] | undefined = field.roles
  const resolver = Reflect.construct(target, [])
  return (_root, args, context) => {
    if (roles) requireAccess(context, roles)
    return resolver[methodName](...readers.map((read) => read(args, context)))
  }
}

function readerOf(parameter: Parameter): Reader | null {
  if (parameter.kind === 'context' && parameter.propertyName === undefined) {
    return (_args, context) => context
  }
  if (parameter.kind !== 'arg') return null
  const type = parameter.getType()
  const { inputTypes } = getMetadataStorage()
  if (inputTypes.some(({ target }) => target === type)) return null
  return (args) => args[parameter.name]
}
