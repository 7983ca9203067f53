import { GraphQLObjectType, GraphQLSchema } from 'graphql'

/**
 * The schema with its types and root fields sorted by name. type-graphql keeps the order in which
 * modules were loaded, so moving a file would change the printed schema.
 */
export function inStableOrder(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType()
  const mutation = schema.getMutationType()
  const config = schema.toConfig()
  return new GraphQLSchema({
    ...config,
    query: query && byName(query),
    mutation: mutation && byName(mutation),
    types: config.types
      .filter((type) => type !== query && type !== mutation)
      .toSorted((one, other) => compare(one.name, other.name)),
  })
}

function byName(type: GraphQLObjectType): GraphQLObjectType {
  const { fields, ...config } = type.toConfig()
  const sorted = Object.entries(fields).toSorted(([one], [other]) => compare(one, other))
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(sorted) })
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1
}
