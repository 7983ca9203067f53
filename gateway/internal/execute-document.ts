import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql'
import type { SubgraphTransport } from '../../rest-facade/graph/graph-client.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import type { Caller } from '../../schema/credentials/caller.ts'
import { internalTextIn } from '../../schema/vocabulary/internal-text.ts'

/** Runs any document, over the merged schema. Only the internal listener uses it. */
export type ExecuteDocument = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
  operationName?: string,
) => Promise<ExecutionResult>

/** The merged schema is loaded with the first document. */
export function documentExecutor(
  transportOf: (subgraphName: string) => SubgraphTransport,
): ExecuteDocument {
  return async function executeDocument(document, variables, caller, operationName) {
    const { executeOverSubgraphs } = await import('./free-form/execute-document.ts')
    return executeOverSubgraphs({ document, variables, operationName }, (name, request) =>
      transportOf(name)({ ...request, caller }).catch(asResult),
    )
  }
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
