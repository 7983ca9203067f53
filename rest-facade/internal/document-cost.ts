import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isLeafType,
  type OperationDefinitionNode,
} from 'graphql'
import { type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity'

/** The cost of a document is how many rows it may have read. */
export const maxCost = 5000

/** Reads whole tables, as it is meant to: one such field to a document. */
const wholeTables = 4000

/** Rows of fields that have no page size and read more than one. */
const rowsByField: ReadonlyMap<string, number> = new Map([
  ['Account.apiKeys', 200],
  // Roll-ups of a month, or of as many steps as it takes.
  ['Account.usage', 1000],
  ['Account.usageSummary', 2000],
  ['Query.ledgerAudit', wholeTables],
  ['Query.balanceDrifts', wholeTables],
  ['Query.usageAudit', wholeTables],
  ['Mutation.repairUsage', wholeTables],
])

/** Enough to say what is wrong; each takes its time where a list has thousands. */
const maxErrors = 10

interface Operation {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Throws what is wrong with the variables of an operation (BAD_USER_INPUT), or that it may have more
 * rows read than one document may (GRAPHQL_VALIDATION_FAILED).
 */
export function limitCost({ schema, document, operation, variables }: Operation): void {
  const definitions = operation.variableDefinitions ?? []
  const { errors } = getVariableValues(schema, definitions, variables, { maxErrors })
  if (errors?.[0]) throw refusal(errors[0], 'BAD_USER_INPUT')
  const cost = rowsOf({ schema, document, operation, variables })
  if (cost <= maxCost) return
  const message = `Cost limit of ${maxCost} exceeded, found ${cost}: ask for smaller pages.`
  throw refusal(new GraphQLError(message), 'GRAPHQL_VALIDATION_FAILED')
}

/** How many rows an operation may have read. Its variables are as its definitions want them. */
export function rowsOf({ schema, document, operation, variables }: Operation): number {
  return getComplexity({
    ...{ schema, variables, query: document, operationName: operation.name?.value },
    estimators: [estimateRows],
  })
}

function refusal(error: GraphQLError, code: string): GraphQLError {
  const extensions = { code, http: { status: 400 } }
  return new GraphQLError(error.message, { ...error.toJSON(), nodes: error.nodes, extensions })
}

/** Types whose fields are looked up, each by itself; others are read with what they are part of. */
const lookUps = new Set(['Query', 'Mutation', 'Account'])

/** Each entry of a page is a row, and so is whatever is looked up for each entry. */
function estimateRows({ type, field, args, childComplexity }: ComplexityEstimatorArgs): number {
  if (isLeafType(getNamedType(field.type))) return 0
  const rows = args.first ?? args.limit ?? rowsByField.get(`${type.name}.${field.name}`)
  if (rows === undefined && !lookUps.has(type.name)) return childComplexity
  // No page makes another cheaper.
  return Math.max(1, Number(rows ?? 1)) * (1 + childComplexity)
}
