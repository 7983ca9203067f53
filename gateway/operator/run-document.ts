import { type DocumentNode, GraphQLError, getOperationAST, parse } from 'graphql'
import { graphFailure } from '../../rest-facade/graph/graph-client.ts'
import { invalidRequest, isOutage } from '../../rest-facade/http/errors.ts'
import type { Caller } from '../../schema/credentials/caller.ts'
import { limitCost } from '../internal/document-cost.ts'
import { requireValues } from '../internal/document-values.ts'
import type { ExecuteDocument } from '../internal/execute-document.ts'
import { mergedGraph } from '../internal/free-form/merged-graph.ts'
import type { OperatorOperation } from './operator-operations.ts'

type Variables = Readonly<Record<string, unknown>>

/** What the page gets of a document. */
export interface DocumentAnswer {
  readonly data: object
  /** Parts of a query that are missing because a subgraph is not available; absent: nothing is missing. */
  readonly errors?: readonly object[]
}

/**
 * Runs an operation of the page as internal GraphQL does, with the same limits. Throws the first failure, unless a
 * query lacks only what is not available at the moment.
 */
export async function runDocument(
  executeDocument: ExecuteDocument,
  { document: text, isAct }: OperatorOperation,
  variables: Variables,
  caller: Caller,
): Promise<DocumentAnswer> {
  const document = parsed(text)
  requireFitting(document, variables)
  const { data, errors = [] } = await executeDocument(document, variables, caller)
  const failures = errors.map(graphFailure)
  const [first] = failures
  const hasSome = data && Object.values(data).some((value) => value !== null)
  if (!first && data) return { data }
  if (isAct || !hasSome || !failures.every(isOutage)) throw first ?? new Error('Without an answer.')
  return {
    data,
    errors: failures.map(({ message }, index) => ({
      path: errors[index]?.path,
      ...{ code: 'SERVICE_UNAVAILABLE', message },
    })),
  }
}

const documents = new Map<string, DocumentNode>()

/** The documents of the page are few, and each is parsed once. */
function parsed(text: string): DocumentNode {
  const known = documents.get(text)
  if (known) return known
  const document = parse(text, { noLocation: true })
  documents.set(text, document)
  return document
}

/** Throws INVALID_REQUEST for values that do not fit, or that ask for more rows than a document may. */
function requireFitting(document: DocumentNode, variables: Variables): void {
  const operation = getOperationAST(document)
  if (!operation) throw new Error('A document of the page holds one operation.')
  const asked = { schema: mergedGraph().schema, document, operation, variables }
  try {
    requireValues(asked)
    limitCost(asked)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw invalidRequest([{ field: 'variables', in: 'body', message: error.message }])
  }
}
