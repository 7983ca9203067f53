import { z } from 'zod'
import type { Break } from '../report/finding.ts'

/** One method of one path of an OpenAPI document, or one event that it sends. */
export interface Endpoint {
  /** The name of the endpoint, such as `GET /v1/account`, or `webhook invoice.paid`. */
  readonly route: string
  /**
   * The route without the names of its path parameters, by which two documents are compared: `GET
   * /v1/account/keys/{}`.
   */
  readonly shape: string
  /** JSON pointer of the operation object. */
  readonly pointer: string
  readonly operation: z.infer<typeof operationObject>
  /** Components that it refers to, at whatever remove: `#/components/schemas/Account`. */
  readonly components: ReadonlySet<string>
  /** The codes of `schema/vocabulary/error-codes.ts` that the endpoint can answer with. */
  readonly errorCodes: ReadonlySet<string>
}

const operationObject = z.looseObject({
  'x-scope': z.string().optional(),
  'x-or-scope': z.string().optional(),
  'x-some-need-scope': z.string().optional(),
  'x-credits': z.record(z.string(), z.unknown()).optional(),
  'x-operation': z.string().optional(),
  'x-deprecated-since': z.iso.date().optional(),
  'x-sunset': z.iso.date().optional(),
  tags: z.array(z.string()).default([]),
  responses: z.record(z.string(), z.unknown()).default({}),
})

const response = z.looseObject({
  $ref: z.string().optional(),
  'x-error-codes': z.array(z.string()).default([]),
})

const openapiDocument = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  webhooks: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  components: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
})

type Document = z.infer<typeof openapiDocument>

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const

/** All endpoints of a document in JSON. */
export function endpointsOf(text: string): Endpoint[] {
  const document = openapiDocument.parse(JSON.parse(text))
  const rows = (['paths', 'webhooks'] as const).flatMap((section) =>
    Object.entries(document[section]).flatMap(([name, item]) =>
      methods
        .filter((method) => item[method] !== undefined)
        .map((method) => ({
          route: section === 'paths' ? `${method.toUpperCase()} ${name}` : `webhook ${name}`,
          pointer: `#/${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
          value: item[method],
        })),
    ),
  )
  return rows.map(({ route, pointer, value }) => {
    const operation = operationObject.parse(value)
    return {
      ...{ route, pointer, operation, shape: route.replaceAll(/\{[^}]*\}/g, '{}') },
      components: componentsOf(document, value),
      errorCodes: errorCodesOf(document, operation),
    }
  })
}

function errorCodesOf(
  document: Document,
  { responses }: Endpoint['operation'],
): ReadonlySet<string> {
  const all = Object.values(responses).map((node) => {
    const { $ref } = response.parse(node)
    return response.parse($ref === undefined ? node : componentAt(document, $ref))
  })
  return new Set(all.flatMap(({ 'x-error-codes': codes }) => codes))
}

function componentsOf(document: Document, operation: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  function collect(node: unknown): void {
    for (const reference of referencesIn(node)) {
      if (found.has(reference)) continue
      found.add(reference)
      collect(componentAt(document, reference))
    }
  }
  collect(operation)
  return found
}

function componentAt({ components }: Document, reference: string): unknown {
  const [, , section = '', name = ''] = reference.split('/')
  return components[section]?.[name]
}

function* referencesIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  if ('$ref' in node && typeof node.$ref === 'string') yield node.$ref
  for (const member of Object.values(node)) yield* referencesIn(member)
}

/**
 * The endpoints that what is at the pointer is part of: below the operation, above it, or in a
 * component.
 */
export function endpointsAt(pointer: string, endpoints: readonly Endpoint[]): Endpoint[] {
  const [component = ''] = /^#\/components\/[^/]+\/[^/]+/.exec(pointer) ?? []
  return endpoints.filter((endpoint) =>
    component === ''
      ? isWithin(pointer, endpoint.pointer) || isWithin(endpoint.pointer, pointer)
      : endpoint.components.has(component),
  )
}

function isWithin(pointer: string, outer: string): boolean {
  return `${pointer}/`.startsWith(`${outer}/`)
}

/** One row for each persisted operation, each route once. */
export function breaksOfEndpoints(endpoints: readonly Endpoint[]): Break[] {
  const byOperation = Map.groupBy(endpoints, ({ operation }) => operation['x-operation'] ?? null)
  return [...byOperation].map(([operation, same]) => ({
    operation,
    routes: [...new Set(same.map(({ route }) => route))].sort(),
    gateway: [],
  }))
}
