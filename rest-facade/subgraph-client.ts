import { SpanKind } from '@opentelemetry/api'
import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  isBrokenCircuitError,
} from 'cockatiel'
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  print,
} from 'graphql'
import { Pool } from 'undici'
import { type CallerKeys, sealCaller } from '../schema/caller-token.ts'
import { sha256 } from '../schema/secrets.ts'
import { inSpan, traceHeaders } from '../schema/tracing.ts'
import { unavailable } from './errors.ts'
import type { SubgraphTransport } from './graph-client.ts'

export interface SubgraphClient {
  readonly send: SubgraphTransport
  /** Whether an instance says that it is ready. */
  readonly isReady: () => Promise<boolean>
  close(): Promise<void>
}

interface SubgraphClientOptions {
  readonly name: string
  /** Origins of its instances. */
  readonly urls: readonly string[]
  readonly keys: CallerKeys
  /** For one attempt. */
  readonly timeoutMs: number
}

const maxConnections = 64
const maxAnswerBytes = 64 * 1024 * 1024
/** Less than the other side keeps a connection that nobody uses. */
const keepAliveMs = 60_000
const connectMs = 1000
/** An instance that failed so often in a row is left alone for a second. */
const maxFailures = 5
const openForMs = 1000

interface Prepared {
  readonly text: string
  readonly hash: string
  /** Whether it may be asked twice: it changes nothing. */
  readonly isSafe: boolean
}

/** Whether the subgraph cannot have begun: then another instance may be asked, whatever it was. */
class NotBegun extends Error {
  override readonly name = 'NotBegun'
}

/**
 * Reaches the instances of one subgraph in turn, over connections that are kept. What failed is tried once
 * more, elsewhere if there is an elsewhere: a read always, a change only if it cannot have begun. Throws
 * SERVICE_UNAVAILABLE when nobody answers.
 */
export function createSubgraphClient(options: SubgraphClientOptions): SubgraphClient {
  const { name, urls, keys, timeoutMs } = options
  const prepare = preparation()
  const instances = urls.map((url) => createInstance(url, timeoutMs))
  let turn = 0

  function nextOf(tried: Instance | null): Instance | undefined {
    turn += 1
    const inTurn = instances.map((_, index) => instances[(turn + index) % instances.length])
    const others = inTurn.filter((instance) => instance !== tried)
    return others.find((instance) => instance?.isWell()) ?? others[0] ?? tried ?? undefined
  }

  const span = { kind: SpanKind.CLIENT, attributes: { 'gateway.subgraph': name } }
  const attempt = (instance: Instance, request: Asked): Promise<ExecutionResult> =>
    inSpan(`POST ${name}`, span, () => ask(instance, request))

  async function ask(instance: Instance, request: Asked): Promise<ExecutionResult> {
    const { prepared, variables, caller } = request
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${await sealCaller(keys, name, caller)}`,
      ...traceHeaders(),
    }
    const extensions = { persistedQuery: { version: 1, sha256Hash: prepared.hash } }
    const known = await instance.post(headers, JSON.stringify({ variables, extensions }))
    if (!isUnknown(known)) return known
    const { text: query } = prepared
    return instance.post(headers, JSON.stringify({ query, variables, extensions }))
  }

  return {
    async send({ document, variables, caller }) {
      const request = { prepared: prepare(document), variables, caller }
      const first = nextOf(null)
      if (!first) throw unavailable(`No instance of ${name} is configured.`)
      try {
        return await attempt(first, request)
      } catch (error) {
        if (!mayRepeat(error, request.prepared)) throw away(name, error)
        try {
          return await attempt(nextOf(first) ?? first, request)
        } catch (again) {
          throw away(name, again)
        }
      }
    },
    async isReady() {
      const answers = await Promise.all(instances.map((instance) => instance.isReady()))
      return answers.includes(true)
    },
    async close() {
      await Promise.all(instances.map((instance) => instance.close()))
    },
  }
}

interface Asked extends Omit<Parameters<SubgraphTransport>[0], 'document'> {
  readonly prepared: Prepared
}

/** The text and hash of a document are made once: the planner hands out the same for the same operation. */
function preparation(): (document: DocumentNode) => Prepared {
  const known = new WeakMap<DocumentNode, Prepared>()
  return (document) => {
    const found = known.get(document)
    if (found) return found
    const text = print(document)
    const isSafe = getOperationAST(document)?.operation === 'query'
    const prepared = { text, hash: sha256(text), isSafe }
    known.set(document, prepared)
    return prepared
  }
}

function isUnknown({ errors }: ExecutionResult): boolean {
  return errors?.[0]?.extensions?.code === 'PERSISTED_QUERY_NOT_FOUND'
}

function mayRepeat(error: unknown, { isSafe }: Prepared): boolean {
  return isSafe || error instanceof NotBegun || isBrokenCircuitError(error)
}

/** Its cause tells whether the change may have been made all the same. */
function away(name: string, error: unknown): Error {
  const hasNotBegun = error instanceof NotBegun || isBrokenCircuitError(error)
  const cause = hasNotBegun ? undefined : error
  return unavailable(`The subgraph ${name} is away for the moment.`, { cause })
}

interface Instance {
  post(headers: Record<string, string>, body: string): Promise<ExecutionResult>
  /** Whether it has not been failing. */
  isWell(): boolean
  isReady(): Promise<boolean>
  close(): Promise<void>
}

function createInstance(url: string, timeoutMs: number): Instance {
  const pool = new Pool(new URL(url).origin, {
    connections: maxConnections,
    connect: { timeout: Math.min(connectMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxResponseSize: maxAnswerBytes,
  })
  const circuit = circuitBreaker(handleAll, {
    halfOpenAfter: openForMs,
    breaker: new ConsecutiveBreaker(maxFailures),
  })
  let isFailing = false
  circuit.onStateChange((state) => {
    isFailing = state === CircuitState.Open
  })

  async function post(headers: Record<string, string>, body: string): Promise<ExecutionResult> {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await pool
      .request({ method: 'POST', path: '/graphql', headers, body, signal })
      .catch((error: unknown) => {
        throw isUnsent(error) ? new NotBegun('It cannot be reached.', { cause: error }) : error
      })
    const { statusCode } = response
    // What is starting or stopping says so, and does nothing.
    if (statusCode === 503) {
      await response.body.dump()
      throw new NotBegun('It is not ready.')
    }
    const result = await response.body.json()
    if (!isResult(result)) throw new Error(`It answered ${statusCode}: ${JSON.stringify(result)}`)
    const errors = result.errors?.map(({ message, ...rest }) => new GraphQLError(message, rest))
    return errors ? { ...result, errors } : result
  }

  return {
    post: (headers, body) => circuit.execute(() => post(headers, body)),
    isWell: () => !isFailing,
    async isReady() {
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        const { statusCode, body } = await pool.request({ method: 'GET', path: '/ready', signal })
        await body.dump()
        return statusCode === 200
      } catch {
        // Why is for the one who asks it; here it is not ready.
        return false
      }
    },
    close: () => pool.destroy(),
  }
}

const unsentCodes = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

function isUnsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unsentCodes.has(String(error.code))
}

/** GraphQL over HTTP: a map with data, errors or both. */
function isResult(value: unknown): value is ExecutionResult {
  return typeof value === 'object' && value !== null && ('data' in value || 'errors' in value)
}
