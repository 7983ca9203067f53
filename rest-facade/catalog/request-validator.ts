import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FieldError } from '../../schema/error-codes.ts'
import { pointerParts } from './json-pointer.ts'

type Fields = Readonly<Record<string, unknown>>

/** A checked request: defaults filled in, numbers of the query made numbers. */
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
  /** What it checks by. */
  readonly schemas: RequestSchemas
  /** The checked request, or every offending field. */
  check(raw: RawRequest): RequestInput | readonly FieldError[]
}

export interface RequestSchemas {
  readonly path?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: Record<string, unknown>
}

const options = { allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true } as const
const bodyAjv = withFormats(new Ajv2020(options))
/** What stands in a path or query is text, so it may become what the schema asks for. */
const textAjv = withFormats(new Ajv2020({ ...options, coerceTypes: true }))

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv)
  return ajv
}

const nothing = { type: 'object', additionalProperties: false }

/** Compiles the schemas of one operation; throws when one of them is not valid JSON Schema. */
export function requestValidator(schemas: RequestSchemas): RequestValidator {
  const { path, query, body } = schemas
  const checkPath = textAjv.compile<Fields>(path ?? nothing)
  const checkQuery = textAjv.compile<Fields>(query ?? nothing)
  const checkBody = bodyAjv.compile<Fields>(body ?? nothing)
  return {
    hasBody: body !== undefined,
    schemas,
    check(raw) {
      // Defaults and conversions are written into what is checked, so it is ours to change.
      const given = { path: { ...fields(raw.path) }, query: { ...fields(raw.query) } }
      const sent = raw.body ?? {}
      const errors = [
        ...problems(checkPath, given.path, 'path'),
        ...problems(checkQuery, given.query, 'query'),
        ...problems(checkBody, sent, 'body'),
      ]
      return errors.length > 0 ? errors : { ...given, body: fields(sent) }
    },
  }
}

export type SchemaPart = 'path' | 'query' | 'body' | 'response'

interface SchemaProblem {
  /** Below the schema. */
  readonly path: readonly string[]
  readonly message: string
}

/** What keeps this from being a JSON Schema, once for each place in it. */
export function schemaProblems(part: SchemaPart, schema: Fields): readonly SchemaProblem[] {
  const ajv = part === 'path' || part === 'query' ? textAjv : bodyAjv
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

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function problems(
  validate: ValidateFunction,
  value: unknown,
  where: FieldError['in'],
): FieldError[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map((error) => toFieldError(error, where))
}

function toFieldError(error: ErrorObject, where: FieldError['in']): FieldError {
  const path = error.instancePath.split('/').slice(1)
  const { missingProperty, additionalProperty } = error.params
  if (missingProperty !== undefined) {
    return { field: [...path, missingProperty].join('.'), in: where, message: 'is required' }
  }
  if (additionalProperty !== undefined) {
    const field = [...path, additionalProperty].join('.')
    return { field, in: where, message: 'is not known here' }
  }
  return { field: path.join('.') || where, in: where, message: error.message ?? 'is not valid' }
}
