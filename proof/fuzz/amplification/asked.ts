import fc from 'fast-check'
import { getIntrospectionQuery } from 'graphql'
import { request } from 'undici'
import type { Answer } from '../../../test/support/conformity/answers-conform.ts'
import {
  type ApiOperation,
  readApiDocument,
} from '../../../test/support/conformity/api-document.ts'
import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import { type FuzzRequest, validRequests } from '../requests.ts'
import { schemaValues } from '../schema-values.ts'
import type { World } from '../world.ts'
import { amplifiedCases } from './cases.ts'
import { internalCases } from './internal-cases.ts'

/** One request, ready to be sent. */
export interface Asked {
  readonly operation: string
  /** What is large, and where. */
  readonly name: string
  /** Empty: none. */
  readonly body: string
  readonly ask: () => Promise<Answer>
}

/** All cases of one operation, made when they are needed; and valid requests to compare them with. */
export interface OperationCases {
  readonly id: string
  readonly amplified: readonly (() => Asked)[]
  readonly valid: readonly (() => Asked)[]
}

const sampleRuns = 30

/** Reads the cases of every operation of the API, and of every root field of the internal graph. */
export async function readOperationCases(
  gateway: TestGateway,
  world: World,
  { seed, bytes }: { readonly seed: number; readonly bytes: number },
): Promise<readonly OperationCases[]> {
  const document = readApiDocument()
  const valuesOf = schemaValues(document)
  const ofApi = document.operations.map((operation): OperationCases => {
    const samples = fc
      .sample(validRequests(operation, valuesOf), { seed, numRuns: sampleRuns })
      .map(withoutScenario)
    const ready = (asked: FuzzRequest, name: string) => askedOf(world, operation, asked, name)
    const largest = largestOf(samples)
    const cases = largest ? amplifiedCases(operation, largest, bytes) : []
    return {
      id: operation.id,
      amplified: cases.map(
        ({ name, request }) =>
          () =>
            ready(request(), name),
      ),
      valid: samples.map((request) => () => ready(request, 'valid')),
    }
  })
  return [...ofApi, ...(await ofGraph(gateway, bytes))]
}

/** The sandbox would fail as it is told to. */
function withoutScenario(request: FuzzRequest): FuzzRequest {
  const { 'X-Sandbox-Scenario': _, ...headers } = request.headers
  return { ...request, headers }
}

function largestOf(all: readonly FuzzRequest[]): FuzzRequest | undefined {
  const sizeOf = (request: FuzzRequest) => JSON.stringify(request).length
  return all.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0]
}

function askedOf(world: World, operation: ApiOperation, request: FuzzRequest, name: string): Asked {
  const wire = world.prepare(operation, request)
  return { operation: operation.id, name, body: wire.body ?? '', ask: () => world.send(wire) }
}

async function ofGraph(gateway: TestGateway, bytes: number): Promise<OperationCases[]> {
  const url = `${gateway.internal.url}/graphql`
  const token = await gateway.internalToken('admin')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function ask(body: string): Promise<Answer> {
    // The request is sent as all others are: fetch would cost more than the gateway.
    const { statusCode: status, body: text } = await request(url, { method: 'POST', headers, body })
    return { method: 'POST', path: '/graphql', status, headers: {}, body: await text.text() }
  }

  // All fields share the route, and this is the largest answer that a tool usually asks for.
  const whole = JSON.stringify({ query: getIntrospectionQuery() })
  const valid = (operation: string) => () => ({
    ...{ operation, name: 'the whole schema', body: whole },
    ask: () => ask(whole),
  })
  const byField = Map.groupBy(internalCases(bytes), ({ id }) => id)
  return [...byField].map(([id, cases]) => ({
    id: `graphql ${id}`,
    amplified: cases.map(({ name, body: make }) => () => {
      const body = JSON.stringify(make())
      return { operation: `graphql ${id}`, name, body, ask: () => ask(body) }
    }),
    valid: [valid(`graphql ${id}`)],
  }))
}
