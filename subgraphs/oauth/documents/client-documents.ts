import { hash } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { atMost } from '../../../schema/process/at-most.ts'
import { documentFetchMs, documentTurnMs } from '../../../schema/vocabulary/document-address.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { EndpointUrlRules } from '../../shared/outgoing/endpoint-url.ts'
import { ConnectionFailure, connectionFailure } from '../../shared/outgoing/failure.ts'
import { resolveBy, resolveByDns } from '../../shared/outgoing/resolve-host.ts'
import {
  type AgentMetadata,
  isMetadataProblem,
  readAgentMetadata,
} from '../apps/checks/agent-metadata.ts'
import { leadsToGateway } from '../apps/checks/own-host.ts'
import { documentAddressProblem } from './document-address.ts'
import { type FetchedDocument, fetchDocument, WrongAnswer } from './fetch-document.ts'

/** The document by which an app describes itself; its address is the app's `client_id`. */
export interface ClientDocument extends AgentMetadata {
  readonly address: string
  /** The host of the address, as a browser writes it: without letters that look like others. */
  readonly host: string
  /** SHA-256 of the document, lower-case hexadecimal. */
  readonly hash: string
}

/** Why there is no usable document: completes a sentence that begins with `client_id`. */
export class DocumentProblem {
  readonly message: string
  /** What operators read besides. */
  readonly internal: string | undefined

  constructor(message: string, internal?: string) {
    this.message = message
    this.internal = internal
  }
}

export interface ClientDocuments {
  /**
   * Returns the document at an address, from memory or fetched; `client` is the block of the client that asks. Throws
   * RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE.
   */
  find(
    address: string,
    client: string,
    baseUrls: GraphContext['baseUrls'],
  ): Promise<ClientDocument | DocumentProblem>
}

export interface ClientDocumentOptions extends EndpointUrlRules {
  /** Replaces the system's name servers. Its answers are checked like theirs. */
  readonly lookup?: LookupFunction
  readonly timeoutMs?: number
  /** How long a fetch waits for its turn. */
  readonly patienceMs?: number
  readonly failedHostMs?: number
}

const fetchesPerMinute = 10
const fetchesAtOnce = 4
const maxWaiting = 100
const maxDocuments = 1000
const minFreshSeconds = 300
const maxFreshSeconds = 86_400
const maxFailedHosts = 10_000

/**
 * Keeps valid documents in the memory of this process, and bounds what strangers can make it fetch. It sets timers only
 * while a fetch waits or runs.
 */
