import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import {
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled'
import type { ExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { SpentTime, spending, spentMember } from '../../../schema/process/spent-time.ts'
import { isErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { withTextOnWire } from '../../../schema/vocabulary/internal-text.ts'
import type { SubgraphExecutor, SubgraphRequest } from './in-process.ts'

/** The facts that the server of a subgraph knows of a request: the caller for whom it was sealed. */
export interface SubgraphCall {
  readonly caller: Caller
}

interface SubgraphServerOptions {
  readonly schema: GraphQLSchema
  readonly execute: SubgraphExecutor
  /** Receives unexpected errors; the caller gets INTERNAL_ERROR. */
  readonly onFailure: OnFailure
}

/** `caller` is the caller for whom the request was sealed, if known. */
type OnFailure = (error: unknown, caller?: Caller) => void

/**
 * The gateway's documents have some hundred tokens; those of internal tools pass the supergraph's
 * limit first.
 */
const maxTokens = 10_000

/**
 * Serves a subgraph over HTTP. A document comes by its hash (`extensions.persistedQuery`), and the
 * first time with its text; it is parsed, validated and compiled once.
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
          measured({ document, variables, caller: context.caller }, execute),
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

/** Tells the facade how long this process has worked for the account. */
async function measured(
  request: SubgraphRequest,
  execute: SubgraphExecutor,
): Promise<ExecutionResult> {
  if (request.caller.kind !== 'account') return execute(request)
  const spent = new SpentTime(request.caller.accountId)
  spent.noteTurn()
  const result = await spending(spent, () => execute(request))
  return { ...result, extensions: { ...result.extensions, [spentMember]: spent.ms } }
}

/** The codes by which a server rejects the request itself; any other unknown code is a bug. */
const requestCodes = new Set([
  'PERSISTED_QUERY_NOT_FOUND',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
  'BAD_USER_INPUT',
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
  const { extensions } = formatted
  if (isExpected(extensions?.code)) {
    return extensions ? { ...formatted, extensions: withTextOnWire(extensions) } : formatted
  }
  const { path } = formatted
  const message = 'Something went wrong on our side.'
  return { message, path, extensions: { code: 'INTERNAL_ERROR' } }
}
