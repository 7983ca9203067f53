import { GraphQLError, getNamedType, isLeafType } from 'graphql'
import { type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity'
import type { Operation } from './document-values.ts'

/** The cost of a document is the number of rows that it may read. */
export const maxCost = 5000

/** Fields that read whole tables on purpose: a document can have one of them. */
const wholeTables = 4000

/** The number of rows that a field reads if it has no page size and reads more than one row. */
const rowsByField: ReadonlyMap<string, number> = new Map([
  ['Account.apiKeys', 200],
  ['Query.gatewayProcesses', 200],
  ['Query.signingKeys', 200],
  ['Query.accountsOfExternalId', 50],
  ['Query.accountsOfHolder', 50],
  ['Query.accountsOfKeyPrefix', 50],
  ['Query.accountsOfMember', 50],
  // A row for each service that the account calls, and its last call.
  ['Account.activity', 20],
  // Roll-ups of a month, or of the requested number of steps.
  ['Account.usage', 1000],
  ['Account.usageSummary', 2000],
  ['Query.ledgerAudit', wholeTables],
  ['Query.balanceDrifts', wholeTables],
  ['Query.usageAudit', wholeTables],
  ['Query.digestStart', wholeTables],
  ['Query.ledgerHeadComparison', wholeTables],
  ['Query.auditHeadBreaks', wholeTables],
])

/**
 * Throws GRAPHQL_VALIDATION_FAILED for an operation that may read more rows than a document may. Its values
 * must be valid.
 */
export function limitCost(operation: Operation): void {
  const cost = rowsOf(operation)
  if (cost <= maxCost) return
  const message = `Cost limit of ${maxCost} exceeded, found ${cost}: ask for smaller pages.`
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } }
  throw new GraphQLError(message, { extensions })
}

/** Counts the rows that an operation may read. Its values must be valid. */
export function rowsOf({ schema, document, operation, variables }: Operation): number {
  return getComplexity({
    ...{ schema, variables, query: document, operationName: operation.name?.value },
    estimators: [estimateRows],
  })
}

/** Types whose fields each need a look-up. Fields of other types are read with their parent. */
const lookUps = new Set(['Query', 'Mutation', 'Account'])

/**
 * Estimates the rows of a field: each entry of a page is a row, and each look-up for an entry is
 * another one.
 */
function estimateRows({ type, field, args, childComplexity }: ComplexityEstimatorArgs): number {
  if (isLeafType(getNamedType(field.type))) return 0
  const rows = args.first ?? args.limit ?? rowsByField.get(`${type.name}.${field.name}`)
  if (rows === undefined && !lookUps.has(type.name)) return childComplexity
  // A page of 0 must not make nested fields free.
  return Math.max(1, Number(rows ?? 1)) * (1 + childComplexity)
}
