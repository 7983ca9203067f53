import { z } from 'zod'
import { shown } from '../../../rest-facade/http/input.ts'
import { compact, type Json, membersOf } from './json.ts'

/** A part of a request as JSON Schema 2020-12. */
export interface RequestSchema {
  readonly properties: Readonly<Record<string, Json>>
  readonly required: readonly string[]
  /** Whether the gateway refuses members that are not named. */
  readonly isClosed: boolean
}

/**
 * The input of a zod object, before conversions. `descriptions` are for members that have none of
 * their own.
 */
export function requestSchema(
  object: z.ZodObject,
  descriptions: ReadonlyMap<string, string>,
): RequestSchema {
  const json = jsonSchemaOf(object, 'input')
  const given = Array.isArray(json.required) ? json.required : []
  const names = Object.keys(object.shape).filter((name) => !saidOf(object, name).isForbidden)
  const properties = names.map((name) => {
    const schema = membersOf(membersOf(json.properties)[name])
    const description = schema.description ?? descriptions.get(name)
    return [name, description === undefined ? schema : { ...schema, description }] as const
  })
  return {
    properties: Object.fromEntries(properties),
    required: names.filter((name) => given.includes(name) || saidOf(object, name).isRequired),
    isClosed: json.additionalProperties === false,
  }
}

/** A zod schema as JSON Schema, of its input or of its output. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => show(zodSchema, jsonSchema),
  })
  return json
}

/** Applies `shown` to a schema: it replaces or completes what zod writes. */
function show(schema: z.core.$ZodTypes, json: Record<string, unknown>): void {
  const said = shown.get(schema)
  if (said?.schema) replace(json, said.schema)
  if (said?.description !== undefined) json.description = said.description
  // zod writes no default for a schema with a conversion.
  if (schema._zod.def.type === 'default' && schema._zod.def.defaultValue !== null) {
    if (!said?.isRequired) json.default ??= schema._zod.def.defaultValue
  }
  if (schema._zod.def.type === 'nullable') replace(json, withNullInside(json))
  // The format says the same in fewer words, and zod's patterns look ahead.
  if (json.format !== undefined) delete json.pattern
  const { type, allOf } = json
  // A part without a type is any value to a generator of clients; the type of the whole may have become null, too.
  if (Array.isArray(allOf)) json.allOf = allOf.map((part) => ({ ...membersOf(part), type }))
}

function replace(json: Record<string, unknown>, others: Json): void {
  for (const key of Object.keys(json)) delete json[key]
  Object.assign(json, others)
}

/** Joins a schema and null into one schema with two types. */
function withNullInside({ anyOf, ...others }: Json): Json {
  const [one, ...rest] = Array.isArray(anyOf) ? anyOf : []
  const { type, enum: values, ...checks } = membersOf(one)
  if (typeof type !== 'string' || rest.length !== 1) return compact({ anyOf, ...others })
  const list = Array.isArray(values) ? [...values, null] : undefined
  return compact({ type: [type, 'null'], enum: list, ...checks, ...others })
}

function saidOf(object: z.ZodObject, name: string) {
  const schema = object.shape[name]
  return (schema && shown.get(schema)) ?? {}
}

/** Removes null, because a query or a form cannot express it. */
export function withoutNull(schema: Json): Json {
  const { type, default: usual, ...others } = schema
  if (!Array.isArray(type)) return schema
  const types = type.filter((name) => name !== 'null')
  const given = usual === null ? undefined : usual
  return compact({ type: types.length === 1 ? types[0] : types, default: given, ...others })
}
