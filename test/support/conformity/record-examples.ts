import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { type Examples, readExamples } from '../../../tools/openapi/components/examples.ts'
import type { ApiOperation } from './api-document.ts'
import { exampleOf } from './stand-ins.ts'
import type { Exchange } from './watch-answers.ts'

interface Kept {
  readonly request: unknown
  readonly response: unknown
}

/** operationId → status → the best so far. */
const kept = new Map<string, Map<number, Kept>>()

interface Recorded extends Exchange {
  readonly operation: ApiOperation
  readonly origins: { readonly live: string; readonly sandbox: string }
}

/** Keeps a success if it shows more than the kept one, or the same with less text. */
export function recordExample({ answer, request, operation, origins }: Recorded): void {
  const { status, body } = answer
  const isJson = answer.headers['content-type']?.startsWith('application/json')
  if (status >= 300 || !isJson || body === '' || answer.method === 'HEAD') return
  const sent = request.body === '' ? undefined : bodyOf(request)
  const candidate: Kept = exampleOf(sent, JSON.parse(body), origins)
  if (isOdd(candidate.request)) return
  const byStatus = kept.get(operation.id) ?? new Map<number, Kept>()
  kept.set(operation.id, byStatus)
  const before = byStatus.get(status)
  if (!before || isBetter(candidate, before)) byStatus.set(status, candidate)
}

function bodyOf({ headers, body }: Exchange['request']): unknown {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return JSON.parse(body)
  return type.includes('form') ? Object.fromEntries(new URLSearchParams(body)) : undefined
}

/**
 * Whether a list has duplicates or a text is empty: such requests test tolerance and are bad
 * examples.
 */
function isOdd(node: unknown): boolean {
  if (node === '') return true
  if (typeof node !== 'object' || node === null) return false
  const items = Object.values(node)
  const distinct = new Set(items.map((item) => JSON.stringify(item)))
  return (Array.isArray(node) && distinct.size < items.length) || items.some(isOdd)
}

/**
 * More members first, then less text, then alphabetical order, so that any order of tests ends
 * alike.
 */
function isBetter(one: Kept, other: Kept): boolean {
  const [members, most] = [membersOf(one).size, membersOf(other).size]
  if (members !== most) return members > most
  const [text, shortest] = [JSON.stringify(one), JSON.stringify(other)]
  return text.length === shortest.length ? text < shortest : text.length < shortest.length
}

/** The places of all members with a value; the items of a list share theirs. */
function membersOf(node: unknown, path = '', places = new Set<string>()): ReadonlySet<string> {
  if (typeof node !== 'object' || node === null) {
    return node === null || node === undefined ? places : places.add(path)
  }
  const isList = Array.isArray(node)
  for (const [name, child] of Object.entries(node)) {
    membersOf(child, isList ? `${path}[]` : `${path}.${name}`, places)
  }
  return places
}

const path = join(projectRoot, 'schema/generated/examples.json')

/** Adds the answers of this file's tests to `schema/generated/examples.json`; one file at a time. */
export function writeExamples(): void {
  if (kept.size === 0) return
  const all: Examples = { ...readExamples() }
  for (const [id, byStatus] of kept) {
    const responses: Record<string, unknown> = { ...all[id]?.responses }
    let request = all[id]?.request
    for (const [status, one] of byStatus) {
      const before = { request, response: responses[status] }
      if (before.response !== undefined && !isBetter(one, before)) continue
      responses[status] = one.response
      request = one.request
    }
    all[id] = { ...(request === undefined ? {} : { request }), responses }
  }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = `${JSON.stringify(sorted, null, 2)}\n`
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}
