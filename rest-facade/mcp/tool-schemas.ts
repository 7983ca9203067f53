import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Operation } from '../../schema/catalog/operation.ts'
import { projectRoot } from '../../schema/process/project-root.ts'
import type { FreeToolName } from './free-tool-routes.ts'

/** JSON Schema 2020-12 of an object. */
export type ObjectSchema = Readonly<Record<string, unknown>>

/** What a tool takes and what it answers. */
export interface ToolSchemas {
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
}

/** The members of every priced tool that are no part of its request. */
const limits = {
  max_credits: {
    description: 'Refuse the call if it can cost more credits than this; nothing is then charged.',
    type: 'integer',
    minimum: 0,
  },
  idempotency_key: {
    description:
      'A text of your own choice that makes this a call of its own: the same call with the same key has its effect once. Without one, an equal call within 60 seconds gets the first answer again.',
    type: 'string',
    minLength: 1,
    maxLength: 255,
  },
}

/** Path, query and body of an operation as one flat object: the catalog names no member twice. */
export function productSchemas({ declared, price }: Operation): ToolSchemas {
  const { path, query, body } = declared.request
  const parts = [path, query, body].map(partOf)
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  const required = parts.flatMap((part) => part.required)
  const { description: _, ...rules } = Object(body)
  return {
    inputSchema: {
      ...rules,
      type: 'object',
      properties: price.maximum > 0 ? { ...properties, ...limits } : properties,
      ...(required.length > 0 && { required }),
      additionalProperties: body?.additionalProperties ?? false,
    },
    outputSchema: openSchema(declared.response.schema),
  }
}

/**
 * What an answer has at least: modules may add members, and a client must not refuse an answer that has been charged
 * (MCP, Tools, Output Schema).
 */
function openSchema(schema: ObjectSchema): ObjectSchema {
  return JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === 'additionalProperties' && value === false ? undefined : value,
    ),
  )
}

function partOf(schema: unknown) {
  const { properties = {}, required = [] } = Object(schema)
  return { properties, required }
}

const object = z.record(z.string(), z.unknown())
const freeSchemas = z.record(
  z.string(),
  z.object({ summary: z.string(), inputSchema: object, outputSchema: object }),
)

/** The schemas of the tools that are no product operations: `npm run schema` takes them from the OpenAPI document. */
export function readFreeSchemas() {
  const text = readFileSync(join(projectRoot, 'schema/generated/free-tools.json'), 'utf8')
  const found = freeSchemas.parse(JSON.parse(text))
  return (name: FreeToolName) => {
    const schemas = found[name]
    if (!schemas) throw new Error(`schema/generated/free-tools.json lacks ${name}.`)
    return { ...schemas, outputSchema: openSchema(schemas.outputSchema) }
  }
}
