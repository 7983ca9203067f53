import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../schema/catalog/operation.ts'
import { sample } from '../../schema/catalog/sample.ts'
import { scenarioHeader } from '../../schema/catalog/scenario.ts'
import type { DocsOptions } from './docs-options.ts'

/** The call that guides show, with the simulator's answer. */
export interface ExampleCall {
  readonly method: string
  readonly path: string
  /** JSON; empty if the operation takes no body. */
  readonly body: string
  /** The highest price of the operation. */
  readonly credits: number
  /** The options of `curl` behind the address. */
  readonly curl: string
  readonly sandboxCurl: string
  readonly emptyCurl: string
  /** Asks what the call would cost. */
  readonly quoteCurl: string
  /** The body of its answer. */
  readonly answer: string
}

/** The call of a well-known operation, or of the first one in the operator's catalog. */
export function exampleCall({ catalog, baseUrls }: DocsOptions): ExampleCall {
  const operation = exampleOperation(catalog)
  const path = `/v1/${operation.service}${filledPath(operation)}`
  const { body: bodySchema } = operation.request.schemas
  const given = bodySchema ? exampleOf(bodySchema) : {}
  const body = bodySchema ? JSON.stringify(given) : ''
  const curl = (baseUrl: string, key: string, ...headers: readonly string[]) =>
    curlCommand({ ...operation, url: baseUrl + path, key, headers, body })
  const { method } = operation
  const quoted = { calls: [{ method, path, ...(bodySchema && { body: given }) }] }
  const seed = `${operation.method}/${operation.backendModule}${filledPath(operation)}${body}`
  const answer = sample(operation.response.schema, { given, seed, length: 3 })
  return {
    ...{ method, path, body, credits: operation.price.maximum },
    curl: curl(baseUrls.live, 'LIVE_KEY'),
    sandboxCurl: curl(baseUrls.sandbox, 'SANDBOX_KEY'),
    emptyCurl: curl(baseUrls.sandbox, 'SANDBOX_KEY', `${scenarioHeader}: empty`),
    quoteCurl: curlCommand({
      ...{ method: 'POST', url: `${baseUrls.live}/v1/quotes`, key: 'LIVE_KEY', headers: [] },
      body: JSON.stringify(quoted),
    }),
    answer: JSON.stringify(answer, null, 2),
  }
}

function exampleOperation({ services }: Catalog): Operation {
  const operations = services.flatMap((service) => service.operations)
  const [first] = operations
  const found = operations.find(({ id }) => id === 'revealContact') ?? first
  if (!found) throw new Error('The catalog has no operation.')
  return found
}

interface Curl {
  readonly method: string
  readonly url: string
  /** The environment variable with the key. */
  readonly key: string
  readonly headers: readonly string[]
  readonly body: string
}

function curlCommand({ method, url, key, headers, body }: Curl): string {
  const all = [`Authorization: Bearer $${key}`, ...headers]
  const options = all.map((header) => `-H "${header}"`)
  if (body !== '') {
    options.push(`-H 'Content-Type: application/json'`, `-d '${body.replaceAll("'", "'\\''")}'`)
  }
  if (method !== (body === '' ? 'GET' : 'POST')) options.unshift(`-X ${method}`)
  return [`curl ${url}`, ...options].join(' \\\n  ')
}

function filledPath({ path, request }: Operation): string {
  const examples = exampleOf(request.schemas.path ?? {})
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => String(examples[name]))
}

/** The required members, each with its first example. */
function exampleOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { required = [], properties = {} } = schema
  const names = Array.isArray(required) ? required.map(String) : []
  return Object.fromEntries(names.map((name) => [name, firstExample(Object(properties)[name])]))
}

function firstExample(schema: unknown): unknown {
  const { examples, items, type } = Object(schema)
  if (Array.isArray(examples)) return examples[0]
  return type === 'array' ? [firstExample(items)] : ''
}
