import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from 'graphql'
import type { z } from 'zod'
import { freeToolRoutes } from '../../../rest-facade/mcp/free-tool-routes.ts'
import type { Route } from '../../../rest-facade/routes/kinds/kind.ts'
import type { Components } from '../components/components.ts'
import type { Examples } from '../components/examples.ts'
import { camelCase, compact, type Json } from '../components/json.ts'
import { operationObject } from '../components/operation.ts'
import { jsonSchemaOf } from '../components/request-schema.ts'
import { tagOf } from '../components/tags.ts'
import { inRestWords } from '../graphql/rest-words.ts'
import { bodySchema } from '../graphql/selection.ts'
import { variableDescriptions } from '../graphql/variables.ts'
import { routeRequest } from './route-request.ts'
import { routeResponses } from './route-responses.ts'

export interface RouteOptions {
  readonly schema: GraphQLSchema
  /** Persisted operations by name. */
  readonly documents: ReadonlyMap<string, DocumentNode>
  readonly components: Components
  readonly examples: Examples
}

/** The OpenAPI operation of a route. Its kind has made the part that differs between kinds. */
export function routeOperation(route: Route, options: RouteOptions): Json {
  const { schema, documents, components, examples } = options
  const document = documents.get(route.operation)
  if (!document) throw new Error(`No persisted operation is named ${route.operation}.`)
  const operationId = route.operationId ?? camelCase(route.operation)
  const example = examples[operationId]
  const descriptions = variableDescriptions(document, schema)
  return operationObject({
    operationId,
    tag: tagOf(route.path),
    description: descriptionOf(route, document, schema),
    security: route.openapi.security,
    ...routeRequest(route, { components, descriptions, example: example?.request }),
    responses: routeResponses(route, {
      components,
      body: answerSchema(route, document, options),
      examples: example?.responses ?? {},
    }),
    deprecated: route.deprecated,
    extensions: compact({
      ...route.openapi.extensions,
      'x-operation': route.operation,
      'x-mcp-tool': toolOf(route),
      'x-extension': route.isExtension,
      'x-ignores-unknown-parameters': ignoresUnknown(route) || undefined,
    }),
  })
}

/** The tool of agents that is this route. */
function toolOf({ method, path }: Route): string | undefined {
  const tools = Object.entries(freeToolRoutes)
  return tools.find(([, tool]) => tool.method === method && tool.path === `/v1${path}`)?.[0]
}

function ignoresUnknown({ query }: Route): boolean {
  return query !== undefined && query.def.catchall === undefined
}

/** The schema of a body in JSON; none where the body is no JSON. */
function answerSchema(
  route: Route,
  document: DocumentNode,
  options: RouteOptions,
): Json | undefined {
  const { json } = route.openapi.success
  if (!json) return undefined
  const { schema, leavesOutNull = false, withheld = [] } = json
  if (schema) return namedAnswer(schema, `${route.operation}Answer`, options.components)
  return bodySchema(document, { ...options, leavesOutNull, withheld })
}

/** The schema of an answer that zod describes. */
export function namedAnswer(answer: z.ZodObject, name: string, components: Components): Json {
  return components.add('schemas', name, jsonSchemaOf(answer, 'output'))
}

function descriptionOf(route: Route, document: DocumentNode, schema: GraphQLSchema): string[] {
  const { description = graphDescription(document, schema) ?? `${route.summary}.` } = route
  return [description, ...(route.openapi.notes ?? [])]
}

/** The description of the root field `result`. */
function graphDescription(document: DocumentNode, schema: GraphQLSchema): string | undefined {
  const operation = getOperationAST(document)
  const root = operation && schema.getRootType(operation.operation)
  const fields = operation?.selectionSet.selections ?? []
  for (const field of fields) {
    if (field.kind !== Kind.FIELD || field.alias?.value !== 'result') continue
    const description = root?.getFields()[field.name.value]?.description
    return description ? inRestWords(description) : undefined
  }
  return undefined
}
