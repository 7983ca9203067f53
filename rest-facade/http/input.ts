import { z } from 'zod'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { type IdPrefix, idPattern, isId } from '../../schema/vocabulary/ids.ts'
import { ApiError, invalidRequest } from './errors.ts'

/** What a route takes, by the part of the request it comes from. Members not named are refused. */
export interface InputSchemas {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** A body must come although none of its members must: `{}` will do. */
  readonly needsBody?: boolean
}

/**
 * What the documentation says of a schema where JSON Schema cannot tell by itself: checks and conversions
 * are code. The code remains what decides.
 */
export interface Shown {
  /** Instead of what zod would say. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** One line for the documentation. */
  readonly description?: string
  /** Its absence is told by the subgraph, not here. */
  readonly isRequired?: boolean
  /** It is there to be refused. */
  readonly isForbidden?: boolean
}

/** By schema, so that it stands beside the check that it tells of. */
export const shown = z.registry<Shown>()

export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing = z.strictObject({})

/** Checks all parts at once and returns their members together; throws INVALID_REQUEST that names every offending field. */
export function parseInput(schemas: InputSchemas, raw: RawInput): Record<string, unknown> {
  const { values, details } = checkInput(schemas, raw)
  if (details.length > 0) throw invalidRequest(details)
  return values
}

/** The members of all parts together, and every offending field. */
export function checkInput(schemas: InputSchemas, raw: RawInput) {
  const { params = nothing, query = nothing, body, needsBody = false } = schemas
  const parts = [
    ['path', params, raw.params],
    ['query', query, raw.query],
    ...(body ? ([['body', body, raw.body ?? {}]] as const) : []),
  ] as const
  const values: Record<string, unknown> = {}
  const details: FieldError[] = []
  for (const [where, schema, value] of parts) {
    const parsed = schema.safeParse(value)
    if (parsed.success) Object.assign(values, parsed.data)
    else details.push(...parsed.error.issues.flatMap((issue) => toFieldErrors(issue, where)))
  }
  const isMissing = body !== undefined && raw.body === undefined
  if (isMissing && (needsBody || hasProblemIn(details, 'body'))) details.unshift(bodyIsNeeded)
  return { values, details }
}

/** Of a request without the body that it must have, beside the members that are missing. */
export const bodyIsNeeded: FieldError = { field: 'body', in: 'body', message: 'is needed' }

function hasProblemIn(details: readonly FieldError[], where: FieldError['in']): boolean {
  return details.some((detail) => detail.in === where)
}

/** What is wrong with a request whose body is not to be looked at. */
export function problemsBesideBody(
  { params, query }: InputSchemas,
  raw: Pick<RawInput, 'params' | 'query'>,
): readonly FieldError[] {
  return checkInput({ params, query }, { params: raw.params, query: raw.query, body: undefined })
    .details
}

function toFieldErrors(issue: z.core.$ZodIssue, where: FieldError['in']): FieldError[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') {
    return [{ field: path.join('.') || where, in: where, message: issue.message }]
  }
  return issue.keys.map((key) => ({
    field: [...path, key].join('.'),
    in: where,
    message: 'is not known here',
  }))
}

/** An id in the path. An ill-formed one is answered word for word like a missing object (docs/contract.md §2). */
export function idParam(prefix: IdPrefix, noun: string) {
  return z
    .string()
    .refine((text) => {
      if (isId(prefix, text)) return true
      throw new ApiError('NOT_FOUND', `No ${noun} has this id.`)
    })
    .register(shown, { schema: { type: 'string', pattern: idPattern(prefix) } })
}

/** Text that PostgreSQL can hold. */
export function text(minLength: number, maxLength: number): z.ZodString {
  return (
    z
      .string()
      .min(minLength, `must have at least ${minLength} characters`)
      .max(maxLength, `must have at most ${maxLength} characters`)
      .regex(/^[^\0]*$/, 'must not contain NUL')
      // Half of a surrogate pair would be stored as something else than is answered.
      .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  )
}

/** A whole number written in a query. */
export function integerParam(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .string(message)
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
    .register(shown, { schema: { type: 'integer', minimum: min, maximum: max } })
}

const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * An instant written in a query, in any offset; a date alone would be in nobody's time zone. In UTC it is
 * one that four digits of a year can say and an id can start with: nothing here happened before 1970.
 */
const instantParam = z.iso
  .datetime({
    offset: true,
    error: 'must be an ISO 8601 instant such as 2026-01-31T00:00:00Z',
    abort: true,
  })
  .refine((text) => {
    const ms = Date.parse(text)
    return ms >= 0 && ms <= lastInstantMs
  }, 'must be in the years 1970 to 9999')
  .transform((text) => new Date(text).toISOString())
  .register(shown, { schema: { type: 'string', format: 'date-time' } })

/** A span of time, from its first instant to before its last. */
export const spanParams = { from: instantParam.optional(), to: instantParam.optional() }

/** For `refine`: a span does not end before it begins. */
export function isSpan({ from, to }: { readonly from?: string; readonly to?: string }): boolean {
  return from === undefined || to === undefined || from < to
}

export const spanRule = { path: ['to'], message: 'must be after from' }

/** `limit` and `cursor` of every paginated list (docs/contract.md §5). */
export const pageParams = {
  limit: integerParam(1, 200).default(50),
  cursor: z
    .string('must be a single cursor')
    .min(1, 'must not be empty')
    .max(1000, 'is not a cursor of this list')
    .register(shown, { description: '`next_cursor` of the page before; none for the first page.' })
    .optional(),
}
