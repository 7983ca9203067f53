import { z } from 'zod'
import { atLeast, atMost } from '../../schema/vocabulary/characters.ts'
import { type FieldError, isFieldError } from '../../schema/vocabulary/error-codes.ts'
import {
  bodyIsNeeded,
  describeProblems,
  enoughProblems,
  nameOf,
  required,
} from '../../schema/vocabulary/field-problems.ts'
import { type IdPrefix, idPattern, isId } from '../../schema/vocabulary/ids.ts'
import {
  loggedFields,
  maxLoggedFields,
  type Problem,
} from '../../schema/vocabulary/logged-details.ts'
import { withUnreadable } from '../../schema/vocabulary/unreadable.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { knownName, ruleOf } from './known-name.ts'

/** The input of a route, by part of the request. Other members are refused. */
export interface InputSchemas {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** The request must have a body, although no member is required: `{}` is enough. */
  readonly needsBody?: boolean
}

/**
 * Texts about a schema for the documentation. JSON Schema cannot express checks and conversions in
 * code; the code still decides.
 */
export interface Shown {
  /** Replaces the schema that zod would generate. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** One line for the documentation. */
  readonly description?: string
  /** The subgraph reports that it is missing, not the facade. */
  readonly isRequired?: boolean
  /** Whether requests with this member are refused. */
  readonly isForbidden?: boolean
}

/** The texts by schema, so that a text stands beside its check. */
export const shown = z.registry<Shown>()

export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing = z.strictObject({})

/** Checks all parts and merges their members. Throws INVALID_REQUEST with every offending field. */
export function parseInput(schemas: InputSchemas, raw: RawInput): Record<string, unknown> {
  const { values, details } = checkInput(schemas, raw)
  if (details.length > 0) throw invalidRequest(details)
  return values
}

/** Returns the merged members of all parts, and every offending field. */
export function checkInput(schemas: InputSchemas, raw: RawInput) {
  const { params = nothing, query = nothing, body, needsBody = false } = schemas
  const parts = [
    ['path', params, raw.params],
    ['query', query, raw.query],
    ...(body ? ([['body', body, raw.body ?? {}]] as const) : []),
  ] as const
  const values: Record<string, unknown> = {}
  const details: Problem[] = []
  for (const [where, schema, value] of parts) {
    const parsed = schema.safeParse(value, { error: notKnown })
    if (parsed.success) Object.assign(values, parsed.data)
    const found = toFieldErrors(parsed.error?.issues ?? [], { where, value })
    // Routes that ignore unknown parameters have rules of their own for those that they know.
    const hasOwnRules = where === 'query' && schema.def.catchall === undefined
    details.push(...named(schema, hasOwnRules ? found : withUnreadable(value, found)))
  }
  const isMissing = body !== undefined && raw.body === undefined
  if (isMissing && (needsBody || hasProblemIn(details, 'body'))) details.unshift(bodyIsNeeded)
  return { values, details }
}

/** Problems with the names of their fields in the schema, as many as the usage log has room for. */
function named(schema: z.ZodObject, problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem, index) => {
    if (index >= maxLoggedFields) return problem
    const { field, in: where, known = knownName(schema, field.split('.')) } = problem
    return { ...problem, known: known ?? (field === where ? where : undefined) }
  })
}

function hasProblemIn(details: readonly FieldError[], where: FieldError['in']): boolean {
  return details.some((detail) => detail.in === where)
}

/** The problems of path and query, for a request whose body could not be read. */
export function problemsBesideBody(
  { params, query }: InputSchemas,
  raw: Pick<RawInput, 'params' | 'query'>,
): readonly FieldError[] {
  return checkInput({ params, query }, { params: raw.params, query: raw.query, body: undefined })
    .details
}

const unknown = 'is not known here'

/** The message for unknown members. That of zod has the name of every unknown member. */
function notKnown({ code }: z.core.$ZodRawIssue): string | undefined {
  return code === 'unrecognized_keys' ? unknown : undefined
}

/**
 * The refusal of a subgraph in the words of the request: a subgraph knows arguments of the graph, such as
 * `resourceId`, and not the part of the request that `resource_id` came in.
 */
export function asSent(error: unknown, { params, query, body }: InputSchemas): unknown {
  if (!(error instanceof ApiError) || error.code !== 'INVALID_REQUEST') return error
  const parts = [
    ['path', params],
    ['query', query],
    ['body', body],
  ] as const
  const said = error.details?.filter(isFieldError) ?? []
  if (said.length === 0) return error
  const withName = (detail: FieldError): Problem => {
    const [, schema] = parts.find(([where]) => where === detail.in) ?? []
    return { ...detail, known: knownName(schema, detail.field.split('.')) }
  }
  const details = said.map((detail): Problem => {
    if (detail.in !== 'body') return withName(detail)
    const [name = '', ...rest] = detail.field.split('.')
    const sent = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const part = parts.find(([, schema]) => schema && Object.hasOwn(schema.shape, sent))
    return part ? withName({ ...detail, field: [sent, ...rest].join('.'), in: part[0] }) : detail
  })
  const isSame = details.every(({ field, in: where }, index) => {
    const before = said[index]
    return field === before?.field && where === before.in
  })
  const { code, members, headers, internal } = error
  const told = isSame ? { message: error.message, details: said } : describeProblems(details)
  const logged = { fields: loggedFields(details) }
  return new ApiError(code, told.message, {
    cause: error,
    details: told.details,
    logged,
    members,
    headers,
    internal,
  })
}

