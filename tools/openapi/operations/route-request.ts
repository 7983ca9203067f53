import type { Route } from '../../../rest-facade/routes/kinds/kind.ts'
import {
  formType,
  type RequestBody,
} from '../../../rest-facade/routes/kinds/openapi/openapi-part.ts'
import { takesIdempotencyKey } from '../../../rest-facade/routes/kinds/route.ts'
import { bodyText } from '../components/body-text.ts'
import type { Components } from '../components/components.ts'
import { compact, type Json } from '../components/json.ts'
import { endUserParameter, idempotencyParameters, parametersIn } from '../components/parameters.ts'
import { type RequestSchema, requestSchema, withoutNull } from '../components/request-schema.ts'
import { requestNames } from '../graphql/names.ts'

interface RouteRequest {
  readonly parameters: readonly Json[]
  readonly requestBody?: Json
}

interface RequestOptions {
  readonly components: Components
  /** Descriptions of members, from the graph. */
  readonly descriptions: ReadonlyMap<string, string>
  readonly example: unknown
}

/** Kinds of routes that only callers of accounts may ask. */
const callersOfAccounts: ReadonlySet<Route['kind']> = new Set(['account', 'userinfo'])

export function routeRequest(route: Route, options: RequestOptions): RouteRequest {
  const { components, descriptions } = options
  const { params, query } = route
  return {
    parameters: [
      ...(params ? parametersIn('path', requestSchema(params, descriptions)) : []),
      ...(query ? parametersIn('query', requestSchema(query, descriptions)) : []),
      ...(route.openapi.headers ?? []).map(({ name, ...header }) => ({
        name,
        in: 'header',
        ...header,
      })),
      ...(takesIdempotencyKey(route) ? idempotencyParameters(components) : []),
      ...(callersOfAccounts.has(route.kind) ? [endUserParameter(components)] : []),
    ],
    requestBody: requestBody(route, options),
  }
}

function requestBody(route: Route, options: RequestOptions): Json | undefined {
  const part = route.openapi.requestBody
  if (!part) return undefined
  const request = route.body && requestSchema(route.body, options.descriptions)
  const { required = (request?.required ?? []).length > 0, takesNull } = part
  const use = { isRequired: required, takesNull, isForm: formType in part.content }
  const { description = request && bodyText(request, use) } = part
  const media = Object.entries(part.content).map(([mediaType, { schema, example, ...media }]) => [
    mediaType,
    compact({
      schema: schema ?? rowSchema({ route, request, mediaType, media }, options.components),
      example: example ?? options.example,
    }),
  ])
  return { description, required, content: Object.fromEntries(media) }
}

interface RowBody {
  readonly route: Route
  readonly request: RequestSchema | undefined
  readonly mediaType: string
  readonly media: RequestBody['content'][string]
}

/** The schema of a body that the row describes. */
function rowSchema({ route, request, mediaType, media }: RowBody, components: Components): Json {
  const { operation, summary } = route
  if (!request) throw new Error(`The route of ${operation} describes no body.`)
  const { properties, required, isClosed } = request
  const members = Object.entries({ ...properties, ...media.moreMembers })
  return components.add(
    'schemas',
    requestNames[operation] ?? `${operation}Request`,
    compact({
      type: 'object',
      description: `The body of the request: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`,
      properties: Object.fromEntries(
        members.map(([name, member]) => [
          name,
          mediaType === formType ? withoutNull(member) : member,
        ]),
      ),
      required: required.length > 0 ? required : undefined,
      additionalProperties: isClosed ? false : undefined,
    }),
  )
}
