import type { Components } from './components.ts'
import type { Json } from './json.ts'

const count = { type: 'integer', minimum: 0 }
const text = { type: 'string' }

interface DocumentedHeader {
  readonly description: string
  readonly schema: Json
  readonly example?: unknown
}

/** Every header that an answer may have beyond those of HTTP itself. */
const headers = {
  'X-Request-Id': {
    description: 'Names this request: `request_id` of its usage-log entry and of an error.',
    schema: { type: 'string', pattern: '^req_' },
    example: 'req_01kg8mz2kqe7vtf0pm6n5d3c4b',
  },
  'X-RateLimit-Limit': {
    description: 'Requests per second that are allowed.',
    schema: count,
    example: 100,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left in this second.',
    schema: count,
    example: 99,
  },
  'X-RateLimit-Reset': {
    description: 'When the count starts again, in Unix seconds.',
    schema: count,
    example: 1893456000,
  },
  'X-Credits-Charged': {
    description: 'Credits that this request cost; 0 in the sandbox and for a failure.',
    schema: count,
    example: 5,
  },
  'X-Credits-Remaining': {
    description: 'Credits that are available after it.',
    schema: { type: 'integer' },
    example: 995,
  },
  'X-Budget-Remaining': {
    description:
      'Credits that the tightest budget of the caller has left; below 0 after its limit was lowered. Only for a caller that has budgets.',
    schema: { type: 'integer' },
    example: 98,
  },
  'Idempotent-Replayed': {
    description: 'This is the answer to an earlier request with the same idempotency key.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate, or which scope is missing (RFC 6750 §3).',
    schema: text,
    example: 'Bearer',
  },
  Allow: { description: 'The methods that the path has.', schema: text, example: 'GET, HEAD' },
  'Accept-Encoding': {
    description:
      'The compressions of a body that the endpoint reads. Only if the `Content-Encoding` of the request is another.',
    schema: text,
    example: 'gzip, deflate, br, zstd',
  },
  Location: {
    description: 'Where the browser is sent.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Set-Cookie': { description: 'The session of the browser, or its end.', schema: text },
  'Clear-Site-Data': {
    description: 'The data of this origin that the browser forgets: never its cookies.',
    schema: text,
  },
  'Content-Disposition': { description: 'The name of the file.', schema: text },
  ETag: { description: 'Names this state of the document.', schema: text },
  'Cache-Control': { description: 'For how long the answer may be kept.', schema: text },
  Pragma: { description: '`no-cache`, as RFC 6749 §5.1 wants it.', schema: text },
  Deprecation: {
    description: 'Since when the operation is deprecated: `@` and Unix seconds (RFC 9745).',
    schema: { type: 'string', pattern: String.raw`^@\d+$` },
  },
  Sunset: { description: 'From when on it may be gone, as an HTTP date (RFC 8594).', schema: text },
  Link: {
    description: 'The page about the deprecation, and the operation that takes its place.',
    schema: text,
  },
} satisfies Readonly<Record<string, DocumentedHeader>>

export type HeaderName = keyof typeof headers

/** The headers of every answer (docs/contract.md §3). */
const standing: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

function isHeaderName(name: string): name is HeaderName {
  return Object.hasOwn(headers, name)
}

/** The headers of these names. A name that this file does not describe is a mistake. */
export function headerNames(names: readonly string[]): HeaderName[] {
  return names.map((name) => {
    if (!isHeaderName(name)) throw new Error(`Describe the header ${name} in headers.ts.`)
    return name
  })
}

/**
 * The headers of a response: those of every answer, those that are always set, and those that may
 * be set.
 */
export function responseHeaders(
  components: Components,
  sure: readonly HeaderName[] = [],
  possible: readonly HeaderName[] = [],
): Json {
  const certain = [...standing, ...sure].map(
    (name) => [name, header(components, name, true)] as const,
  )
  const rest = possible
    .filter((name) => !sure.includes(name))
    .map((name) => [name, header(components, name, false)] as const)
  return Object.fromEntries([...certain, ...rest])
}

function header(components: Components, name: HeaderName, isSure: boolean): Json {
  const component = `${name.replaceAll('-', '')}${isSure ? '' : 'Sometimes'}`
  return components.add('headers', component, { required: isSure, ...headers[name] })
}
