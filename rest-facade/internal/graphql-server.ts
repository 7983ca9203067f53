import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit'
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives'
import {
  buildSchema,
  type GraphQLError,
  type GraphQLFormattedError,
  type ValidationContext,
} from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../../schema/caller.ts'
import { isErrorCode } from '../../schema/error-codes.ts'
import { projectRoot } from '../../schema/project-root.ts'
import type { ExecuteDocument } from '../graph-client.ts'

export interface InternalContext {
  readonly caller: Caller
}

/** What a document of an internal tool may be at most. */
const maxTokens = 1000
const limit = {
  // Reported like any other error of the document, not thrown.
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => context?.reportError(error),
  ],
}
const validationRules = [
  maxDepthRule({ ...limit, n: 10 }),
  maxAliasesRule({ ...limit, n: 15 }),
  maxDirectivesRule({ ...limit, n: 50 }),
  costLimitRule({ ...limit, maxCost: 5000 }),
]

interface GraphqlServerOptions {
  readonly executeDocument: ExecuteDocument
  readonly log: Logger
}

/** Free-form GraphQL over the supergraph, for internal tools only (contract §8). */
export async function createGraphqlServer(
  options: GraphqlServerOptions,
): Promise<ApolloServer<InternalContext>> {
  const { executeDocument, log } = options
  const coreSupergraphSdl = readFileSync(join(projectRoot, 'schema/supergraph.graphql'), 'utf8')
  const apiSchema = buildSchema(readFileSync(join(projectRoot, 'schema/api.graphql'), 'utf8'))
  const server = new ApolloServer<InternalContext>({
    gateway: {
      onSchemaLoadOrUpdate(callback) {
        callback({ apiSchema, coreSupergraphSdl })
        return () => {}
      },
      load: async () => ({
        async executor({ document, request, context }) {
          const { variables = {}, operationName } = request
          return executeDocument(document, variables, callerOf(context), operationName)
        },
      }),
      stop: async () => {},
    },
    introspection: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    plugins: [ApolloServerPluginLandingPageDisabled()],
    validationRules,
    formatError: (formatted, error) => maskUnexpected(formatted, error, log),
  })
  await server.start()
  return server
}

function callerOf(context: Record<string, unknown>): Caller {
  return (context as unknown as InternalContext).caller
}

const apolloCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
])

/** Says nothing of what went wrong inside; the log does. */
function maskUnexpected(
  formatted: GraphQLFormattedError,
  error: unknown,
  log: Logger,
): GraphQLFormattedError {
  const code = formatted.extensions?.code
  if (isErrorCode(code) || apolloCodes.has(String(code))) return formatted
  log.error({ err: error }, 'Internal GraphQL failed')
  const { path } = formatted
  const message = 'Something went wrong on our side.'
  return { message, path, extensions: { code: 'INTERNAL_ERROR' } }
}
