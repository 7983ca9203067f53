import { SpanKind } from '@opentelemetry/api'
import {
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
} from 'cockatiel'
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  print,
} from 'graphql'
import { Pool } from 'undici'
import { z } from 'zod'
import type { SubgraphTransport } from '../../rest-facade/graph/graph-client.ts'
import { ApiError, NotBegun, unavailable } from '../../rest-facade/http/errors.ts'
import { type CallerKeys, sealCaller } from '../../schema/credentials/caller-token.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { addSpentElsewhere, addSpentUnmeasured } from '../../schema/process/spent-time.ts'
import { inSpan, traceHeaders } from '../../schema/process/tracing.ts'
import { withoutTextOnWire } from '../../schema/vocabulary/internal-text.ts'

export interface SubgraphClient {
  readonly send: SubgraphTransport
  /** Whether any instance says that it is ready. */
  readonly isReady: () => Promise<boolean>
  close(): Promise<void>
}

interface SubgraphClientOptions {
  readonly name: string
  /** The origins of its instances. */
  readonly urls: readonly string[]
  readonly keys: CallerKeys
  /** The timeout of one attempt. */
  readonly timeoutMs: number
  /** Root fields for which the subgraph waits for servers of others, and how much longer that may take. */
  readonly waiting?: { readonly fields: ReadonlySet<string>; readonly ms: number }
}

const maxConnections = 128
/** Requests that wait for a connection of one instance; one more goes to another, or is refused. */
const maxWaiting = 512
/**
 * The longest life of a connection. A busy one is closed too, so that a new instance behind the
 * same name gets its share.
 */
const connectionMaxMs = 30_000
/** The largest messages are batches of whole answers that are stored for retries. */
export const maxMessageBytes = 64 * 1024 * 1024
/** How long a connection may be idle: less than the time for which the other side keeps it. */
const keepAliveMs = 60_000
const connectMs = 1000
/** After this many failures in a row, an instance gets no requests until a probe finds it ready. */
const maxFailures = 5
const probeEveryMs = 1000
const probeMs = 1000

interface Prepared {
  readonly text: string
  readonly hash: string
  /** Whether the operation changes nothing, so that it may be sent twice. */
  readonly isSafe: boolean
  /** Whether the answer may have to wait for a server of others. */
  readonly isWaiting: boolean
}

/**
 * Uses the instances of one subgraph in rotation, over kept connections. A failed request is tried
 * once more, at another instance if there is one: a read, unless the only instance was too slow for
 * it, and a change only if it cannot have begun. Throws SERVICE_UNAVAILABLE if no instance answers,
 * and PAYLOAD_TOO_LARGE for too large a request.
 */
