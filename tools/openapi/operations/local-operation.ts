import type { LocalRoute } from '../../../rest-facade/routes/local.ts'
import type { ErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import type { Components } from '../components/components.ts'
import type { Examples } from '../components/examples.ts'
import { responseHeaders } from '../components/headers.ts'
import { compact, type Json } from '../components/json.ts'
import { operationObject } from '../components/operation.ts'
import { ifNoneMatch, parametersIn } from '../components/parameters.ts'
import { requestSchema } from '../components/request-schema.ts'
import { tagOf } from '../components/tags.ts'
import { errorResponses } from '../errors/error-responses.ts'
import { namedAnswer } from './route-operation.ts'

interface LocalOptions {
  readonly components: Components
  readonly examples: Examples
}

/** The OpenAPI operation of a route that the facade answers by itself. */
export function localOperation(route: LocalRoute, { components, examples }: LocalOptions): Json {
  const { operationId, query, answer, answerName, hasTag } = route
  const headers = responseHeaders(components, hasTag ? ['ETag', 'Cache-Control'] : [])
  const example = examples[operationId]?.responses[200]
  return operationObject({
    operationId,
    tag: tagOf(route.path),
    description: [route.description],
    security: [],
    parameters: [
      ...(query ? parametersIn('query', requestSchema(query, new Map())) : []),
      ...(hasTag ? [ifNoneMatch] : []),
    ],
    responses: {
      200: {
        description: `${route.summary}.`,
        headers,
        content: {
          'application/json': compact({
            schema: namedAnswer(answer, answerName, components),
            example,
          }),
        },
      },
      ...(hasTag && { 304: { description: 'It is still the same.', headers } }),
      ...errorResponses({ codes: codesOf(route) }, components),
    },
    extensions: compact({ 'x-extension': route.isExtension }),
  })
}

function codesOf({ query, isNeverRefused }: LocalRoute): ErrorCode[] {
  return [
    ...(query ? (['INVALID_REQUEST'] as const) : []),
    ...(isNeverRefused ? [] : (['RATE_LIMIT_EXCEEDED'] as const)),
    ...(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
  ]
}
