import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import {
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled'
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { isErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import type { SubgraphExecutor } from './in-process.ts'

/** What a subgraph's server knows of a request: who it was sealed for. */
export interface SubgraphCall {
  readonly caller: Caller
}

interface SubgraphServerOptions {
  readonly schema: GraphQLSchema
  readonly execute: SubgraphExecutor
  /** Told of what nobody expected; whoever asked hears INTERNAL_ERROR. */
  readonly onFailure: OnFailure
}

/** `caller` is whom the request was sealed for, as far as that is known. */
type OnFailure = (error: unknown, caller?: Caller) => void

/** A document of ours has some hundred; of an internal tool, at most what the supergraph lets through. */
const maxTokens = 10_000

/**
 * A subgraph as a server of its own. Documents come by their hash (`extensions.persistedQuery`), and once
 * with their text; each is parsed, validated and compiled once.
 */
export async function createSubgraphServer({
  schema,
  execute,
  onFailure,
}: SubgraphServerOptions): Promise<ApolloServer<SubgraphCall>> {
  const server = new ApolloServer<SubgraphCall>({
    gateway: {
      onSchemaLoadOrUpdate(callback) {
        callback({ apiSchema: schema, coreSupergraphSdl: '' })
        return () => {}
      },
      load: async () => ({
        executor: ({ document, request: { variables = {} }, context }) =>
          execute({ document, variables, caller: context.caller }),
      }),
      stop: async () => {},
    },
    introspection: false,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      tellUnexpected(onFailure),
    ],
    formatError: maskUnexpected,
  })
  await server.start()
  return server
}

/** What a server says of the request itself; anything else that is not ours is a mistake of ours. */
const requestCodes = new Set([
  'PERSISTED_QUERY_NOT_FOUND',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
])

function isExpected(code: unknown): boolean {
  return isErrorCode(code) || requestCodes.has(String(code))
}

function tellUnexpected(onFailure: OnFailure): ApolloServerPlugin<SubgraphCall> {
  return {
    contextCreationDidFail: async ({ error }) => onFailure(error),
    unexpectedErrorProcessingRequest: async ({ error }) => onFailure(error),
    requestDidStart: async () => ({
      async didEncounterErrors({ errors, contextValue: { caller } }) {
        for (const error of errors) {
          if (!isExpected(error.extensions.code)) onFailure(error, caller)
        }
      },
    }),
  }
}

function maskUnexpected(formatted: GraphQLFormattedError): GraphQLFormattedError {
  if (isExpected(formatted.extensions?.code)) return formatted
  const { path } = formatted
  const message = 'Something went wrong on our side.'
  return { message, path, extensions: { code: 'INTERNAL_ERROR' } }
}
