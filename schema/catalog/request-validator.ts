import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { atLeast, atMost } from '../vocabulary/characters.ts'
import type { FieldError } from '../vocabulary/error-codes.ts'
import { bodyIsNeeded, enoughProblems, nameOf, required } from '../vocabulary/field-problems.ts'
import { dotSegmentRule, hasDotSegment } from '../vocabulary/ids.ts'
import { maxLoggedFields, type Problem } from '../vocabulary/logged-details.ts'
import { withUnreadable } from '../vocabulary/unreadable.ts'
import { pointerParts } from './json-pointer.ts'
import { nameInSchema } from './schema-name.ts'
import { sizesFirst, withSizes } from './sizes-first.ts'

type Fields = Readonly<Record<string, unknown>>

/** A checked request: with defaults, and with the query's numbers as numbers. */
export interface RequestInput {
  readonly path: Fields
  readonly query: Fields
  readonly body: Fields
}

export interface RawRequest {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
}

export interface RequestValidator {
  readonly hasBody: boolean
  /** The schemas by which requests are checked. */
  readonly schemas: RequestSchemas
  /** Returns the checked request, or every offending field. */
  check(raw: RawRequest): RequestInput | readonly FieldError[]
  /** Returns the offending fields of path and query, for a request whose body could not be read. */
  problemsBesideBody(raw: {
    readonly params: unknown
    readonly query: unknown
  }): readonly FieldError[]
}

export interface RequestSchemas {
  readonly path?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: Fields | undefined
}

const ajv = withFormats(
  new Ajv2020({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true }),
)

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv)
  return ajv
}

const nothing = { type: 'object', additionalProperties: false }
const none: readonly FieldError[] = []

/** Compiles the schemas of one operation. Throws for an invalid JSON Schema. */
export function requestValidator(schemas: RequestSchemas): RequestValidator {
  const { path, query } = schemas
  const body = schemas.body && withSizes(schemas.body)
  const checkPath = ajv.compile<Fields>(path ?? nothing)
  const checkQuery = ajv.compile<Fields>(query ?? nothing)
  const checkBody = ajv.compile<Fields>(body ? sizesFirst(body) : nothing)
  function problemsOfAddress(given: Omit<RequestInput, 'body'>, sentQuery: unknown) {
    const ofPath = problems(checkPath, given.path, 'path', path)
    const found = problems(checkQuery, given.query, 'query', query)
    const ofQuery = withUnreadable(sentQuery, found)
    const ofAddress = ofPath.length > 0 ? ofPath : dotSegments(given.path)
    return ofQuery.length > 0 ? [...ofAddress, ...ofQuery] : ofAddress
  }
  const read = (raw: Omit<RawRequest, 'body'>) => ({
    path: readTexts(path, raw.path),
    query: readTexts(query, raw.query),
  })
  return {
    hasBody: body !== undefined,
    schemas: { ...schemas, body },
    problemsBesideBody: ({ params, query: sent }) =>
      problemsOfAddress(read({ path: params, query: sent }), sent),
    check(raw) {
      // `read` returns copies, because the check writes defaults into them.
      const given = read(raw)
      const sent = raw.body ?? {}
      const inBody = withUnreadable(sent, problems(checkBody, sent, 'body', body))
      const ofAddress = problemsOfAddress(given, raw.query)
      if (ofAddress.length === 0 && inBody.length === 0) return { ...given, body: fields(sent) }
      const isMissing = raw.body === undefined && inBody.length > 0 && body !== undefined
      return [...(isMissing ? [bodyIsNeeded] : []), ...ofAddress, ...inBody]
    },
  }
}

interface SchemaProblem {
  /** The place of the problem, below the schema. */
  readonly path: readonly string[]
  readonly message: string
}

/** The problems of a JSON Schema, one for each place in it. */
export function schemaProblems(schema: Fields): readonly SchemaProblem[] {
  if (ajv.validateSchema(schema) !== true) {
    const byPlace = Map.groupBy(ajv.errors ?? [], ({ instancePath }) => instancePath)
    return [...byPlace].map(([place, [error]]) => ({
      path: pointerParts(place),
      message: error?.message ?? 'is not valid',
    }))
  }
  try {
    ajv.compile(schema)
    return []
  } catch (error) {
    return [{ path: [], message: error instanceof Error ? error.message : String(error) }]
  }
}

/**
 * Converts the texts of a path or query to the types of their schema. ajv is not used for it,
 * because it accepts every number of JavaScript, such as `0x10`; our lists accept only digits.
 */
function readTexts(schema: Fields | undefined, raw: unknown): Fields {
  const given = Object.entries(fields(raw))
  if (given.length === 0) return {}
  const properties = fields(schema?.properties)
  return Object.fromEntries(
    given.map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? fields(properties[name]).type : undefined
      return [name, typeof value === 'string' ? readText(value, type) : value]
    }),
  )
}

function readText(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function problems(
  validate: ValidateFunction,
  value: unknown,
  where: FieldError['in'],
  schema: unknown,
): readonly Problem[] {
  if (validate(value)) return none
  // The problems behind an `if` are reported themselves.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  const found = errors.slice(0, enoughProblems)
  return found.map((error, index) => toProblem(error, where, index < maxLoggedFields ? schema : {}))
}

/**
 * Problems of values with a part `.` or `..`: such a value would lead to another path of the backend module,
 * whatever its schema permits.
 */
function dotSegments(path: Fields): readonly Problem[] {
  const values = Object.entries(path)
  if (values.length === 0) return none
  return values
    .filter(([, value]) => hasDotSegment(String(value)))
    .map(([field]) => ({ field, in: 'path', message: dotSegmentRule, known: field }))
}

function toProblem(error: ErrorObject, where: FieldError['in'], schema: unknown): Problem {
  const path = error.instancePath.split('/').slice(1)
  const { keyword: rule } = error
  const { missingProperty, additionalProperty } = error.params
  if (missingProperty !== undefined) {
    const missing = [...path, missingProperty]
    const known = nameInSchema(schema, missing)
    return { field: nameOf(missing), in: where, message: required, rule, known }
  }
  if (additionalProperty !== undefined) {
    const field = nameOf([...path, additionalProperty])
    return { field, in: where, message: 'is not known here', rule }
  }
  const known = path.length === 0 ? where : nameInSchema(schema, path)
  return { field: nameOf(path) || where, in: where, message: messageOf(error), rule, known }
}

/** A rule of a length, in the words of all other routes; other rules as ajv says them. */
function messageOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const { limit } = params
  const noun = nouns.get(keyword)
  if (noun === undefined) return message
  return keyword.startsWith('min') ? atLeast(limit, noun) : atMost(limit, noun)
}

const nouns: ReadonlyMap<string, string> = new Map([
  ['minLength', 'character'],
  ['maxLength', 'character'],
  ['minItems', 'entry'],
  ['maxItems', 'entry'],
  ['minProperties', 'member'],
  ['maxProperties', 'member'],
])
