import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unifiedGraphHandler } from '@graphql-hive/router-runtime'
import { getExecutorForUnifiedGraph } from '@graphql-mesh/fusion-runtime'
import {
  buildASTSchema,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type ListTypeNode,
  type NamedTypeNode,
  parse,
  validate,
} from 'graphql'
import type { Caller } from '../../schema/credentials/caller.ts'
import { projectRoot } from '../../schema/process/project-root.ts'
import { type FieldError, isErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { ApiError, unavailable } from '../http/errors.ts'

/** Sends an operation to a subgraph, in this process or over HTTP. */
export type SubgraphTransport = (request: {
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  // biome-ignore lint/suspicious/noExplicitAny: the planner's executor is generic in its data.
}) => Promise<ExecutionResult<any>>

/** The subgraphs whose schemas are committed beside the supergraph. */
const subgraphNames = ['account', 'keys', 'oauth', 'usage']

/**
 * Runs a persisted operation by name and returns its body: its root field `result`, with its other
 * root fields as further members. The subgraphs of the root fields are asked at the same time.
 * Throws the failure of any of them.
 */
export type Execute = (
  operation: string,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
) => Promise<unknown>

/** Runs any document. Only the internal listener uses it. */
export type ExecuteDocument = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
  operationName?: string,
) => Promise<ExecutionResult>

export interface GraphClient {
  readonly execute: Execute
  readonly executeDocument: ExecuteDocument
  /** Plans and compiles every persisted operation in advance, so that no request waits for that. */
  warmUp(): Promise<void>
}

/**
 * The supergraph: committed composition, Rust query planner, one transport per subgraph. The plan
 * of a document is kept as long as the document. Persisted documents are parsed once, here.
 */
export function createGraphClient(
  transportOf: (subgraphName: string) => SubgraphTransport,
): GraphClient {
  const supergraph = readFileSync(join(projectRoot, 'schema/supergraph.graphql'), 'utf8')
  const run = getExecutorForUnifiedGraph({
    getUnifiedGraph: () => supergraph,
    handleUnifiedGraph: unifiedGraphHandler,
    transports: {
      http: {
        getSubgraphExecutor({ subgraphName }) {
          const transport = transportOf(subgraphName.toLowerCase())
          return ({ document, variables = {}, context }) =>
            transport({ document, variables, caller: context?.caller }).catch(asResult)
        },
      },
    },
  })
  const documents = readManifest()
  const soleTransports = findSoleTransports(documents, transportOf)

  const executeDocument: ExecuteDocument = async (document, variables, caller, operationName) => {
    const result = await run({ document, variables, operationName, context: { caller } })
    if (Symbol.asyncIterator in result) throw new Error('Subscriptions are out of scope.')
    return result
  }

  const execute: Execute = async (operation, variables, caller) => {
    const document = documents.get(operation)
    if (!document) throw new Error(`No persisted operation is named ${operation}.`)
    const alone = soleTransports.get(operation)
    const { data, errors } = alone
      ? await alone({ document, variables, caller })
      : await executeDocument(document, variables, caller)
    const [error] = errors ?? []
    if (error) throw toApiError(error)
    const { result, ...members } = data ?? {}
    return Object.keys(members).length === 0 ? result : { ...result, ...members }
  }

  return {
    execute,
    executeDocument,
    async warmUp() {
      for (const [name, document] of documents) {
        // Called anonymously, each operation is planned and compiled, then refused before it
        // touches data.
        await execute(name, blankVariables(document), nobody).catch(() => {})
      }
    },
  }
}

/** The planner replaces the code of a thrown error; an error in a result keeps our code. */
function asResult(error: unknown): { readonly errors: readonly GraphQLError[] } {
  if (!(error instanceof ApiError)) throw error
  const { code, message } = error
  return { errors: [new GraphQLError(message, { originalError: error, extensions: { code } })] }
}

/**
 * Finds the operations that one subgraph can answer alone, which are most. They go straight to it;
 * the others go through the planner.
 */
function findSoleTransports(
  documents: ReadonlyMap<string, DocumentNode>,
  transportOf: (subgraphName: string) => SubgraphTransport,
): ReadonlyMap<string, SubgraphTransport> {
  const found = new Map<string, SubgraphTransport>()
  for (const name of subgraphNames) {
    const sdl = readFileSync(join(projectRoot, `schema/${name}.graphql`), 'utf8')
    const schema = buildASTSchema(parse(sdl), { assumeValidSDL: true })
    for (const [operation, document] of documents) {
      if (canAnswer(schema, document)) found.set(operation, transportOf(name))
    }
  }
  return found
}

/** validate() accepts a mutation in a schema without mutations, so the root type is checked too. */
function canAnswer(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operation = getOperationAST(document)
  const root = operation && schema.getRootType(operation.operation)
  return Boolean(root) && validate(schema, document).length === 0
}

function readManifest(): ReadonlyMap<string, DocumentNode> {
  const text = readFileSync(join(projectRoot, 'schema/operations.json'), 'utf8')
  const manifest: Record<string, { document: string }> = JSON.parse(text)
  const entries = Object.entries(manifest)
  return new Map(entries.map(([name, { document }]) => [name, parse(document)]))
}

const nobody: Caller = { kind: 'anonymous', environment: 'live', requestId: '', traceId: '' }

/** The minimal variables that let a document run. Input objects are left out. */
function blankVariables({ definitions }: DocumentNode): Record<string, unknown> {
  const [operation] = definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return {}
  const required = (operation.variableDefinitions ?? []).flatMap(({ variable, type }) =>
    type.kind === Kind.NON_NULL_TYPE ? [[variable.name.value, blank(type.type)]] : [],
  )
  return Object.fromEntries(required)
}

function blank(type: ListTypeNode | NamedTypeNode): unknown {
  if (type.kind === Kind.LIST_TYPE) return []
  return type.name.value === 'Int' ? 1 : ''
}

/** Turns an expected failure into an ApiError; passes on any other unchanged. */
function toApiError(error: GraphQLError): Error {
  const { code, details, members, retryAfterSeconds } = error.extensions ?? {}
  if (!isErrorCode(code)) return error.originalError ?? error
  if (code === 'SERVICE_UNAVAILABLE') return unavailable(error.message, { cause: error })
  const fields: readonly FieldError[] | undefined = Array.isArray(details) ? details : undefined
  return new ApiError(code, error.message, {
    details: fields,
    members: members ? Object(members) : undefined,
    headers:
      typeof retryAfterSeconds === 'number'
        ? { 'Retry-After': String(retryAfterSeconds) }
        : undefined,
    cause: error,
  })
}
