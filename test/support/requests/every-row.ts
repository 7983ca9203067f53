import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { routes } from '../../../rest-facade/routes/index.ts'
import {
  type CatalogFile,
  catalogFile,
  type OperationFile,
} from '../../../schema/catalog/catalog-file.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'

/** One method of one path of the API, with values that make its path concrete. */
export interface ApiRow {
  /** The name of the row, such as `GET /v1/account/keys/{key_id}`. */
  readonly title: string
  /** Of the route table; `product` for an operation of the catalog. */
  readonly kind: string
  readonly method: string
  /** With an id in place of every placeholder. */
  readonly path: string
  /** With placeholders, to tell which rows share a path. */
  readonly template: string
  /** Undefined: public. */
  readonly scope: string | undefined
  /** Another one that will do. */
  readonly orScope?: string
  /** Of people, only an OWNER may. */
  readonly ownerOnly?: boolean
  /** Whether the route is open to everybody, but recognises its caller. */
  readonly asksCaller: boolean
  /** Only a page of the gateway may ask: `test/api/portal` has its refusals. */
  readonly isOfPage: boolean
  /** Any key or token will do. */
  readonly isForAnyCaller: boolean
  readonly hasBody: boolean
  /** Whether anything must be known to ask: path, query or body. */
  readonly hasInput: boolean
  /** Whether the route ignores unknown parameters of its query, as OAuth wants. */
  readonly ignoresUnknown: boolean
}

/** Values for the placeholders of routes that are no product operations. */
const pathValues: Readonly<Record<string, () => string>> = {
  key_id: () => newId('key'),
  session_id: () => newId('ses'),
  member_id: () => newId('mem'),
  passkey_id: () => newId('psk'),
  endpoint_id: () => newId('whe'),
  delivery_id: () => newId('whd'),
  keyword_id: () => newId('kw'),
  client_id: () => newId('app'),
  invoice_id: () => newId('inv'),
  checkout_id: () => newId('pay'),
  event_id: () => newId('evt'),
  payment_id: () => newId('pay'),
  payment_method_id: () => newId('pm'),
  job_id: () => newId('exp'),
  provider: () => 'simulated',
  external_id: () => 'team-1',
  period: () => 'day',
}

/** Every row of the route table. */
export function routeRows(): ApiRow[] {
  return routes.map((route) => {
    const { kind, method, path, isRooted, scope, orScope, ownerOnly, openapi, ...input } = route
    const { params, query, body } = input
    return {
      title: titleOf(method, path.replaceAll(/:([a-z_]+)/g, '{$1}'), isRooted),
      kind,
      method: method.toUpperCase(),
      path: `${isRooted ? '' : '/v1'}${path.replaceAll(/:([a-z_]+)/g, (_, name: string) => pathValue(name))}`,
      template: path,
      scope,
      orScope,
      ownerOnly,
      asksCaller: scope === undefined && openapi.security.length > 0,
      isOfPage: kind === 'portal',
      isForAnyCaller: kind === 'quote',
      hasBody: body !== undefined,
      hasInput: Boolean(params ?? query ?? body),
      ignoresUnknown: query !== undefined && query.def.catchall === undefined,
    }
  })
}

/** Every product operation of the catalog. */
export function productRows(): ApiRow[] {
  return readCatalogFiles().flatMap((file) =>
    file.operations.map((operation) => {
      const { path, body } = exampleOf(operation)
      return {
        title: titleOf(operation.method, `/${file.slug}${operation.path}`),
        kind: 'product',
        method: operation.method,
        path: `/v1/${file.slug}${path}`,
        template: `/${file.slug}${operation.path}`,
        scope: operation.scope ?? `${file.slug}:${operation.method === 'GET' ? 'read' : 'write'}`,
        asksCaller: false,
        isOfPage: false,
        isForAnyCaller: false,
        hasBody: body !== undefined,
        hasInput: true,
        ignoresUnknown: false,
      }
    }),
  )
}

function titleOf(method: string, path: string, isRooted = false): string {
  return `${method.toUpperCase()} ${isRooted ? '' : '/v1'}${path}`
}

function pathValue(name: string): string {
  const make = pathValues[name]
  if (!make) throw new Error(`Say in test/support/requests/every-row.ts what ${name} may be.`)
  return make()
}

/** A product operation, with a request built from the examples of its schemas. */
export interface ProductExample {
  readonly title: string
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly body: unknown
  readonly file: CatalogFile
  readonly operation: OperationFile
}

export function productExamples(): ProductExample[] {
  return readCatalogFiles().flatMap((file) =>
    file.operations.map((operation) => {
      const { path, query, body } = exampleOf(operation)
      const { method } = operation
      const title = titleOf(method, `/${file.slug}${operation.path}`)
      return { title, method, url: `/v1/${file.slug}${path}${query}`, body, file, operation }
    }),
  )
}

function readCatalogFiles(): CatalogFile[] {
  const folder = join(projectRoot, 'schema/catalog')
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  return names.map((name) => catalogFile.parse(parse(readFileSync(join(folder, name), 'utf8'))))
}

function exampleOf({ path, request }: OperationFile) {
  const values = Object(example(request.path ?? {}))
  const query = new URLSearchParams(Object(example(request.query ?? {}))).toString()
  return {
    path: path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => String(values[name])),
    query: query === '' ? '' : `?${query}`,
    body: request.body ? example(request.body) : undefined,
  }
}

/** The first example of everything that a schema describes. */
function example(schema: object): unknown {
  const { type, properties = {}, items, examples, enum: values } = Object(schema)
  if (type === 'array') return [example(items)]
  if (type !== 'object') return (examples ?? values)?.[0]
  const entries = Object.entries<object>(properties)
  return Object.fromEntries(entries.map(([name, child]) => [name, example(child)]))
}
