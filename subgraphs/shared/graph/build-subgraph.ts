import 'reflect-metadata'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import { type GraphQLSchema, parse } from 'graphql'
import { type BuildSchemaOptions, buildSchema, createResolversMap } from 'type-graphql'
import { authChecker } from './authorization.ts'
import type { GraphContext } from './context.ts'
import { shortenResolvers } from './short-resolvers.ts'

const federationLink =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])\n'

// biome-ignore lint/suspicious/noExplicitAny: a reference carries whatever fields its @key names.
type ResolveReference = (reference: any, context: GraphContext) => unknown

interface BuildSubgraphOptions extends Pick<BuildSchemaOptions, 'resolvers' | 'orphanedTypes'> {
  /** Federation entity name → how to load one from the fields of its `@key`. */
  readonly references?: Readonly<Record<string, ResolveReference>>
}

/** Makes an executable Federation 2 subgraph schema of type-graphql resolvers. */
export async function buildSubgraph({
  references = {},
  ...options
}: BuildSubgraphOptions): Promise<GraphQLSchema> {
  // skipCheck: the federation directives are unknown until the document is linked below.
  const schema = await buildSchema({ ...options, authChecker, validate: false, skipCheck: true })
  describeRoots(schema)
  // biome-ignore lint/suspicious/noExplicitAny: the two libraries type a resolver map differently.
  const resolvers: Record<string, any> = createResolversMap(schema)
  for (const [typeName, resolveReference] of Object.entries(references)) {
    resolvers[typeName] = { ...resolvers[typeName], __resolveReference: resolveReference }
  }
  shortenResolvers(resolvers, options.resolvers)
  // The schema keeps the document, which would keep each of its tokens as a location.
  const typeDefs = parse(federationLink + printSchemaWithDirectives(schema), { noLocation: true })
  return buildSubgraphSchema([{ typeDefs, resolvers }])
}

/** type-graphql makes the root types without a description. */
function describeRoots(schema: GraphQLSchema): void {
  const query = schema.getQueryType()
  const mutation = schema.getMutationType()
  if (query) query.description = 'Reads; they change nothing.'
  if (mutation)
    mutation.description = 'All changes, including those of the jobs that keep the data in order.'
}
