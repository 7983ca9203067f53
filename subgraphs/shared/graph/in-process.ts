import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLEnumType,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  isScalarType,
  Kind,
  locatedError,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { failSpan, inSpan, isTracing } from '../../../schema/process/tracing.ts'
import { createContext, type GraphContext, type SubgraphOptions } from './context.ts'
import { databaseFailure } from './database-failure.ts'
import { directBatchOf } from './direct-batch.ts'

/** A request of the supergraph to a subgraph. */
export interface SubgraphRequest {
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
  /** Prepares the document and runs nothing, because nobody asks for it yet. The answer has no data. */
  readonly isRehearsal?: boolean
  /** Whether this process made the variables, for a persisted operation: see `DirectBatch`. */
  readonly isOwn?: boolean
}

/**
 * The most errors in an answer: enough to find the mistake. Each takes time, and a list can have
 * thousands.
 */
const maxErrors = 10

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

  /** Compiled documents name a member of an input as if it were a variable; graphql-js names both. */
  function wrongVariables(document: DocumentNode, variables: SubgraphRequest['variables']) {
    const definitions = getOperationAST(document)?.variableDefinitions ?? []
    const { errors } = getVariableValues(schema, definitions, variables, { maxErrors })
    return errors?.map(asBadInput) ?? [new GraphQLError('The document cannot be executed.')]
  }

  const contexts = new WeakMap<Caller, GraphContext>()

  /** The callers of batches are few objects, which live as long as this process. */
  function contextOf(caller: Caller): GraphContext {
    const known = contexts.get(caller)
    if (known) return known
    const context = createContext(options, caller)
    contexts.set(caller, context)
    return context
  }

  async function run({
    document,
    variables,
    caller,
    isRehearsal = false,
    isOwn = false,
  }: SubgraphRequest): Promise<ExecutionResult> {
    const direct = isOwn ? directBatchOf(document) : null
    if (direct) {
      if (isRehearsal) return { data: null }
      try {
        return { data: { result: await direct(variables, contextOf(caller)) } }
      } catch (error) {
        return { errors: [withCode(locatedError(error, undefined, ['result']))] }
      }
    }
    const { query, needed } = compile(document)
    if (isRehearsal) return { data: null }
    const missing = needed.filter(({ name }) => variables[name] === null)
    if (missing.length > 0) return { errors: missing.map(refuseNull) }
    const contextValue = createContext(options, caller)
    // A document that cannot be compiled is executed; there, an invalid one gets its errors.
    const result = query
      ? await query.query({}, contextValue, variables)
      : await execute({ schema, document, contextValue, variableValues: variables })
    if (!result.errors) return result
    // Without data nothing has run: the variables are wrong.
    if (result.data === undefined) return { errors: wrongVariables(document, variables) }
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

interface Prepared {
  /** The compiled document; null: it cannot be compiled. */
  readonly query: CompiledQuery | null
  /** The optional variables of arguments that must not be null. */
  readonly needed: readonly NeededVariable[]
}

type Compile = (document: DocumentNode) => Prepared

const compilers = new WeakMap<GraphQLSchema, Compile>()

/** A compiled document depends only on its schema, so all executors of a schema share it. */
function compilerOf(schema: GraphQLSchema): Compile {
  const known = compilers.get(schema)
  if (known) return known
  const compiled = new WeakMap<DocumentNode, Prepared>()

  function compile(document: DocumentNode): Prepared {
    const known = compiled.get(document)
    if (known) return known
    const { needed, isInScalar, hasRenamedValues } = usesOf(schema, document)
    const mustExecute =
      isInScalar || hasOptionalMembers(document) || hasDefaultMembers(schema, document)
    const result = mustExecute
      ? null
      : compileQuery(schema, document, undefined, {
          // What resolvers return as a built-in scalar or an enum is one: their types say so. To check
          // it again was half of the time of a long list, and made most of its garbage.
          disableLeafSerialization: !hasRenamedValues,
        })
    const made = { query: result && isCompiledQuery(result) ? result : null, needed }
    compiled.set(document, made)
    return made
  }

  compilers.set(schema, compile)
  return compile
}

interface NeededVariable {
  readonly name: string
  readonly argument: string
}

/**
 * How a document uses its variables, and whether it selects an enum whose names are not its values. graphql-jit passes
 * on null where a variable has a default and its argument must not be null, and leaves a variable out of the
 * literal of a scalar, such as JSON.
 */
function usesOf(schema: GraphQLSchema, document: DocumentNode) {
  const optional = new Set<string>()
  const needed: NeededVariable[] = []
  let isInScalar = false
  let hasRenamedValues = false
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition({ variable, type }) {
        if (type.kind !== Kind.NON_NULL_TYPE) optional.add(variable.name.value)
        return false
      },
      Field() {
        const type = getNamedType(types.getType())
        if (isEnumType(type)) hasRenamedValues ||= isRenamed(type)
      },
      Variable({ name: { value: name } }) {
        const argument = types.getArgument()?.name ?? ''
        if (isNonNullType(types.getInputType()) && optional.has(name))
          needed.push({ name, argument })
      },
      ObjectValue() {
        if (isScalarType(getNullableType(types.getInputType()))) isInScalar ||= true
      },
    }),
  )
  return { needed, isInScalar, hasRenamedValues }
}

function isRenamed(type: GraphQLEnumType): boolean {
  return type.getValues().some(({ name, value }) => name !== value)
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

function refuseNull({ name, argument }: NeededVariable): GraphQLError {
  const message = `Argument "${argument}" must not be null, and variable "$${name}" is.`
  return asBadInput(new GraphQLError(message))
}

function asBadInput({ message, nodes }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })
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
