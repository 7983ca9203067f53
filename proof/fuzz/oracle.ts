import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { newAjv } from '../../test/support/conformity/answers-conform.ts'
import type { ApiDocument, ApiOperation } from '../../test/support/conformity/api-document.ts'
import type { FuzzRequest, Pairs } from './requests.ts'
import { isRecord } from './schema-values.ts'

/** A field whose value the document does not allow. */
export interface BrokenField {
  readonly in: 'path' | 'query' | 'body' | 'header'
  readonly field: string
}

/** Every field of a request of this operation that is not as the document says. */
export type FindBroken = (request: FuzzRequest) => readonly BrokenField[]

/** Finds the faults of a request by the document: the gateway must name the same. */
export function createOracle(document: ApiDocument): (operation: ApiOperation) => FindBroken {
  const ajv = newAjv()
  ajv.addSchema(Object(document.root), 'document')
  return (operation) => {
    const parts = partChecks(operation, ajv)
    const body = bodyCheck(operation, ajv)
    return (request) => [
      ...parts.path(textPairs(request.path)),
      ...parts.query(request.query),
      ...parts.header(Object.entries(request.headers)),
      ...body(request),
    ]
  }
}

/** Ids of existing or possible objects are well-formed. */
function textPairs(path: FuzzRequest['path']): Pairs {
  return Object.entries(path).flatMap(([name, value]) =>
    value.kind === 'text' ? [[name, value.text] as const] : [],
  )
}

function partChecks(operation: ApiOperation, ajv: Ajv2020) {
  const checkOf = (place: BrokenField['in']) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place)
    const checks = parameters.map(({ name, required, schema }) => ({
      name,
      required,
      type: Object(schema).type,
      validate: compile(ajv, schema),
    }))
    const names = new Set(parameters.map(({ name }) => name))
    // The subgraph reports missing members once the present ones are well-formed.
    const isToldLater = /^\/v1\/oauth\/(authorize|consent)$/.test(operation.path)
    const isOpen = place !== 'query' || ignoresUnknown(operation)
    return (pairs: Pairs): BrokenField[] => {
      const byName = Map.groupBy(pairs, ([name]) => name)
      const unknown = isOpen ? [] : [...byName.keys()].filter((name) => !names.has(name))
      const broken = checks.filter(({ name, required, type, validate }) => {
        const [first, ...others] = byName.get(name) ?? []
        if (!first) return required && place === 'query' && !isToldLater
        return others.length > 0 || !validate(meantBy(first[1], type))
      })
      return [...unknown, ...broken.map(({ name }) => name)].map((field) => ({ in: place, field }))
    }
  }
  return { path: checkOf('path'), query: checkOf('query'), header: checkOf('header') }
}

/** OAuth ignores unknown parameters (RFC 6749 §3.1); health checks read none. */
export function ignoresUnknown({ path, raw }: ApiOperation): boolean {
  return raw['x-ignores-unknown-parameters'] === true || path === '/v1/ready'
}

/** The value of a text in an address: numbers and truth values have one way to be written. */
function meantBy(text: string, type: unknown): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function bodyCheck({ requestBody }: ApiOperation, ajv: Ajv2020): FindBroken {
  const broken = (field: string): BrokenField => ({ in: 'body', field })
  if (!requestBody) return () => []
  const validators = Object.entries(requestBody.content).map(
    ([type, { schema }]) => [type, compile(ajv, schema ?? {})] as const,
  )
  const ofForm = validators.find(([type]) => type.includes('form'))?.[1]
  const ofJson = validators.find(([type]) => type.includes('json'))?.[1]
  return ({ body }) => {
    if (body.kind === 'raw') return [broken('body')]
    if (body.kind === 'none') return ofJson ? brokenIn(ofJson, {}) : []
    if (body.kind === 'json') return ofJson ? brokenIn(ofJson, body.value) : []
    const twice = [...Map.groupBy(body.fields, ([name]) => name)].filter(
      ([, all]) => all.length > 1,
    )
    if (twice.length > 0) return twice.map(([name]) => broken(name))
    // An empty parameter counts as absent (RFC 6749 §3.1).
    const fields = Object.fromEntries(body.fields.filter(([, value]) => value !== ''))
    return ofForm ? brokenIn(ofForm, fields) : []
  }
}

function compile(ajv: Ajv2020, schema: unknown): ValidateFunction {
  return ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')),
  )
}

function brokenIn(validate: ValidateFunction, value: unknown): BrokenField[] {
  if (validate(value)) return []
  // No body but an object has fields.
  if (!isRecord(value)) return [{ in: 'body', field: 'body' }]
  const errors = withoutItems(withoutBranches(validate.errors ?? []))
  const fields = new Set(errors.map(fieldOf))
  return [...fields].map((field) => ({ in: 'body', field }))
}

const sizes = new Set(['maxItems', 'maxProperties', 'propertyNames'])

/**
 * Leaves out the errors of entries of a list or record that is too large: no entry of it need be looked at.
 */
function withoutItems(errors: readonly ErrorObject[]): ErrorObject[] {
  const tooLong = errors.filter(({ keyword }) => sizes.has(keyword))
  return errors.filter(({ instancePath }) =>
    tooLong.every((list) => !instancePath.startsWith(`${list.instancePath}/`)),
  )
}

/**
 * The errors without those of the branches of a choice that nothing fits, such as an object or
 * null: what is broken is inside of the value, or it is the whole value.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const isInside = (place: string) => (error: ErrorObject) =>
    error.instancePath.startsWith(`${place}/`) ||
    (error.instancePath === place && memberOf(error) !== undefined)
  return errors.filter((error) =>
    choices.every(({ instancePath: place }) => {
      const isOfPlace = error.instancePath === place && memberOf(error) === undefined
      return !isOfPlace || !errors.some(isInside(place))
    }),
  )
}

/** Missing and unknown fields, and names that are wrong themselves. */
function memberOf({ params, propertyName }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params
  return (
    missingProperty ??
    additionalProperty ??
    unevaluatedProperty ??
    params.propertyName ??
    propertyName
  )
}

function fieldOf(error: ErrorObject): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const member = memberOf(error)
  // A member may have the empty name; the whole has none.
  return member === undefined ? parts.join('.') || 'body' : [...parts, member].join('.')
}
