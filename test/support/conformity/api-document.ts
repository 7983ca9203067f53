import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** A JSON Schema of 2020-12, as OpenAPI 3.1 writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>

const schema = z.record(z.string(), z.unknown())
const content = z.record(z.string(), z.looseObject({ schema: schema.optional() }))
const header = z.looseObject({ required: z.boolean().default(false), schema })
const parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  schema,
})
const response = z.looseObject({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: content.default({}),
})
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
  security: z.array(schema).optional(),
})
const requestBody = z.looseObject({ required: z.boolean().default(false), content })
const methodNames = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
const openapi = z.looseObject({
  openapi: z.string().startsWith('3.1.'),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  'x-any-path': z.record(z.string(), z.unknown()),
})

export type ApiParameter = z.infer<typeof parameter>
export type ApiRequestBody = z.infer<typeof requestBody>

/** One documented answer; `pointer` is where the document has it, references followed. */
export interface ApiResponse {
  readonly pointer: string
  readonly headers: Readonly<Record<string, z.infer<typeof header>>>
  readonly content: z.infer<typeof content>
}

/** By status. */
export type ApiResponses = ReadonlyMap<number, ApiResponse>

/** One method of one path, its references followed but for those of its schemas. */
export interface ApiOperation {
  readonly id: string
  /** In capitals. */
  readonly method: string
  /** With placeholders: `/v1/account/keys/{key_id}`. */
  readonly path: string
  readonly parameters: readonly ApiParameter[]
  readonly requestBody: ApiRequestBody | undefined
  readonly responses: ApiResponses
  /** Whether it requires authentication. */
  readonly isProtected: boolean
  /** The operation as the document has it, extensions included. */
  readonly raw: Readonly<Record<string, unknown>>
}

/** The description of a request in the document. */
export type Found =
  | { readonly kind: 'operation'; readonly operation: ApiOperation }
  | { readonly kind: 'other method'; readonly allowed: readonly string[] }
  | { readonly kind: 'no such path' }

export interface ApiDocument {
  /** The whole document, as ajv is to resolve references. */
  readonly root: JsonSchema
  readonly operations: readonly ApiOperation[]
  /** The answers that any path may give, also an undocumented one. */
  readonly anyPath: ApiResponses
  /** HEAD is GET without its body. */
  find(method: string, pathname: string): Found
  /** Resolves a reference of this document; returns any other schema itself. */
  resolve(node: unknown): unknown
}

const documentPath = join(projectRoot, 'schema/generated/openapi.json')

/** Reads `schema/generated/openapi.json`; throws if it is not OpenAPI 3.1. */
export function readApiDocument(path = documentPath): ApiDocument {
  return apiDocument(JSON.parse(readFileSync(path, 'utf8')))
}

export function apiDocument(given: unknown): ApiDocument {
  const { paths, 'x-any-path': anyPath } = openapi.parse(given)
  const root = schema.parse(given)
  const follow = (node: unknown, pointer: string) => followReferences(root, node, pointer)
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methodNames.flatMap((method) => {
      const raw = item[method]
      const pointer = `#/paths/${escapePointer(path)}/${method}`
      return raw === undefined ? [] : [readOperation(raw, { method, path, pointer, follow })]
    }),
  )
  return {
    root,
    operations,
    anyPath: readResponses(anyPath, '#/x-any-path', follow),
    find: finderOf(operations),
    resolve: (node) => follow(node, '').node,
  }
}

type Follow = (node: unknown, pointer: string) => { node: unknown; pointer: string }

interface Place {
  readonly method: string
  readonly path: string
  readonly pointer: string
  readonly follow: Follow
}

function readOperation(given: unknown, { method, path, pointer, follow }: Place): ApiOperation {
  const raw = operation.parse(given)
  const { requestBody: body } = raw
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    parameters: raw.parameters.map((node) => parameter.parse(follow(node, '').node)),
    requestBody: body === undefined ? undefined : requestBody.parse(follow(body, '').node),
    responses: readResponses(raw.responses, `${pointer}/responses`, follow),
    // An empty alternative means that no credentials are needed.
    isProtected: (raw.security ?? [{}]).every((one) => Object.keys(one).length > 0),
    raw,
  }
}

function readResponses(
  given: Readonly<Record<string, unknown>>,
  pointer: string,
  follow: Follow,
): ApiResponses {
  const entries = Object.entries(given).map(([status, node]) => {
    const found = follow(node, `${pointer}/${status}`)
    const { headers, content } = response.parse(found.node)
    const read = ([name, value]: [string, unknown]) => [name, header.parse(follow(value, '').node)]
    const answer: ApiResponse = {
      pointer: found.pointer,
      headers: Object.fromEntries(Object.entries(headers).map(read)),
      content,
    }
    return [Number(status), answer] as const
  })
  return new Map(entries)
}

function followReferences(root: JsonSchema, given: unknown, from: string) {
  let node = given
  let pointer = from
  // Chains of references end; a circle of references alone would not.
  for (let step = 0; step < 20; step += 1) {
    const reference: unknown = Object(node).$ref
    if (typeof reference !== 'string') return { node, pointer }
    pointer = reference
    node = at(root, reference)
  }
  throw new Error(`${from} refers to itself.`)
}

function at(root: JsonSchema, pointer: string): unknown {
  if (!pointer.startsWith('#/')) throw new Error(`${pointer} is not in this document.`)
  let node: unknown = root
  for (const part of pointer.slice(2).split('/')) node = Object(node)[unescapePointer(part)]
  if (node === undefined) throw new Error(`The document lacks ${pointer}.`)
  return node
}

function escapePointer(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapePointer(text: string): string {
  return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~')
}

function finderOf(operations: readonly ApiOperation[]): ApiDocument['find'] {
  // A path comes before one whose placeholder would match it.
  const sortKey = ({ path }: ApiOperation) =>
    path.replaceAll(/\{\w+\}(?=\.)/g, '\ufffe').replaceAll('{', '\uffff')
  const sorted = operations.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  const byPath = [...Map.groupBy(sorted, ({ path }) => path)].map(([path, methods]) => ({
    pattern: patternOf(path),
    methods,
  }))
  return (method, pathname) => {
    const found = byPath.find(({ pattern }) => pattern.test(pathname))
    if (!found) return { kind: 'no such path' }
    const asked = method === 'HEAD' ? 'GET' : method
    const one = found.methods.find((candidate) => candidate.method === asked)
    // A charged answer cannot be requested without its body.
    const hasHead = one !== undefined && !('x-credits' in one.raw)
    if (one && (method !== 'HEAD' || hasHead)) return { kind: 'operation', operation: one }
    if (!isDecodable(pathname)) return { kind: 'no such path' }
    return { kind: 'other method', allowed: found.methods.map((other) => other.method) }
  }
}

/** Whether the value of each placeholder is text: `%ff` is none. */
function isDecodable(pathname: string): boolean {
  try {
    return decodeURIComponent(pathname) !== ''
  } catch {
    return false
  }
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${escaped.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}
