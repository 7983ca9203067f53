import type { PageRoute } from '../../../rest-facade/pages/docs/page-routes.ts'
import type { Components } from '../components/components.ts'
import type { Examples } from '../components/examples.ts'
import { responseHeaders } from '../components/headers.ts'
import { compact, type Json, membersOf } from '../components/json.ts'
import { operationObject } from '../components/operation.ts'
import { ifNoneMatch } from '../components/parameters.ts'
import { pagesTag } from '../components/tags.ts'
import { errorResponses } from '../errors/error-responses.ts'
import { namedAnswer } from './route-operation.ts'

/**
 * The OpenAPI operation of a page of the documentation. It does not describe the text of the page.
 */
export function pageOperation(route: PageRoute, components: Components, examples: Examples): Json {
  const { operationId, summary, description, param, redirect, hasTag = true } = route
  const canBeMissing = param !== undefined || route.canBeOff === true
  const headers = responseHeaders(components, hasTag ? ['ETag', 'Cache-Control'] : [])
  return operationObject({
    operationId,
    tag: pagesTag,
    description: [description],
    security: [],
    parameters: [
      ...(param ? [{ ...param, in: 'path', required: true, schema: { type: 'string' } }] : []),
      ...(hasTag ? [ifNoneMatch] : []),
    ],
    responses: {
      200: { description: `${summary}.`, headers, content: contentOf(route, components, examples) },
      ...(hasTag && { 304: { description: 'It is still the same.', headers } }),
      ...(redirect && {
        [redirect.status]: {
          description: redirect.description,
          headers: responseHeaders(components, ['Location']),
        },
      }),
      ...errorResponses(
        {
          codes: [
            ...(canBeMissing ? (['NOT_FOUND'] as const) : []),
            ...(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
          ],
          hasPage: canBeMissing,
        },
        components,
      ),
    },
    extensions: { 'x-extension': true },
  })
}

function contentOf(
  { operationId, contentTypes, answer }: PageRoute,
  components: Components,
  examples: Examples,
): Json {
  const described = answer && {
    schema: namedAnswer(answer.schema, answer.name, components),
    example: examples[operationId]?.responses[200],
  }
  return Object.fromEntries(
    contentTypes.map((type) => [
      type,
      compact(
        type === 'application/json'
          ? (described ?? { schema: { type: 'object' } })
          : { schema: { type: 'string' } },
      ),
    ]),
  )
}

/** Removes the pages from the document, because they are for readers and not for programs. */
export function withoutPages(document: Json): Json {
  const isPage = (operation: unknown) =>
    [membersOf(operation).tags].flat().some((tag) => tag === pagesTag)
  const paths = Object.entries(membersOf(document.paths)).filter(
    ([, item]) => !Object.values(membersOf(item)).some(isPage),
  )
  const tags = [document.tags].flat().filter((tag) => membersOf(tag).name !== pagesTag)
  return { ...document, paths: Object.fromEntries(paths), tags }
}
