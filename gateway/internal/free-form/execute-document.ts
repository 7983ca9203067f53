import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLTypeResolver,
} from 'graphql'
import { type AccountReads, collectReads } from './account-reads.ts'
import { mergedGraph } from './merged-graph.ts'
import type { Fields } from './request-text.ts'
import { createAliases, type Running, typeAlias } from './selection-text.ts'
import { type Ask, subgraphRequests, type Want } from './subgraph-requests.ts'

interface DocumentRequest {
  readonly document: DocumentNode
  readonly variables: Fields
  readonly operationName: string | undefined
}

/** What the fields of one document share while it runs. */
interface Run {
  readonly ask: Ask
  readonly reads: AccountReads
  started?: { readonly running: Running; readonly want: Want }
}

interface DocumentResult {
  readonly result: ExecutionResult
  /** The ids of the accounts that the document has read; none for a mutation. */
  readonly accountIds: readonly string[]
}

/**
 * Runs any document by the rules of GraphQL, as graphql-js has them, over the merged schema. A field that an
 * object does not have yet is asked of a subgraph, together with everything below it that the subgraph answers.
 */
export async function executeOverSubgraphs(
  { document, variables, operationName }: DocumentRequest,
  ask: Ask,
): Promise<DocumentResult> {
  const { schema } = mergedGraph()
  const reads = collectReads()
  const contextValue: Run = { ask, reads }
  const { errors, ...result } = await execute({
    ...{ schema, document, contextValue, operationName, variableValues: variables },
    ...{ fieldResolver: resolveField, typeResolver: resolveType },
  })
  return {
    result: errors ? { ...result, errors: unlike(errors) } : result,
    accountIds: reads.ids(),
  }
}

/**
 * The errors without repetitions: an object that failed as a whole has the same error for each of
 * its fields.
 */
function unlike(errors: readonly GraphQLError[]): GraphQLError[] {
  return [
    ...new Map(
      errors.map((error) => [JSON.stringify([error.path, error.message]), error]),
    ).values(),
  ]
}

const resolveField: GraphQLFieldResolver<Fields | undefined, Run> = (object, args, run, info) => {
  run.started ??= start(run.ask, info)
  const { running, want } = run.started
  const alias = running.aliases.aliasOf(String(info.path.key))
  run.reads.noteSearch(info, args)
  run.reads.noteField(info, object)
  if (object && Object.hasOwn(object, alias)) return object[alias]
  return run.reads.noteRoot(info, args, want(info, object))
}

function start(ask: Ask, { fragments, variableValues: coerced }: GraphQLResolveInfo) {
  const variables = { coerced, sources: {} }
  const running = { graph: mergedGraph(), fragments, variables, aliases: createAliases() }
  return { running, want: subgraphRequests(running, ask) }
}

const resolveType: GraphQLTypeResolver<Fields, Run> = (object) => String(object[typeAlias])