export function createClientDocuments(options: ClientDocumentOptions): ClientDocuments {
  const { lookup, timeoutMs = documentFetchMs, patienceMs = documentTurnMs } = options
  const { failedHostMs = 10_000 } = options
  const rules = { ...options, resolve: lookup ? resolveBy(lookup) : resolveByDns }
  const documents = new LRUCache<string, ClientDocument>({ ...atMost(maxDocuments), ttl: 1 })
  const failedHosts = new LRUCache<string, true>({ ...atMost(maxFailedHosts), ttl: failedHostMs })
  const running = new Map<string, Promise<ClientDocument | DocumentProblem>>()
  const counter = new RateLimiterMemory({ points: fetchesPerMinute, duration: 60 })
  const slots = createSlots(fetchesAtOnce, patienceMs)

  const hasFailed = (address: string) => failedHosts.has(new URL(address).host)

  async function fetchInTime(url: URL): Promise<FetchedDocument> {
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(new ConnectionFailure('timeout')), timeoutMs)
    try {
      return await fetchDocument(url, rules, ending.signal)
    } catch (error) {
      throw connectionFailure(ending.signal.aborted ? ending.signal.reason : error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function load(address: string, baseUrls: GraphContext['baseUrls']) {
    const url = new URL(address)
    try {
      const { text, maxAgeSeconds } = await fetchInTime(url)
      const document = readDocument(address, text, baseUrls)
      if (document instanceof DocumentProblem) {
        failedHosts.set(url.host, true)
        return document
      }
      const seconds = Math.min(Math.max(maxAgeSeconds, minFreshSeconds), maxFreshSeconds)
      documents.set(address, document, { ttl: seconds * 1000 })
      return document
    } catch (error) {
      if (!(error instanceof ConnectionFailure)) throw error
      failedHosts.set(url.host, true)
      return notFetched(url, error)
    }
  }

  async function loadInTurn(
    address: string,
    client: string,
    baseUrls: GraphContext['baseUrls'],
  ): Promise<ClientDocument | DocumentProblem> {
    await countFetch(counter, client)
    await slots.take()
    try {
      // Its host may have failed since.
      if (hasFailed(address)) return unusable(tried)
      return await load(address, baseUrls)
    } finally {
      slots.release()
    }
  }

  return {
    async find(address, client, baseUrls) {
      const problem = documentAddressProblem(address, options)
      if (problem !== null) return new DocumentProblem(problem)
      if (leadsToGateway(address, baseUrls))
        return new DocumentProblem('must not lead to this gateway')
      const known = documents.get(address)
      if (known) return known
      const asked = running.get(address)
      if (asked) return asked
      if (hasFailed(address)) return unusable(tried)
      const loading = loadInTurn(address, client, baseUrls).finally(() => running.delete(address))
      running.set(address, loading)
      return loading
    },
  }
}

const tried = 'tried a moment ago'

/** Anybody may ask, and must not learn which names the name servers here know, and what listens where. */
function notFetched({ host }: URL, failure: ConnectionFailure): DocumentProblem {
  if (failure instanceof WrongAnswer) return unusable(failure.message)
  return unusable('its host cannot be reached', `No document from ${host}: ${failure.message}.`)
}

function unusable(reason: string, internal?: string): DocumentProblem {
  return new DocumentProblem(`has no document that can be fetched: ${reason}`, internal)
}

function readDocument(
  address: string,
  text: string,
  baseUrls: GraphContext['baseUrls'],
): ClientDocument | DocumentProblem {
  const wrong = (why: string) => new DocumentProblem(`has a document that is not valid: ${why}`)
  const members = parseObject(text)
  if (!members) return wrong('it must be an object in JSON')
  if (members.client_id !== address) return wrong('client_id must be the address of the document')
  const method = members.token_endpoint_auth_method ?? 'none'
  // A secret that stands in a public document is none.
  if (method !== 'none' || 'client_secret' in members) {
    return wrong('token_endpoint_auth_method must be none, without a client_secret')
  }
  const host = new URL(address).hostname
  const read = readAgentMetadata(members, { baseUrls, linkHost: host })
  if (isMetadataProblem(read)) return wrong(read.description)
  return { ...read, address, host, hash: hash('sha256', text, 'hex') }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null
  } catch {
    return null
  }
}

async function countFetch(counter: RateLimiterMemory, client: string): Promise<void> {
  try {
    await counter.consume(client)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
    const message = `At most ${fetchesPerMinute} new client documents are fetched for an address in a minute.`
    throw new DomainError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds })
  }
}

/** At most `places` at once; whoever waits longer than `patienceMs` is refused. */
function createSlots(places: number, patienceMs: number) {
  let free = places
  const waiting = new Set<() => void>()
  const busy = () =>
    new DomainError('SERVICE_UNAVAILABLE', 'Too many client documents are fetched at once.', {
      retryAfterSeconds: 1,
    })
  return {
    async take(): Promise<void> {
      if (free > 0) {
        free -= 1
        return
      }
      if (waiting.size >= maxWaiting) throw busy()
      await new Promise<void>((resolve, reject) => {
        const begin = () => {
          clearTimeout(timer)
          waiting.delete(begin)
          resolve()
        }
        const timer = setTimeout(() => {
          waiting.delete(begin)
          reject(busy())
        }, patienceMs)
        waiting.add(begin)
      })
    },
    release(): void {
      const [next] = waiting
      if (next) next()
      else free += 1
    },
  }
}
