import type { ServiceSlug } from '../vocabulary/scopes.ts'
import type { OperationFile } from './catalog-file.ts'
import { pointerParts } from './json-pointer.ts'
import { schemaProblems } from './request-validator.ts'
import { callLimits, maxToolName, toolName } from './tool-name.ts'

/** A problem, and the member of the operation that has it. */
export interface OperationProblem {
  readonly path: readonly string[]
  readonly reason: string
}

type JsonSchema = Readonly<Record<string, unknown>>

/** Finds invalid schemas, and members that contradict others. */
export function operationProblems(
  operation: OperationFile,
  service: ServiceSlug,
): OperationProblem[] {
  const broken = brokenSchemas(operation)
  // The members of an invalid schema cannot be checked.
  if (broken.length > 0) return broken
  return [
    ...pathProblems(operation),
    ...priceProblems(operation),
    ...toolProblems(operation, service),
  ]
}

function brokenSchemas({ request, response }: OperationFile): OperationProblem[] {
  return [
    ...schemaReasons(request.path, ['request', 'path']),
    ...schemaReasons(request.query, ['request', 'query']),
    ...schemaReasons(request.body, ['request', 'body']),
    ...schemaReasons(response.schema, ['response', 'schema']),
  ]
}

function schemaReasons(
  schema: JsonSchema | undefined,
  place: readonly string[],
): OperationProblem[] {
  if (!schema) return []
  return schemaProblems(schema).map(({ path, message }) => ({
    path: [...place, ...path],
    reason: `not a valid JSON Schema: ${message}`,
  }))
}

/** Every {placeholder} needs a schema, and every schema a {placeholder}. */
function pathProblems({ path, request }: OperationFile): OperationProblem[] {
  const placeholders = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name ?? '')
  const described = Object.keys(propertiesOf(request.path))
  const reasons = [
    ...placeholders
      .filter((name) => !described.includes(name))
      .map((name) => `{${name}} has no schema in request.path.properties`),
    ...described
      .filter((name) => !placeholders.includes(name))
      .map((name) => `request.path.properties.${name} is not in the path`),
  ]
  return reasons.map((reason) => ({ path: ['path'], reason }))
}

/** A tool has one flat object for path, query and body, so that each name may stand there once. */
function toolProblems({ id, request }: OperationFile, service: ServiceSlug): OperationProblem[] {
  const name = toolName({ service, id })
  const isTooLong = name.length > maxToolName
  const members = [request.path, request.query, request.body].flatMap((part) =>
    Object.keys(propertiesOf(part)),
  )
  const taken = [...callLimits, ...members]
  const twice = members.filter((member) => taken.filter((one) => one === member).length > 1)
  return [
    ...(isTooLong
      ? [{ path: ['id'], reason: `the tool ${name} has more than ${maxToolName} characters` }]
      : []),
    ...[...new Set(twice)].map((member) => ({
      path: ['request'],
      reason: `the tool ${name} would have ${member} twice`,
    })),
  ]
}

/**
 * A price must count members that the request or response has. Otherwise a customer finds the
 * mistake.
 */
function priceProblems({ credits, request, response }: OperationFile): OperationProblem[] {
  if ('flat' in credits) return []
  const { bounded_by: field, units_at: unitsAt } = credits
  return [
    ...boundProblems(field, { ...propertiesOf(request.query), ...propertiesOf(request.body) }).map(
      (reason) => ({ path: ['credits', 'bounded_by'], reason }),
    ),
    ...unitProblems(unitsAt, response.schema).map((reason) => ({
      path: ['credits', 'units_at'],
      reason,
    })),
  ]
}

function boundProblems(field: string | undefined, asked: JsonSchema): string[] {
  if (field === undefined) return []
  if (!Object.hasOwn(asked, field)) return [`names ${field}, which no request schema has`]
  const type = typeOf(asked[field])
  if (type === 'integer' || type === 'array') return []
  return [`must name an integer or an array; ${field} has the type ${type}`]
}

function unitProblems(pointer: string, response: JsonSchema): string[] {
  let schema: unknown = response
  for (const name of pointerParts(pointer)) {
    const properties = propertiesOf(schema)
    if (!Object.hasOwn(properties, name)) {
      return [`names ${pointer}, which the response schema lacks`]
    }
    schema = properties[name]
  }
  const type = typeOf(schema)
  return type === 'array' ? [] : [`must point to an array; ${pointer} has the type ${type}`]
}

function propertiesOf(schema: unknown): JsonSchema {
  return Object(Object(schema).properties)
}

/** The declared type. Schemas without a type or with several have no reliable one. */
function typeOf(schema: unknown): string {
  return String(Object(schema).type)
}
