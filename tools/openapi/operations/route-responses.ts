import type { Route } from '../../../rest-facade/routes/kinds/kind.ts'
import { takesIdempotencyKey } from '../../../rest-facade/routes/kinds/route.ts'
import type { ErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import type { Components } from '../components/components.ts'
import { type HeaderName, headerNames, responseHeaders } from '../components/headers.ts'
import { compact, type Json } from '../components/json.ts'
import { deprecationHeaderNames } from '../components/operation.ts'
import { errorResponses } from '../errors/error-responses.ts'

interface ResponseOptions {
  readonly components: Components
  /** The schema of a success in JSON; none where the body is no JSON. */
  readonly body: Json | undefined
  /** Examples by status. */
  readonly examples: Readonly<Record<string, unknown>>
}

export function routeResponses(route: Route, options: ResponseOptions): Json {
  const { status = 200, deprecated, openapi } = route
  const { oauthErrors, refusesWithPage: hasPage, isAuthorization } = openapi
  const { components } = options
  return {
    [status]: success(route, status, options),
    ...(route.isLater !== undefined && { 202: success(route, 202, options) }),
    ...(openapi.redirect && { 303: redirection(route, openapi.redirect, components) }),
    ...errorResponses(
      { codes: refusalsOf(route), oauthErrors, deprecated, hasPage, isAuthorization },
      components,
    ),
  }
}

function success(
  route: Route,
  status: number,
  { components, body, examples }: ResponseOptions,
): Json {
  const { summary, openapi } = route
  const { headers = [], texts = [], binaries = [] } = openapi.success
  const sure = [...headerNames(headers), ...deprecationHeaderNames(route)]
  const possible: HeaderName[] = takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []
  const json = body && { 'application/json': compact({ schema: body, example: examples[status] }) }
  const others = [
    ...texts.map((type) => [type, { schema: { type: 'string' } }]),
    ...binaries.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
  ]
  return {
    description: `${summary}.`,
    headers: responseHeaders(components, sure, possible),
    content: { ...json, ...Object.fromEntries(others) },
  }
}

function redirection(route: Route, headers: readonly string[], components: Components): Json {
  return {
    description: 'A browser that prefers pages is sent on.',
    headers: responseHeaders(components, [
      ...headerNames(headers),
      ...deprecationHeaderNames(route),
    ]),
  }
}

/** Every code that the steps of the route, or the subgraph, can end with. */
function refusalsOf(route: Route): ErrorCode[] {
  const { params, openapi } = route
  const hasBody = openapi.requestBody !== undefined
  const codes: ErrorCode[] = [
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    ...(params ? (['NOT_FOUND'] as const) : []),
    ...(hasBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(checksInput(route) ? (['INVALID_REQUEST'] as const) : []),
    ...(openapi.refusals ?? []),
    ...(takesIdempotencyKey(route) ? (['IDEMPOTENCY_CONFLICT', 'BACKEND_TIMEOUT'] as const) : []),
  ]
  return [...new Set(codes)]
}

/** Whether a request can be an INVALID_REQUEST: it cannot if the route ignores all of its input. */
function checksInput({ query, params, openapi }: Route): boolean {
  if (openapi.hasOwnInputErrors) return false
  const ignoresQuery = query && Object.keys(query.shape).length === 0 && !query.def.catchall
  return params !== undefined || openapi.requestBody !== undefined || !ignoresQuery
}
