import { z } from 'zod'
import { shown } from '../../rest-facade/input.ts'
import { compact, type Json, membersOf } from './json.ts'

/** A part of a request as JSON Schema 2020-12, and which of its members are known nowhere else. */
export interface RequestSchema {
  readonly properties: Readonly<Record<string, Json>>
  readonly required: readonly string[]
  /** Whether members that are not named are refused. */
  readonly isClosed: boolean
}

/** What a zod object accepts, before conversions. `descriptions` are by member, for those without one. */
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

/** A zod schema as JSON Schema: of what it takes, or of what it makes. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const said = shown.get(zodSchema)
      if (said?.schema) {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
        Object.assign(jsonSchema, said.schema)
      }
      if (said?.description !== undefined) jsonSchema.description = said.description
      // The format says it, in fewer words.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  return json
}

function saidOf(object: z.ZodObject, name: string) {
  const schema = object.shape[name]
  return (schema && shown.get(schema)) ?? {}
}

/** Without null: in a query or a form nothing can say it. */
export function withoutNull(schema: Json): Json {
  const { type, default: initial, anyOf, ...others } = schema
  const rest = compact({ ...others, default: initial ?? undefined })
  if (Array.isArray(anyOf)) {
    const [only, ...more] = anyOf.filter((one) => membersOf(one).type !== 'null')
    return more.length === 0 ? { ...membersOf(only), ...rest } : { ...rest, anyOf: [only, ...more] }
  }
  if (!Array.isArray(type)) return compact({ type, ...rest })
  const types = type.filter((name) => name !== 'null')
  return { type: types.length === 1 ? types[0] : types, ...rest }
}
