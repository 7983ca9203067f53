import type { Operation } from './operations/operation.ts'

/** A request, which is the same in each attempt. */
export interface OutgoingRequest {
  readonly url: string
  readonly body: string | null
  readonly contentType: string | null
}

type Members = Readonly<Record<string, unknown>>

/**
 * Puts each member of the input into its place of the operation. Throws TypeError for an impossible
 * path.
 */
export function outgoingRequest(
  baseUrl: string,
  operation: Operation,
  input: Members,
): OutgoingRequest {
  const { path, query = [], body } = operation
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const take = (name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, take(name)))
  const search = new URLSearchParams()
  for (const name of query) append(search, name, take(name))
  const url = `${baseUrl}${filled}${search.size > 0 ? `?${search}` : ''}`
  if (body === 'form') return { url, body: form(rest), contentType: formType }
  if (body !== 'json') return { url, body: null, contentType: null }
  return { url, body: JSON.stringify(Object.fromEntries(rest)), contentType: 'application/json' }
}

const formType = 'application/x-www-form-urlencoded'

/** A part between slashes that is `.` or `..`, also percent-encoded. */
const dotSegment =
  /(?:^|[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:$|[/\\]|%(?:25)*(?:2f|5c))/i

/**
 * Refuses a value that URL parsing or a proxy would remove, because that would call another operation:
 * encoding leaves dots as they are.
 */
function segment(name: string, value: unknown): string {
  const text = textOf(value ?? '')
  if (text === '' || dotSegment.test(text))
    throw new TypeError(`${name} cannot be ${JSON.stringify(text)}.`)
  return encodeURIComponent(text)
}

function form(members: ReadonlyMap<string, unknown>): string {
  const fields = new URLSearchParams()
  for (const [name, value] of members) append(fields, name, value)
  return fields.toString()
}

function append(fields: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  for (const one of Array.isArray(value) ? value : [value]) fields.append(name, textOf(one))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
