import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  Kind,
  type ListTypeNode,
  type NamedTypeNode,
  parse,
} from 'graphql'
import type { Caller } from '../../schema/credentials/caller.ts'
import type { BodyOf, OperationName, VariablesOf } from '../../schema/generated/operations.ts'
import { projectRoot } from '../../schema/process/project-root.ts'
import { type FieldError, isErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { internalTextOf } from '../../schema/vocabulary/internal-text.ts'
import { ApiError, unavailable } from '../http/errors.ts'
import { type JoinedOperation, type JoinPlan, joinedOperation } from './joined-operation.ts'

/** Sends an operation to a subgraph, in this process or over HTTP. */
export type SubgraphTransport = (request: {
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  // biome-ignore lint/suspicious/noExplicitAny: the data of an answer has any shape.
}) => Promise<ExecutionResult<any>>

/**
 * Runs a persisted operation by name and returns its body: its root field `result`, with its other
 * root fields as further members. The subgraphs of the root fields are asked at the same time.
 * Throws the failure of any of them.
 */
export type Execute = <Name extends OperationName>(
  operation: Name,
  variables: VariablesOf<Name>,
  caller: Caller,
) => Promise<BodyOf<Name>>

export interface GraphClient {
  readonly execute: Execute
  /** The names of the persisted operations. */
  readonly operations: readonly string[]
  /** Compiles a persisted operation in advance, so that no request waits for that. */
  readonly warmUp: (operation: string) => Promise<void>
}

/**
 * The supergraph: committed composition and plans, one transport per subgraph. Persisted documents
 * are parsed once.
 */
export function createGraphClient(
  transportOf: (subgraphName: string) => SubgraphTransport,
): GraphClient {
  const operations = persistedOperations()

  /** Asks one subgraph, and returns its data. Throws the failure that it reports. */
  async function ask(subgraph: string, request: Parameters<SubgraphTransport>[0]) {
    const { data, errors } = await transportOf(subgraph)(request)
    const [error] = errors ?? []
    if (error) throw graphFailure(error)
    return data ?? {}
  }

  const execute: Execute = async (operation, variables, caller) => {
    const known = operations.get(operation)
    if (!known) throw new Error(`No persisted operation is named ${operation}.`)
    const { subgraph, document } = known
    const data =
      subgraph === undefined
        ? await known.joined.run(variables, (name, request) => ask(name, { ...request, caller }))
        : await ask(subgraph, { document, variables, caller })
    const { result, ...members } = data
    return Object.keys(members).length === 0 ? result : { ...result, ...members }
  }

  return {
    execute,
    operations: [...operations.keys()],
    async warmUp(operation) {
      const known = operations.get(operation)
      if (!known) return
      // A caller of the warm-up has the subgraphs compile the document, and they do not run it.
      const { subgraph, document } = known
      const caller = warmUpCaller
      const warmed =
        subgraph === undefined
          ? known.joined.warmUp((name, request) => ask(name, { ...request, caller }))
          : ask(subgraph, { document, variables: blankVariables(document), caller })
      await warmed.catch(() => {})
    },
  }
}

interface PersistedOperation {
  readonly document: DocumentNode
  /** The subgraph that answers it alone; undefined if it joins several. */
  readonly subgraph: string | undefined
  readonly joined: JoinedOperation
}

let manifest: ReadonlyMap<string, PersistedOperation> | undefined

/** All clients of a process share them, and so what is made of their documents. */
function persistedOperations(): ReadonlyMap<string, PersistedOperation> {
  manifest ??= readManifest()
  return manifest
}

/** A document is parsed when it is first needed, and is the same object from then on. */
function readManifest(): ReadonlyMap<string, PersistedOperation> {
  const text = readFileSync(join(projectRoot, 'schema/generated/operations.json'), 'utf8')
  const manifest: Record<string, { document: string; subgraph?: string; plan?: JoinPlan }> =
    JSON.parse(text)
  return new Map(
    Object.entries(manifest).map(([name, { document: source, subgraph, plan = [] }]) => {
      let document: DocumentNode | undefined
      let joined: JoinedOperation | undefined
      return [
        name,
        {
          subgraph,
          get document() {
            document ??= parse(source, { noLocation: true })
            return document
          },
          get joined() {
            joined ??= joinedOperation(this.document, plan)
            return joined
          },
        },
      ]
    }),
  )
}

/** The caller of a warm-up: no subgraph does anything for it. */
export const warmUpCaller: Caller = {
  kind: 'anonymous',
  environment: 'live',
  requestId: '',
  traceId: '',
}

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
export function graphFailure(error: GraphQLError): Error {
  const { code, details, members, scope, retryAfterSeconds } = error.extensions ?? {}
  const internal = internalTextOf(error.extensions)
  if (!isErrorCode(code)) return error.originalError ?? error
  if (code === 'SERVICE_UNAVAILABLE') return unavailable(error.message, { cause: error, internal })
  const fields: readonly FieldError[] | undefined = Array.isArray(details) ? details : undefined
  return new ApiError(code, error.message, {
    details: fields,
    members: members ? Object(members) : undefined,
    logged: typeof scope === 'string' ? { scope } : undefined,
    headers:
      typeof retryAfterSeconds === 'number'
        ? { 'Retry-After': String(retryAfterSeconds) }
        : undefined,
    cause: error,
    internal,
  })
}
