import { seal } from '../../../schema/credentials/secrets.ts'
import type { Database } from '../../shared/database/database.ts'
import {
  type Attempting,
  type DispatchLoop,
  startDispatchLoop,
} from '../../shared/dispatching/dispatch-loop.ts'
import { messageOf } from './event.service.ts'
import type { SendOutcome, WebhookSender } from './sender/webhook-sender.ts'
import { secretKeyOf } from './webhook-endpoint.service.ts'
import {
  type Claimed,
  claim,
  type EndedAttempt,
  ownerKeyOf,
  recordAttempt,
  release,
  secretsOf,
} from './webhook-queue.service.ts'
import { openUrl, unknownUrl } from './webhook-url.ts'

export interface DispatcherOptions {
  /** The database as the view of all accounts. */
  readonly database: Database
  readonly gatewaySecret: string
  readonly sender: WebhookSender
  /** The limit of an attempt, the same as that of the sender. */
  readonly timeoutMs: number
  /** The pauses after failed attempts. One more attempt follows the last pause. */
  readonly retrySeconds: readonly number[]
  /** Receives the outcome of each attempt. */
  readonly noteAttempt: (outcome: AttemptOutcome) => void
  /** Receives problems that are not the receiver's fault. */
  readonly warn: (message: string, cause: unknown) => void
}

export type AttemptOutcome =
  | 'succeeded'
  | 'refused'
  | 'timeout'
  | 'forbidden'
  | 'unreachable'
  | 'unsigned'

/** The limit of concurrent attempts in one process. */
const maxSlots = 256
/** The limit for all suspect endpoints together; the README defines them. */
const maxSuspectSlots = 128
const suspectLatencyMs = 2000
/** The limit of one account in one environment, so that a few accounts cannot have all places. */
const maxPerOwner = 16
/** The rest of an account's places is for its endpoints that work. */
const maxSuspectsPerOwner = 8
/** The limit of an endpoint that works. */
const maxPerEndpoint = 2
const leaseMarginMs = 5000
const stopPatienceMs = 1000
/** The longest pause that a receiver can ask for. */
const maxPatienceSeconds = 86_400
/** An endpoint without attempts for the longest pause and this time has not failed continuously. */
const silenceMarginSeconds = 86_400
/** Deliveries that failed together should not be tried again together. */
const jitter = 0.2
/** The pause of a delivery for which the sender had no place. */
const crowdedSeconds = 1

/** Sends due deliveries until it is stopped: see `startDispatchLoop`. */
export function startDispatcher(options: DispatcherOptions): DispatchLoop {
  const { database, sender, timeoutMs, warn } = options
  const secretKey = secretKeyOf(options.gatewaySecret)

  async function send(
    claimed: Claimed,
    url: string | null,
    { stopping, warn }: Attempting,
  ): Promise<SendOutcome> {
    const { eventId, endpointId } = claimed
    const secrets = secretsOf(secretKey, claimed)
    if (secrets && url !== null) {
      const message = { id: eventId, key: endpointId, url, secrets, body: bodyOf(claimed) }
      return sender.send(message, stopping)
    }
    const cause = new Error(
      `A secret or the address of ${endpointId} was sealed with another GATEWAY_SECRET.`,
    )
    warn(`The delivery ${claimed.id} could not be signed`, cause)
    return notSigned
  }

  return startDispatchLoop<Claimed>({
    ...{ noun: 'delivery', timeoutMs, leaseMarginMs, stopPatienceMs, warn },
    release: (claimed) => release(database, claimed, 0),
    async claim(running, leaseSeconds) {
      const room = roomOf(running)
      return room.slots > 0 ? claim(database, { ...room, leaseSeconds }) : []
    },
    async attempt(claimed, attempting) {
      const attemptedAt = new Date().toISOString()
      const url = openUrl(secretKey, claimed.url, claimed.endpointId)
      const outcome = await send(claimed, url, attempting)
      if (outcome.failure === 'stopped') return release(database, claimed, 0)
      if (outcome.failure === 'too many at once') return release(database, claimed, crowdedSeconds)
      options.noteAttempt(kindOf(outcome))
      const { origin } = new URL(url ?? unknownUrl)
      await recordAttempt(database, claimed, {
        ...ended(claimed, outcome, attemptedAt, options),
        ...{ origin, sealedText: sealText(secretKey, claimed, outcome) },
      })
    },
  })
}

/** The capacity that the running attempts leave. */
function roomOf(running: readonly Claimed[]) {
  const counts = countsOf(running.map(({ endpointId }) => endpointId))
  const suspect = running.filter(({ isSuspect }) => isSuspect)
  return {
    busyIds: [...counts.keys()],
    fullIds: [...counts].filter(([, count]) => count >= maxPerEndpoint).map(([id]) => id),
    ownerCounts: Object.fromEntries(countsOf(running.map(ownerKeyOf))),
    suspectOwnerCounts: Object.fromEntries(countsOf(suspect.map(ownerKeyOf))),
    maxPerOwner,
    maxSuspectsPerOwner,
    slots: maxSlots - running.length,
    suspectSlots: Math.max(0, maxSuspectSlots - suspect.length),
  }
}

function countsOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/**
 * The outcome where nothing could be signed. It counts as an attempt: the schedule goes on, and the account
 * sees it.
 */
const notSigned: SendOutcome = {
  ...{ status: null, latencyMs: 0, retryAfterSeconds: null },
  ...{ requestHeaders: null, responseText: null },
  failure: 'not signed',
}

/** Every attempt sends the same bytes. */
function bodyOf({ happenedAt, ...event }: Claimed): string {
  return JSON.stringify(messageOf({ ...event, happenedAt: happenedAt.toISOString() }))
}

function kindOf({ status, failure }: SendOutcome): AttemptOutcome {
  if (failure === null) return 'succeeded'
  if (status !== null) return 'refused'
  if (failure === 'timeout') return 'timeout'
  if (failure === notSigned.failure) return 'unsigned'
  return failure === 'forbidden address' ? 'forbidden' : 'unreachable'
}

function ended(
  { tries }: Claimed,
  { status: statusCode, latencyMs, failure, retryAfterSeconds, requestHeaders }: SendOutcome,
  attemptedAt: string,
  { retrySeconds }: Pick<DispatcherOptions, 'retrySeconds'>,
): Omit<EndedAttempt, 'origin' | 'sealedText'> {
  const attempt = { attemptedAt, statusCode, latencyMs, failure, requestHeaders }
  const isSuspect = failure !== null || latencyMs > suspectLatencyMs
  const silenceSeconds = silenceSecondsOf(retrySeconds)
  const common = { attempt, isSuspect, silenceSeconds }
  const pause = retrySeconds[tries]
  if (failure === null || pause === undefined) {
    const status = failure === null ? 'succeeded' : 'failed'
    return { ...common, status, delaySeconds: 0 }
  }
  const asked = Math.min(retryAfterSeconds ?? 0, maxPatienceSeconds)
  const delaySeconds = Math.max(pause * (1 + jitter * Math.random()), asked)
  return { ...common, status: 'pending', delaySeconds }
}

/** The text of the answer as it is stored: it may have secrets of its receiver. */
function sealText(
  key: Uint8Array,
  { id }: Pick<Claimed, 'id'>,
  { responseText }: SendOutcome,
): string | null {
  return responseText === null ? null : seal(key, responseText, id)
}

function silenceSecondsOf(retrySeconds: readonly number[]): number {
  return Math.max(maxPatienceSeconds, ...retrySeconds) * (1 + jitter) + silenceMarginSeconds
}
