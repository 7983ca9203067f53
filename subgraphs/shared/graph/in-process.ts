import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { failSpan, inSpan, isTracing } from '../../../schema/process/tracing.ts'
import { createContext, type SubgraphOptions } from './context.ts'
import { databaseFailure } from './database-failure.ts'

/** A request of the supergraph to a subgraph. */
export interface SubgraphRequest {
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  /** Compiles the document and does nothing else: nobody asks yet. The answer has no data. */
  readonly isRehearsal?: boolean
}

export type SubgraphExecutor = (request: SubgraphRequest) => Promise<ExecutionResult>

/**
 * Runs a subgraph in this process, without HTTP. Each document is compiled once: a persisted operation is always the
 * same document.
 */
export function inProcessExecutor(
  schema: GraphQLSchema,
  options: SubgraphOptions,
): SubgraphExecutor {
  const compile = compilerOf(schema)

  async function run({
    document,
    variables,
    caller,
    isRehearsal = false,
  }: SubgraphRequest): Promise<ExecutionResult> {
    const query = compile(document)
    if (isRehearsal) return { data: null }
    const contextValue = createContext(options, caller)
    // A document that cannot be compiled is executed; there, an invalid one gets its errors.
    const result = query
      ? await query.query({}, contextValue, variables)
      : await execute({ schema, document, contextValue, variableValues: variables })
    if (!result.errors) return result
    return { ...result, errors: result.errors.map(withCode) }
  }

  const { schema: subgraph } = options.database

  return function executeInProcess(request) {
    if (!isTracing()) return run(request)
    const operation = getOperationAST(request.document)?.name?.value ?? 'anonymous'
    const attributes = { 'graphql.operation.name': operation, 'gateway.subgraph': subgraph }
    return inSpan(`${subgraph} ${operation}`, { attributes }, async (span) => {
      const result = await run(request)
      const [error] = result.errors ?? []
      if (span && error) failSpan(span, error.originalError ?? error)
      return result
    })
  }
}

type Compile = (document: DocumentNode) => CompiledQuery | null

const compilers = new WeakMap<GraphQLSchema, Compile>()

/** A compiled document depends only on its schema, so all executors of a schema share it. Null: it cannot be compiled. */
function compilerOf(schema: GraphQLSchema): Compile {
  const known = compilers.get(schema)
  if (known) return known
  const compiled = new WeakMap<DocumentNode, CompiledQuery | null>()

  function compile(document: DocumentNode): CompiledQuery | null {
    const query = compiled.get(document)
    if (query !== undefined) return query
    const mustExecute = hasOptionalMembers(document) || hasDefaultMembers(schema, document)
    const result = mustExecute ? null : compileQuery(schema, document)
    const made = result && isCompiledQuery(result) ? result : null
    compiled.set(document, made)
    return made
  }

  compilers.set(schema, compile)
  return compile
}

/**
 * Whether an optional variable is a member of an input object: without the variable the member must
 * be missing too (GraphQL §3.10), but graphql-jit makes it null.
 */
function hasOptionalMembers(document: DocumentNode): boolean {
  const optional = new Set<string>()
  let isFound = false
  visit(document, {
    VariableDefinition({ variable, type, defaultValue }) {
      if (type.kind !== Kind.NON_NULL_TYPE && !defaultValue) optional.add(variable.name.value)
    },
    ObjectField({ value }) {
      isFound ||= value.kind === Kind.VARIABLE && optional.has(value.name.value)
    },
  })
  return isFound
}

/** Whether a variable is an input object with a default inside, which graphql-jit does not fill in. */
function hasDefaultMembers(schema: GraphQLSchema, document: DocumentNode): boolean {
  const seen = new Set<GraphQLInputObjectType>()
  function hasDefault(type: GraphQLInputType | undefined): boolean {
    const named = type && getNamedType(type)
    if (!isInputObjectType(named) || seen.has(named)) return false
    seen.add(named)
    return Object.values(named.getFields()).some(
      (field) => field.defaultValue !== undefined || hasDefault(field.type),
    )
  }
  let isFound = false
  visit(document, {
    VariableDefinition({ type }) {
      const found = typeFromAST(schema, type)
      isFound ||= isInputType(found) && hasDefault(found)
    },
  })
  return isFound
}

/**
 * Compiled documents drop the `extensions` of a resolver's error. Here every error gets those of
 * its cause, and a failure of the database gets its public code. An error without a code stays
 * unexpected.
 */
function withCode(error: GraphQLError): GraphQLError {
  const { path, originalError } = error
  const failure = databaseFailure(originalError)
  const message = failure?.message ?? error.message
  const extensions = { ...error.extensions, ...failure?.extensions }
  return new GraphQLError(message, { path, originalError, extensions })
}
