import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql'
import type { SubgraphTransport } from '../../rest-facade/graph/graph-client.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import type { Caller } from '../../schema/credentials/caller.ts'
import { internalTextIn } from '../../schema/vocabulary/internal-text.ts'
import type { RecordReads } from './operator-reads.ts'

/** Runs any document, over the merged schema. Only the internal listener uses it. */
export type ExecuteDocument = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
  operationName?: string,
) => Promise<ExecutionResult>

/**
 * The merged schema is loaded with the first document. What an internal tool has read of accounts is in their trails
 * before it is answered; if it cannot be, the answer is SERVICE_UNAVAILABLE.
 */
export function documentExecutor(
  transportOf: (subgraphName: string) => SubgraphTransport,
  recordReads: RecordReads,
): ExecuteDocument {
  return async function executeDocument(document, variables, caller, operationName) {
    const { executeOverSubgraphs } = await import('./free-form/execute-document.ts')
    const { result, accountIds } = await executeOverSubgraphs(
      { document, variables, operationName },
      (name, request) => transportOf(name)({ ...request, caller }).catch(asResult),
    )
    if (caller.kind !== 'internal' || accountIds.length === 0) return result
    try {
      await recordReads(caller, accountIds)
      return result
    } catch (error) {
      return { data: null, errors: [unrecorded(error)] }
    }
  }
}

function unrecorded(error: unknown): GraphQLError {
  return new GraphQLError('The read could not be recorded; try again.', {
    extensions: {
      ...{ code: 'SERVICE_UNAVAILABLE', http: { status: 503 } },
      ...internalTextIn(error instanceof Error ? error.message : String(error)),
    },
  })
}

/** A thrown failure of one subgraph, as an error in its answer. */
function asResult(error: unknown): { readonly errors: readonly GraphQLError[] } {
  if (!(error instanceof ApiError)) throw error
  const { code, message, internal } = error
  return {
    errors: [
      new GraphQLError(message, {
        originalError: error,
        extensions: { code, ...internalTextIn(internal) },
      }),
    ],
  }
}
