import { freeToolRoutes } from '../../rest-facade/mcp/free-tool-routes.ts'
import { compact, type Json, membersOf } from '../openapi/components/json.ts'

/** The schemas of the tools that are no product operations, as the OpenAPI document has those of their routes. */
export function freeTools(document: Json): Json {
  const entries = Object.entries(freeToolRoutes).map(([name, { method, path }]) => {
    const operation = membersOf(at(document, ['paths', path, method]))
    const answer = at(operation, ['responses', '200', 'content', 'application/json', 'schema'])
    const { description: _, ...outputSchema } = membersOf(whole(answer, document))
    const inputSchema = inputOf(operation, document)
    return [name, { summary: operation.summary, inputSchema, outputSchema }]
  })
  return Object.fromEntries(entries)
}

function inputOf(operation: Json, document: Json): Json {
  const body = at(operation, ['requestBody', 'content', 'application/json', 'schema'])
  if (body !== undefined) {
    const { description: _, ...schema } = membersOf(whole(body, document))
    return schema
  }
  const inQuery = [operation.parameters]
    .flat()
    .map((parameter) => membersOf(whole(parameter, document)))
    .filter((parameter) => parameter.in === 'query')
  const required = inQuery.filter((one) => one.required === true).map(({ name }) => name)
  return compact({
    type: 'object',
    properties: Object.fromEntries(
      inQuery.map(({ name, schema, description }) => [
        name,
        compact({ description, ...membersOf(schema) }),
      ]),
    ),
    required: required.length > 0 ? required : undefined,
    additionalProperties: false,
  })
}

function at(node: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, name) => membersOf(inside)[name], node)
}

/** A schema with its references replaced by what they name: a tool has no components. */
function whole(node: unknown, document: Json): unknown {
  if (Array.isArray(node)) return node.map((one) => whole(one, document))
  if (typeof node !== 'object' || node === null) return node
  const { $ref: reference, ...others } = membersOf(node)
  if (typeof reference !== 'string') {
    const members = Object.entries(others)
    return Object.fromEntries(members.map(([name, one]) => [name, whole(one, document)]))
  }
  const named = whole(at(document, reference.slice(2).split('/')), document)
  return { ...membersOf(named), ...others }
}
