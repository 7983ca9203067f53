import type { Finding } from '../report/finding.ts'
import { endpointsOf } from './openapi-endpoints.ts'

const file = 'schema/generated/openapi.json'

/** First words of descriptions: what an operation does. */
const verbs: ReadonlySet<string> = new Set(
  `Adds Approves Begins Buys Cancels Changes Confirms Counts Creates Deletes Drafts Enables Ends Exchanges Finds Issues Judges Lists
  Makes Orders Proves Reads Receives Registers Removes Replaces Resets Resumes Returns Reveals Revokes Sends Sets Shows
  Signs Starts Stops Stores Suspends Tracks Withdraws`.split(/\s+/),
)

/**
 * What programs that make clients or tools of the document could not use: operations whose description does not
 * begin with what they do, bodies that may be null, and schemas that a part keeps from being null.
 */
export function operationProblems(openapi: string): Finding[] {
  return [...unclear(openapi), ...nullBodies(openapi), ...lostNulls(openapi)].map(
    ({ id, message }) => ({
      ...{ id: `openapi/${id}`, severity: 'error', file, message },
    }),
  )
}

function unclear(openapi: string) {
  return endpointsOf(openapi).flatMap(({ route, pointer, operation }) => {
    const { description } = operation
    const [first = ''] = typeof description === 'string' ? description.split('\n\n') : []
    const isClear = verbs.has(first.split(' ', 1).join()) && /[.:](?: |$)/.test(first)
    if (isClear || !pointer.startsWith('#/paths/')) return []
    const message = `the description of ${route} must begin with what it does, as a sentence; tools/check/openapi/operation-rules.ts lists the verbs`
    return [{ id: `verb-first/${route}`, message }]
  })
}

function nullBodies(openapi: string) {
  const document: unknown = JSON.parse(openapi)
  const { schemas } = Object(Object(document).components)
  const takesNull = (schema: unknown): boolean => {
    const { type, anyOf = [], oneOf = [], $ref } = Object(schema)
    if (typeof $ref === 'string') return takesNull(Object(schemas)[$ref.split('/').at(-1) ?? ''])
    return [type].flat().includes('null') || [...anyOf, ...oneOf].some(takesNull)
  }
  const found = [...contentsIn(document, '#')].filter(({ schema }) => takesNull(schema))
  return found.map(({ pointer }) => ({
    id: `null-body/${pointer}`,
    message: `a body that may be null is lost by generators of clients; its description can say it (${pointer})`,
  }))
}

function lostNulls(openapi: string) {
  const isNull = ({ type }: { readonly type?: unknown }) => [type].flat().includes('null')
  const found = [...schemasWithParts(JSON.parse(openapi), '#')].filter(
    ({ schema }) => isNull(schema) && !schema.allOf.every((part) => isNull(Object(part))),
  )
  return found.map(({ pointer }) => ({
    id: `lost-null/${pointer}`,
    message: `a part of allOf has a type without null, so that null is refused (${pointer})`,
  }))
}

function* schemasWithParts(
  node: unknown,
  pointer: string,
): Generator<{ schema: { type?: unknown; allOf: readonly unknown[] }; pointer: string }> {
  if (typeof node !== 'object' || node === null) return
  if ('allOf' in node && Array.isArray(node.allOf)) {
    yield { schema: { ...node, allOf: node.allOf }, pointer }
  }
  for (const [name, member] of Object.entries(node)) {
    yield* schemasWithParts(
      member,
      `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    )
  }
}

/** The schemas of all bodies, wherever the document has them. */
function* contentsIn(
  node: unknown,
  pointer: string,
): Generator<{ schema: unknown; pointer: string }> {
  if (typeof node !== 'object' || node === null) return
  for (const [name, member] of Object.entries(node)) {
    if (name === 'example' || name === 'examples') continue
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (name === 'content') {
      for (const media of Object.values(Object(member))) {
        yield { schema: Object(media).schema, pointer: place }
      }
    }
    yield* contentsIn(member, place)
  }
}
