import { SpanKind } from '@opentelemetry/api'
import {
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  isBrokenCircuitError,
  isBulkheadRejectedError,
} from 'cockatiel'
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  print,
} from 'graphql'
import { Pool } from 'undici'
import { z } from 'zod'
import { type CallerKeys, sealCaller } from '../../schema/credentials/caller-token.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { inSpan, traceHeaders } from '../../schema/process/tracing.ts'
import { ApiError, NotBegun, unavailable } from '../http/errors.ts'
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

const maxConnections = 128
/** Requests of one instance that wait for a connection; one more is asked elsewhere, or refused. */
const maxWaiting = 512
/** A new instance behind the same name gets its share by then: a connection in use is never given up otherwise. */
const connectionMaxMs = 30_000
/** A batch of whole answers that are kept for retries is the most that is ever sent, or comes. */
export const maxMessageBytes = 64 * 1024 * 1024
/** Less than the other side keeps a connection that nobody uses. */
const keepAliveMs = 60_000
const connectMs = 1000
/** An instance that failed so often in a row is left alone until it says, when asked each second, that it is ready. */
const maxFailures = 5
const probeEveryMs = 1000
const probeMs = 1000

interface Prepared {
  readonly text: string
  readonly hash: string
  /** Whether it may be asked twice: it changes nothing. */
  readonly isSafe: boolean
}

/**
 * Reaches the instances of one subgraph in turn, over connections that are kept. What failed is tried once
 * more, elsewhere if there is an elsewhere: a read, unless the only instance was too slow for it; a change
 * only if it cannot have begun. Throws SERVICE_UNAVAILABLE when nobody answers, PAYLOAD_TOO_LARGE for what
 * is too large to be asked.
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
    const known = await instance.post(headers, encode({ variables, extensions }))
    if (!isUnknown(known)) return known
    const { text: query } = prepared
    return instance.post(headers, encode({ query, variables, extensions }))
  }

  return {
    async send({ document, variables, caller }) {
      const request = { prepared: prepare(document), variables, caller }
      const first = nextOf(null)
      if (!first) throw unavailable(`No instance of ${name} is configured.`)
      try {
        return await attempt(first, request)
      } catch (error) {
        const next = nextOf(first) ?? first
        if (!mayRepeat(error, request.prepared, next !== first)) throw away(name, error)
        try {
          return await attempt(next, request)
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

function mayRepeat(error: unknown, { isSafe }: Prepared, isElsewhere: boolean): boolean {
  if (error instanceof ApiError) return false
  if (error instanceof NotBegun) return true
  // Whoever is too slow for it once is not helped by doing it twice.
  return isSafe && (isElsewhere || !isTimeout(error))
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Its cause tells whether a change may have been made all the same. */
function away(name: string, error: unknown): Error {
  if (error instanceof ApiError) return error
  return unavailable(`The subgraph ${name} is away for the moment.`, { cause: error })
}

/** Nobody is away when a request is too large: whoever gathers many must hear that, and send fewer. */
function encode(request: object): string {
  const text = stringify(request)
  if (text !== null && Buffer.byteLength(text) <= maxMessageBytes) return text
  throw new ApiError('PAYLOAD_TOO_LARGE', 'This is more than a subgraph takes at once.')
}

/** Null for more than a string can hold. */
function stringify(value: object): string | null {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
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
    clientTtl: connectionMaxMs,
    maxResponseSize: maxMessageBytes,
  })
  // Of its own: how busy we are with an instance says nothing about how it is.
  const prober = new Pool(new URL(url).origin, {
    connections: 1,
    connect: { timeout: Math.min(connectMs, timeoutMs) },
    keepAliveTimeout: keepAliveMs,
  })
  // What waits for its turn has not begun, and is no failure of the instance.
  const gate = bulkhead(maxConnections, maxWaiting)
  const circuit = circuitBreaker(handleAll, {
    halfOpenAfter: probeEveryMs,
    breaker: new ConsecutiveBreaker(maxFailures),
  })
  let probe: NodeJS.Timeout | undefined
  circuit.onBreak(probeLater)

  /** A probe finds out whether it is well again: no caller has to wait for one that is not. */
  function probeLater(): void {
    clearTimeout(probe)
    probe = setTimeout(() => circuit.execute(requireReady).catch(probeAgain), probeEveryMs).unref()
  }

  /** A probe that failed has opened the circuit again, which calls for the next; one that came early has not. */
  function probeAgain(error: unknown): void {
    if (isBrokenCircuitError(error)) probeLater()
  }

  async function requireReady(): Promise<void> {
    const signal = AbortSignal.timeout(Math.min(probeMs, timeoutMs))
    const { statusCode, body } = await prober.request({ method: 'GET', path: '/ready', signal })
    await body.dump()
    if (statusCode !== 200) throw new NotBegun(`It is not ready: ${statusCode}`)
  }

  async function post(headers: Record<string, string>, body: string): Promise<ExecutionResult> {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await pool
      .request({ method: 'POST', path: '/graphql', headers, body, signal })
      .catch((error: unknown) => {
        throw isUnsent(error) ? new NotBegun('It cannot be reached.', { cause: error }) : error
      })
    const answer = await response.body.json()
    if (!isResult(answer)) throw refusalOf(response.statusCode, answer)
    const errors = answer.errors?.map(({ message, ...rest }) => new GraphQLError(message, rest))
    return errors ? { ...answer, errors } : answer
  }

  return {
    async post(headers, body) {
      try {
        return await gate.execute(() => circuit.execute(() => post(headers, body)))
      } catch (error) {
        if (isBrokenCircuitError(error)) {
          throw new NotBegun('It has been failing.', { cause: error })
        }
        if (!isBulkheadRejectedError(error)) throw error
        throw new NotBegun('Too many wait for it.', { cause: error })
      }
    },
    isWell: () => circuit.state === CircuitState.Closed,
    async isReady() {
      try {
        await requireReady()
        return true
      } catch {
        // Why is for the one who asks it; here it is not ready.
        return false
      }
    },
    async close() {
      clearTimeout(probe)
      await Promise.all([pool.destroy(), prober.destroy()])
    },
  }
}

/** What is not GraphQL's: whoever starts or stops, or knows no such caller, says so and does nothing. */
function refusalOf(statusCode: number, answer: unknown): Error {
  const message = `It answered ${statusCode}: ${JSON.stringify(answer)}`
  return refused.safeParse(answer).success ? new NotBegun(message) : new Error(message)
}

const refused = z.object({
  error: z.object({ code: z.enum(['SERVICE_UNAVAILABLE', 'AUTHENTICATION_REQUIRED']) }),
})

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