export function createSubgraphClient(options: SubgraphClientOptions): SubgraphClient {
  const { name, urls, keys, timeoutMs, waiting } = options
  const prepare = preparation(waiting?.fields)
  const waitingMs = timeoutMs + (waiting?.ms ?? 0)
  const instances = urls.map((url) => createInstance(url, timeoutMs))
  let rotation = 0

  function nextOf(tried: Instance | null): Instance | undefined {
    rotation += 1
    const rotated = instances.map((_, index) => instances[(rotation + index) % instances.length])
    const others = rotated.filter((instance) => instance !== tried)
    return others.find((instance) => instance?.isHealthy()) ?? others[0] ?? tried ?? undefined
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
    const { text: query, isWaiting } = prepared
    const post = (body: object) =>
      instance.post({
        ...{ headers, body: encode(body), isWaiting },
        timeoutMs: isWaiting ? waitingMs : timeoutMs,
      })
    const known = await post({ variables, extensions })
    const result = isUnknown(known) ? await post({ query, variables, extensions }) : known
    addSpentElsewhere(result.extensions)
    return result
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
        if (!mayRepeat(error, request.prepared, next !== first)) throw outageOf(name, error)
        try {
          return await attempt(next, request)
        } catch (again) {
          throw outageOf(name, again)
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

/** Makes text and hash of a document once: the planner reuses the document of an operation. */
function preparation(
  waitingFields: ReadonlySet<string> = new Set(),
): (document: DocumentNode) => Prepared {
  const known = new WeakMap<DocumentNode, Prepared>()
  return (document) => {
    const found = known.get(document)
    if (found) return found
    const text = print(document)
    const asked = getOperationAST(document)
    const isWaiting = asked?.selectionSet.selections.some(
      (field) => field.kind === Kind.FIELD && waitingFields.has(field.name.value),
    )
    const prepared = {
      ...{ text, hash: sha256(text) },
      ...{ isSafe: asked?.operation === 'query', isWaiting: isWaiting ?? false },
    }
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
  // An instance that is too slow once would be too slow again.
  return isSafe && (isElsewhere || !isTimeout(error))
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** The cause says whether a change may have been made in spite of the failure. */
function outageOf(name: string, error: unknown): Error {
  if (error instanceof ApiError) return error
  return unavailable(`The subgraph ${name} is unavailable at the moment.`, { cause: error })
}

/** Too large a request has an error of its own: the sender of a batch must then send fewer. */
function encode(request: object): string {
  const text = stringify(request)
  if (text !== null && Buffer.byteLength(text) <= maxMessageBytes) return text
  throw new ApiError('PAYLOAD_TOO_LARGE', 'The request is too large for a subgraph.')
}

/** The text of a message; null if it would be longer than a string can be. */
function stringify(value: object): string | null {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

interface Instance {
  post(message: Message): Promise<ExecutionResult>
  /** Whether the circuit of the instance is closed. */
  isHealthy(): boolean
  isReady(): Promise<boolean>
  close(): Promise<void>
}

function createInstance(url: string, timeoutMs: number): Instance {
  const pool = new Pool(new URL(url).origin, {
    connections: maxConnections,
    connect: { timeout: Math.min(connectMs, timeoutMs) },
    keepAliveTimeout: keepAliveMs,
    clientTtl: connectionMaxMs,
    maxResponseSize: maxMessageBytes,
  })
  // Probes have a pool of their own: the load of this process must not make an instance look unready.
  const prober = new Pool(new URL(url).origin, {
    connections: 1,
    connect: { timeout: Math.min(connectMs, timeoutMs) },
    keepAliveTimeout: keepAliveMs,
  })
  // A request that waits at the gate has not begun, so its refusal is no failure of the instance.
  const gate = bulkhead(maxConnections, maxWaiting)
  const circuit = circuitBreaker(handleWhen(isFailureOfInstance), {
    halfOpenAfter: probeEveryMs,
    breaker: new ConsecutiveBreaker(maxFailures),
  })
  let probe: NodeJS.Timeout | undefined
  circuit.onBreak(probeLater)

  /** A probe finds out whether the instance works again, so that no caller has to wait for it. */
  function probeLater(): void {
    clearTimeout(probe)
    probe = setTimeout(() => circuit.execute(requireReady).catch(probeAgain), probeEveryMs).unref()
  }

  /**
   * A failed probe opens the circuit again, which starts the next probe; a probe that came too
   * early does not.
   */
  function probeAgain(error: unknown): void {
    if (isBrokenCircuitError(error)) probeLater()
  }

  async function requireReady(): Promise<void> {
    const signal = AbortSignal.timeout(Math.min(probeMs, timeoutMs))
    const { statusCode, body } = await prober.request({ method: 'GET', path: '/ready', signal })
    await body.dump()
    if (statusCode !== 200) throw new NotBegun(`The instance is not ready: ${statusCode}`)
  }

  return {
    async post(message) {
      let sentAtMs: number | null = null
      function send() {
        sentAtMs = performance.now()
        return exchange(pool, message)
      }
      try {
        return await gate.execute(() => circuit.execute(send))
      } catch (error) {
        // The time is added here, in the work of the request that asked. The place that sends may run in the
        // work of another request.
        if (sentAtMs !== null && !(error instanceof NotBegun)) {
          addSpentUnmeasured(performance.now() - sentAtMs)
        }
        if (isBrokenCircuitError(error)) {
          throw new NotBegun('The instance has failed repeatedly.', { cause: error })
        }
        if (!isBulkheadRejectedError(error)) throw error
        throw new NotBegun('Too many requests wait for the instance.', { cause: error })
      }
    },
    isHealthy: () => circuit.state === CircuitState.Closed,
    async isReady() {
      try {
        await requireReady()
        return true
      } catch {
        // The reason of a failed probe does not matter here.
        return false
      }
    },
    async close() {
      clearTimeout(probe)
      await Promise.all([pool.destroy(), prober.destroy()])
    },
  }
}

interface Message {
  readonly headers: Record<string, string>
  readonly body: string
  readonly timeoutMs: number
  readonly isWaiting: boolean
}

/** An answer that had to wait for a server of others has not come in time: that says nothing of the instance. */
class WaitingTimeout extends Error {
  override readonly name = 'TimeoutError'
}

function isFailureOfInstance(error: unknown): boolean {
  return !(error instanceof WaitingTimeout)
}

/** One request and its answer. Throws NotBegun if the instance has done nothing. */
async function exchange(pool: Pool, message: Message): Promise<ExecutionResult> {
  const answered = await sendIn(pool, message).catch((error: unknown) => {
    if (isUnsent(error)) throw new NotBegun('The instance cannot be reached.', { cause: error })
    if (!message.isWaiting || !isTimeout(error)) throw error
    throw new WaitingTimeout('The instance has waited too long.', { cause: error })
  })
  const { statusCode, answer } = answered
  if (!isResult(answer)) throw refusalOf(statusCode, answer)
  const errors = answer.errors?.map(
    ({ message, extensions, ...rest }) =>
      new GraphQLError(message, { ...rest, extensions: withoutTextOnWire(extensions) }),
  )
  return errors ? { ...answer, errors } : answer
}

async function sendIn(pool: Pool, { headers, body, timeoutMs }: Message) {
  const response = await pool.request({
    ...{ method: 'POST', path: '/graphql', headers, body },
    ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const answer: unknown = await response.body.json()
  return { statusCode: response.statusCode, answer }
}

/**
 * An answer without GraphQL: an instance that starts, stops or rejects the token has done nothing.
 */
function refusalOf(statusCode: number, answer: unknown): Error {
  const message = `The instance answered ${statusCode}: ${JSON.stringify(answer)}`
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

/**
 * GraphQL over HTTP: a map with data, errors or both. Without errors, data has what the document asks for: nobody
 * who asks checks that again.
 */
function isResult(value: unknown): value is ExecutionResult {
  if (typeof value !== 'object' || value === null) return false
  return (
    'errors' in value || ('data' in value && typeof value.data === 'object' && value.data !== null)
  )
}
