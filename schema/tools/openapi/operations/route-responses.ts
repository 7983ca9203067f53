import type { Route } from '../../../../rest-facade/route-kinds/route.ts'
import { takesIdempotencyKey } from '../../../../rest-facade/route-kinds/route.ts'
import type { ErrorCode } from '../../../vocabulary/error-codes.ts'
import type { Components } from '../components/components.ts'
import { type HeaderName, isHeaderName, responseHeaders } from '../components/headers.ts'
import { compact, type Json } from '../components/json.ts'
import { deprecationHeaderNames } from '../components/operation.ts'
import { errorResponses } from '../errors/error-responses.ts'

interface ResponseOptions {
  readonly components: Components
  /** Of a success. */
  readonly body: Json
  /** By status. */
  readonly examples: Readonly<Record<string, unknown>>
}

export function routeResponses(route: Route, options: ResponseOptions): Json {
  const { status = 200, page } = route
  const { components } = options
  return {
    [status]: success(route, options),
    ...(page && page !== 'sign-out' && { 303: redirection(route, components) }),
    ...errorResponses(
      {
        codes: refusalsOf(route),
        oauthErrors: route.oauthErrors,
        deprecated: route.deprecated,
        hasPage: page !== undefined && page !== 'sign-out',
        isAuthorization: page === 'authorize' || page === 'consent',
      },
      components,
    ),
  }
}

function success(route: Route, { components, body, examples }: ResponseOptions): Json {
  const { status = 200, page, headers = {} } = route
  const sure: HeaderName[] = [
    ...Object.keys(headers).filter(isHeaderName),
    ...(page === 'sign-in' || page === 'sign-out' ? (['Set-Cookie'] as const) : []),
    ...(route.sendsExport ? (['Content-Disposition'] as const) : []),
    ...deprecationHeaderNames(route),
  ]
  const possible: HeaderName[] = takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []
  const hasScreen = page === 'authorize'
  return {
    description: `${route.summary}.`,
    headers: responseHeaders(components, sure, possible),
    content: route.sendsExport
      ? { 'text/csv': { schema: { type: 'string' } } }
      : {
          'application/json': compact({ schema: body, example: examples[status] }),
          ...(hasScreen && { 'text/html': { schema: { type: 'string' } } }),
        },
  }
}

/** A browser that prefers pages is redirected. */
function redirection(route: Route, components: Components): Json {
  const cookie = route.page === 'sign-in' ? (['Set-Cookie'] as const) : []
  return {
    description: 'A browser that prefers pages is sent on.',
    headers: responseHeaders(components, ['Location', ...cookie, ...deprecationHeaderNames(route)]),
  }
}

/** Every error code that the facade or the subgraph can answer. */
function refusalsOf(route: Route): ErrorCode[] {
  const { scope, caller, params, refusals = [] } = route
  const isKnown = scope !== undefined || caller === 'owner'
  const isChange = takesIdempotencyKey(route)
  const codes: ErrorCode[] = [
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    ...(isKnown ? whoCalls : []),
    ...(params ? (['NOT_FOUND'] as const) : []),
    ...(readsBody(route) ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(checksInput(route) ? (['INVALID_REQUEST'] as const) : []),
    ...refusals,
    ...(isChange ? (['IDEMPOTENCY_CONFLICT', 'BACKEND_TIMEOUT'] as const) : []),
  ]
  return [...new Set(codes)]
}

export const whoCalls = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_API_KEY',
  'IP_NOT_ALLOWED',
  'FORBIDDEN',
] as const

function readsBody({ body, takesTokenForm }: Route): boolean {
  return body !== undefined || takesTokenForm === true
}

/** An operation that ignores all input cannot answer 422. */
function checksInput(route: Route): boolean {
  const { query, params } = route
  const ignoresQuery = query && Object.keys(query.shape).length === 0 && !query.def.catchall
  return params !== undefined || readsBody(route) || !ignoresQuery
}
