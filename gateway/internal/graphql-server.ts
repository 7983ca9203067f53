import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type GraphQLRequestListener,
} from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import { buildSchema, GraphQLError, type GraphQLFormattedError, OperationTypeNode } from 'graphql'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Caller } from '../../schema/credentials/caller.ts'
import { projectRoot } from '../../schema/process/project-root.ts'
import { isErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { internalTextOf } from '../../schema/vocabulary/internal-text.ts'
import { maxErrors, shortened } from './argument-values.ts'
import { limitCost } from './document-cost.ts'
import { documentLimits, maxSelections, maxTokens } from './document-limits.ts'
import { requireValues } from './document-values.ts'
import type { ExecuteDocument } from './execute-document.ts'
import { mergedGraph } from './free-form/merged-graph.ts'
import { knownDocuments } from './known-documents.ts'

export interface InternalContext {
  readonly caller: Caller
}

interface GraphqlServerOptions {
  readonly executeDocument: ExecuteDocument
  readonly log: Logger
}

/** Free-form GraphQL over the supergraph, for internal tools only (docs/contract.md §8). */
export async function createGraphqlServer(
  options: GraphqlServerOptions,
): Promise<ApolloServer<InternalContext>> {
  const { executeDocument, log } = options
  const server = new ApolloServer<InternalContext>({
    gateway: gatewayTo(executeDocument),
    introspection: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    persistedQueries: { cache: knownDocuments() },
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      logUnexpected(log),
      { requestDidStart: async () => operationChecks },
    ],
    maxRecursiveSelections: maxSelections,
    validationRules: [...documentLimits],
    validationOptions: { maxErrors },
    formatError: maskUnexpected,
  })
  await server.start()
  return server
}

/** The schemas, which all servers of a process share. */
let schemas: ReturnType<typeof readSchemas> | undefined

function readSchemas() {
  const read = (name: string) => readFileSync(join(projectRoot, 'schema/generated', name), 'utf8')
  return {
    coreSupergraphSdl: read('supergraph.graphql'),
    apiSchema: buildSchema(read('api.graphql')),
  }
}

/** Apollo Server uses the executor of the facade instead of resolvers. */
function gatewayTo(
  executeDocument: ExecuteDocument,
): ApolloServerOptionsWithGateway<InternalContext>['gateway'] {
  schemas ??= readSchemas()
  const { apiSchema, coreSupergraphSdl } = schemas
  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema, coreSupergraphSdl })
      return () => {}
    },
    load: async () => ({
      async executor({ document, request: { variables = {}, operationName }, context }) {
        const result = await executeDocument(document, variables, callerOf(context), operationName)
        // The operation has run. Without `data`, the answer would look like an invalid request.
        return { ...result, data: result.data ?? null }
      },
    }),
    stop: async () => {},
  }
}

function callerOf(context: Record<string, unknown>): Caller {
  return (context as unknown as InternalContext).caller
}

const operationChecks: GraphQLRequestListener<InternalContext> = {
  async didResolveOperation({ document, operation, request }) {
    if (!operation) {
      throw refusal('OPERATION_RESOLUTION_FAILURE', 'Name one of the operations of the document.')
    }
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
      throw refusal('BAD_USER_INPUT', 'There are no subscriptions: send a query or a mutation.')
    }
    // The schema that Apollo Server validates with takes any value of a scalar, so that a wrong one is
    // refused here, where the message can name its argument.
    const { schema } = mergedGraph()
    const asked = { schema, document, operation, variables: request.variables ?? {} }
    requireValues(asked)
    limitCost(asked)
  },
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400 } } })
}

const apolloCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
])

function isExpected(error: GraphQLError): boolean {
  const { code } = error.extensions
  return isErrorCode(code) || apolloCodes.has(String(code)) || isClientError(error)
}

/** Logs inner failures for the operator, with the request that had them. */
function logUnexpected(log: Logger): ApolloServerPlugin<InternalContext> {
  const note = (error: unknown, seen: object = {}) =>
    log.error({ err: error, ...seen }, 'Internal GraphQL failed')
  return {
    contextCreationDidFail: async ({ error }) => note(error),
    unexpectedErrorProcessingRequest: async ({ error }) => note(error),
    requestDidStart: async () => ({
      async didEncounterErrors({ errors, contextValue: { caller } }) {
        const { requestId, traceId } = caller
        for (const error of errors) {
          const { code } = error.extensions
          const internal = internalTextOf(error.extensions)
          if (!isExpected(error)) note(error, { requestId, traceId })
          else if (internal !== undefined)
            log.info({ requestId, traceId, code, internal }, error.message)
        }
      },
    }),
  }
}

/** Hides inner failures from the caller; the log has them. */
function maskUnexpected(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const code = formatted.extensions?.code
  if (isErrorCode(code)) return formatted
  if (apolloCodes.has(String(code))) {
    // The message of BAD_USER_INPUT is short enough: it names up to ten values, each of them shortly.
    if (code === 'BAD_USER_INPUT') return formatted
    return { ...formatted, message: shortened(formatted.message) }
  }
  // Apollo gives no code to errors about a hash.
  if (isClientError(error)) {
    return { message: shortened(formatted.message), extensions: { code: 'BAD_REQUEST' } }
  }
  const { path } = formatted
  const message = 'Something went wrong on our side.'
  return { message, path, extensions: { code: 'INTERNAL_ERROR' } }
}

const clientError = z.object({ http: z.object({ status: z.number().min(400).max(499) }) })

function isClientError(error: unknown): boolean {
  return error instanceof GraphQLError && clientError.safeParse(error.extensions).success
}