/** A part of a request, as it was sent. */
interface Part {
  readonly where: FieldError['in']
  readonly value: unknown
}

/** The first problems of a body, as many as a refusal can name: a body may have thousands. */
function toFieldErrors(issues: readonly z.core.$ZodIssue[], part: Part): Problem[] {
  return faultsOf(issues)
    .flatMap((issue) => fieldErrorsOf(issue, part))
    .slice(0, enoughProblems)
}

/**
 * One issue for each fault, as many as a refusal can name. Zod checks the length of every value that has
 * one, so a text in place of a list would have two.
 */
export function faultsOf(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const faults: z.core.$ZodIssue[] = []
  for (const issue of issues) {
    const before = faults.at(-1)
    if (before?.code === 'invalid_type' && isSamePath(before.path, issue.path)) continue
    faults.push(issue)
    if (faults.length === enoughProblems) break
  }
  return faults
}

function isSamePath(one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index])
}

function fieldErrorsOf(issue: z.core.$ZodIssue, { where, value }: Part): Problem[] {
  const { path } = issue
  const rule = ruleOf(issue)
  if (issue.code !== 'unrecognized_keys') {
    // A rule of several members may name one that is missing. Its own text says why it matters.
    const isAbsent = issue.code !== 'custom' && isMissing(value, path)
    const told = isAbsent
      ? { message: required, rule: 'required' }
      : { message: issue.message, rule }
    return [{ field: nameOf(path) || where, in: where, ...told }]
  }
  return issue.keys
    .slice(0, enoughProblems)
    .map((key) => ({ field: nameOf([...path, key]), in: where, message: unknown, rule }))
}

/** Whether nothing was sent at this place. */
function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let found = value
  for (const part of path) found = Object(found)[part]
  return found === undefined
}

/**
 * An id in the path. A malformed one is answered exactly like a missing object (docs/contract.md
 * §2).
 */
export function idParam(prefix: IdPrefix, noun: string) {
  return z
    .string()
    .refine((text) => {
      if (isId(prefix, text)) return true
      throw new ApiError('NOT_FOUND', `No ${noun} has this id.`)
    })
    .register(shown, { schema: { type: 'string', pattern: idPattern(prefix) } })
}

const nul = String.raw`\x00`

/** Text without NUL, which PostgreSQL does not store. Not every language reads `\0` in a pattern. */
export const withoutNul = new RegExp(`^[^${nul}]*$`)

/** Text that PostgreSQL can store. */
export function text(minLength: number, maxLength: number): z.ZodString {
  return (
    z
      .string()
      // A text that is too short has no other fault that its caller could see.
      .min(minLength, { error: atLeast(minLength, 'character'), abort: true })
      .max(maxLength, atMost(maxLength, 'character'))
      .regex(withoutNul, 'must not contain NUL')
      // Half of a surrogate pair would be stored as another character than the answer shows.
      .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  )
}

/** A whole number in a query. */
export function integerParam(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .string(message)
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
    .register(shown, { schema: { type: 'integer', minimum: min, maximum: max } })
}

/** A whole number in a body, which has one fault at the most. */
export function integerValue(min: number, max: number, description?: string) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .number(message)
    .superRefine((value, context) => {
      const fault = { message, input: value, origin: 'number', continue: true } as const
      if (!Number.isInteger(value))
        context.addIssue({ ...fault, code: 'invalid_type', expected: 'int' })
      else if (value < min) context.addIssue({ ...fault, code: 'too_small', minimum: min })
      else if (value > max) context.addIssue({ ...fault, code: 'too_big', maximum: max })
    })
    .register(shown, { schema: { type: 'integer', minimum: min, maximum: max }, description })
}

/** An id in a query or a body, of an object that need not exist. */
export function idValue(prefix: IdPrefix, noun: string) {
  return z
    .string('must be a single id')
    .refine((text) => isId(prefix, text), `must be the id of ${noun}, ${prefix}_…`)
    .register(shown, { schema: { type: 'string', pattern: idPattern(prefix) } })
}

const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * An instant in a query, with any offset. A date alone would have no time zone. In UTC its year
 * must have four digits, and it must not be before 1970: ids start with such an instant.
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

/** A span of time. `from` is included, `to` is not. */
export const spanParams = { from: instantParam.optional(), to: instantParam.optional() }

/** A span of time with both ends. */
export const requiredSpan = { from: instantParam, to: instantParam }

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
    .register(shown, {
      description: 'The `next_cursor` of the previous page; left out for the first page.',
    })
    .optional(),
}
