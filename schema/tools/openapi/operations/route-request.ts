import { type Route, takesIdempotencyKey } from '../../../../rest-facade/route-kinds/route.ts'
import type { Components } from '../components/components.ts'
import { compact, type Json } from '../components/json.ts'
import { idempotencyParameters, parametersIn } from '../components/parameters.ts'
import { type RequestSchema, requestSchema, withoutNull } from '../components/request-schema.ts'
import { requestNames } from '../graphql/names.ts'

interface RouteRequest {
  readonly parameters: readonly Json[]
  readonly requestBody?: Json
}

interface RequestOptions {
  readonly components: Components
  /** The description of each member in the graph. */
  readonly descriptions: ReadonlyMap<string, string>
  readonly example: unknown
}

const formType = 'application/x-www-form-urlencoded'

export function routeRequest(route: Route, options: RequestOptions): RouteRequest {
  const { components, descriptions } = options
  const { params, query } = route
  return {
    parameters: [
      ...(params ? parametersIn('path', requestSchema(params, descriptions)) : []),
      ...(query ? parametersIn('query', requestSchema(query, descriptions)) : []),
      ...(route.isSigned ? [signature] : []),
      ...(takesIdempotencyKey(route) ? idempotencyParameters(components) : []),
    ],
    requestBody: requestBody(route, options),
  }
}

/** The path decides which header is used, and OpenAPI cannot express that. */
const signature: Json = {
  name: 'Stripe-Signature',
  in: 'header',
  description: 'The signature of the provider that the path names: `<provider>-Signature`.',
  schema: { type: 'string' },
}

function requestBody(route: Route, options: RequestOptions): Json | undefined {
  if (route.isSigned) return signedBody(options.example)
  if (route.takesTokenForm) return tokenForm(options.example)
  if (!route.body) return undefined
  const request = requestSchema(route.body, options.descriptions)
  if (route.page === 'sign-in')
    return signInBody(bodySchema(route, request, options), options.example)
  const hasRequired = request.required.length > 0
  const isRequired = hasRequired || route.needsBody === true
  const schema = bodySchema(route, request, options)
  const media = compact({
    schema: route.takesNullBody ? { anyOf: [schema, { type: 'null' }] } : schema,
    example: options.example,
  })
  return {
    description: describeBody({ isRequired, hasRequired }),
    required: isRequired,
    content: { [route.isForm ? formType : 'application/json']: media },
  }
}

function describeBody(body: { readonly isRequired: boolean; readonly hasRequired: boolean }) {
  if (!body.isRequired) return 'Nothing at all is taken for `{}`.'
  return body.hasRequired ? 'Needed.' : 'Needed; `{}` will do.'
}

function bodySchema(route: Route, request: RequestSchema, { components }: RequestOptions): Json {
  const { properties, required, isClosed } = request
  const asForm = (schema: Json) => (route.isForm ? withoutNull(schema) : schema)
  const name = requestNames[route.operation] ?? `${route.operation}Request`
  const fields = route.isForm ? { ...properties, ...clientFields } : properties
  return components.add(
    'schemas',
    name,
    compact({
      type: 'object',
      description: `What is sent: ${route.summary.charAt(0).toLowerCase()}${route.summary.slice(1)}.`,
      properties: Object.fromEntries(
        Object.entries(fields).map(([field, schema]) => [field, asForm(schema)]),
      ),
      required: required.length > 0 ? required : undefined,
      additionalProperties: isClosed ? false : undefined,
    }),
  )
}

/** The form members with which an app authenticates without the header (RFC 6749 §2.3.1). */
const clientFields: Readonly<Record<string, Json>> = {
  client_id: { type: 'string', description: 'The app, where the header does not name it.' },
  client_secret: {
    type: 'string',
    description: 'Of a confidential app that does not use the header.',
  },
}

/** The body depends on the provider, and only the provider's signature can be checked. */
function signedBody(example: unknown): Json {
  const schema = { type: 'object', additionalProperties: true }
  return {
    description: 'What the provider has signed, byte for byte.',
    required: true,
    content: { 'application/json': compact({ schema, example }) },
  }
}

/** RFC 6750 §2.2 */
function tokenForm(example: unknown): Json {
  return {
    description: 'The access token, where it is not in the header.',
    required: false,
    content: {
      [formType]: compact({
        schema: {
          type: 'object',
          properties: { access_token: { type: 'string', description: 'The access token.' } },
        },
        example,
      }),
    },
  }
}

/** Only the sign-in page sends a form. */
function signInBody(json: Json, example: unknown): Json {
  return {
    description: 'Empty; or the form of the sign-in page.',
    required: false,
    content: {
      'application/json': compact({ schema: json, example }),
      [formType]: {
        schema: {
          type: 'object',
          properties: {
            api_key: { type: 'string', description: 'The key, in place of the header.' },
            return_to: { type: 'string', description: 'The query of the screen to return to.' },
          },
        },
        example: {
          api_key: 'svc_live_00000000000000000000000000000000EXAMPLE',
          return_to: 'response_type=code&client_id=app_01kf0x4v2e5n8p0q3r5s7t9w10',
        },
      },
    },
  }
}
