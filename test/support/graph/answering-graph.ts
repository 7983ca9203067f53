import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import type { Caller } from '../../../schema/credentials/caller.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'

type Answer = (
  operation: OperationName,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
  // biome-ignore lint/suspicious/noExplicitAny: a test answers with what it wants to see handled.
) => any

/** A graph that answers as the test says, without subgraphs. */
export function answeringGraph(answer: Answer): Execute {
  return async (operation, variables, caller) => answer(operation, variables, caller)
}
