import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../schema/catalog/operation.ts'
import { sample } from '../../schema/catalog/sample.ts'
import { scenarioHeader } from '../../schema/catalog/scenario.ts'
import { inLanguages, type SampleLanguage } from '../samples/in-languages.ts'
import type { SampleCall } from '../samples/sample-call.ts'
import type { DocsOptions } from './docs-options.ts'

/** The calls that guides show: as it is, with an idempotency key, with an empty answer, and the quote of it. */
export type ExampleName = 'call' | 'once' | 'empty' | 'quote'

/** The call that guides show, with the simulator's answer. */
export interface ExampleCall {
  readonly method: string
  readonly path: string
  /** JSON; empty if the operation takes no body. */
  readonly body: string
  /** The highest price of the operation. */
  readonly credits: number
  /** The programs that make it, and calls that are like it. */
  readonly samples: Readonly<Record<ExampleName, Readonly<Record<SampleLanguage, string>>>>
  /** The body of its answer. */
  readonly answer: string
}

/** The call of a well-known operation, or of the first one in the operator's catalog. */
export function exampleCall({ catalog, keyPrefix }: DocsOptions): ExampleCall {
  const operation = exampleOperation(catalog)
  const path = `/v1/${operation.service}${filledPath(operation)}`
  const { body: bodySchema } = operation.request.schemas
  const given = bodySchema ? exampleOf(bodySchema) : {}
  const body = bodySchema ? JSON.stringify(given) : ''
  const { method } = operation
  const call = (headers: SampleCall['headers']) =>
    inLanguages({ method, path, headers, body: bodySchema ? { json: given } : null })
  const quoted = { calls: [{ method, path, ...(bodySchema && { body: given }) }] }
  const seed = `${operation.method}/${operation.backendModule}${filledPath(operation)}${body}`
  const answer = sample(operation.response.schema, { given, seed, length: 3 })
  return {
    ...{ method, path, body, credits: operation.price.maximum },
    samples: {
      call: call({}),
      once: call({ [`X-${keyPrefix.toUpperCase()}-Idempotency-Key`]: '6f9b1c6e-reveal-1' }),
      empty: call({ [scenarioHeader]: 'empty' }),
      quote: inLanguages({
        method: 'POST',
        path: '/v1/quotes',
        headers: {},
        body: { json: quoted },
      }),
    },
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
