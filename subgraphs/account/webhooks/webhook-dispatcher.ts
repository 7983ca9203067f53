import type { Database } from '../../shared/database/database.ts'
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
import { openUrl, sealFormerUrls, unknownUrl } from './webhook-url.ts'

export interface DispatcherOptions {
  /** Everybody's. */
  readonly database: Database
  readonly gatewaySecret: string
  readonly sender: WebhookSender
  /** Of an attempt, as the sender has it. */
  readonly timeoutMs: number
  /** Pauses after each failed attempt; after the last there is one more attempt. */
  readonly retrySeconds: readonly number[]
  /** An endpoint to which nothing has arrived for so long is disabled. */
  readonly disableAfterHours: number
  /** Told how each attempt ended. */
  readonly noteAttempt: (outcome: AttemptOutcome) => void
  /** Told of what is no receiver's fault. */
  readonly warn: (message: string, cause: unknown) => void
}

export type AttemptOutcome =
  | 'succeeded'
  | 'refused'
  | 'timeout'
  | 'forbidden'
  | 'unreachable'
  | 'unsigned'

export interface Dispatcher {
  /** Something may be due. */
  wake(): void
  /** Begins nothing new; what is under way has a moment, then others do it anew. */
  stop(): Promise<void>
}

const pollMs = 1000
/** Deliveries at a time, of one process. */
const maxSlots = 256
/** Endpoints without a prompt arrival, or whose last attempt failed or took long, have no more of them, whatever there is. */
const maxSuspectSlots = 128
const suspectLatencyMs = 2000
/** Of one account in one environment: so that no few can have them all. */
const maxPerOwner = 16
/** The others are for those of its endpoints that work. */
const maxSuspectsPerOwner = 8
/** To one endpoint that works. */
const maxPerEndpoint = 2
/** Beyond the timeout, until another dispatcher may try: to write down what came of it. */
const leaseMarginMs = 5000
const stopPatienceMs = 1000
const warningPauseMs = 10_000
/** After which nobody waits for a receiver that asked for patience. */
const maxPatienceSeconds = 86_400
/** Beyond the longest pause: who had nothing to try for longer has not been failing meanwhile. */
const silenceMarginSeconds = 86_400
/** So that what failed together is not tried together. */
const jitter = 0.2
/** What the sender had no room for. */
const crowdedSeconds = 1

/**
 * Sends what is due, until it is stopped. Any number may do so: what one has is nobody else's until its
 * lease ends, and then it is tried again, so nothing is lost with a process.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, sender, timeoutMs } = options
  const secretKey = secretKeyOf(options.gatewaySecret)
  const stopping = new AbortController()
  const running = new Map<Promise<void>, Claimed>()
  let claiming: Promise<void> | null = null
  let isWoken = false
  let isStopped = false
  let warnedAtMs = Number.NEGATIVE_INFINITY

  /** While the database is away everything meets the same error: said once in a while. */
  function warnAtTimes(message: string, cause: unknown): void {
    if (performance.now() - warnedAtMs < warningPauseMs) return
    warnedAtMs = performance.now()
    options.warn(message, cause)
  }

  async function send(claimed: Claimed, url: string | null): Promise<SendOutcome> {
    const { eventId, endpointId } = claimed
    const secrets = secretsOf(secretKey, claimed)
    if (secrets && url !== null) {
      const message = { id: eventId, key: endpointId, url, secrets, body: bodyOf(claimed) }
      return sender.send(message, stopping.signal)
    }
    const cause = new Error(
      `A secret or the address of ${endpointId} was sealed with another GATEWAY_SECRET.`,
    )
    warnAtTimes(`The delivery ${claimed.id} could not be signed`, cause)
    return notSigned
  }

  async function attempt(claimed: Claimed, leaseEndsMs: number): Promise<void> {
    const attemptedAt = new Date().toISOString()
    // Whoever froze meanwhile begins nothing that may be another's.
    if (performance.now() + timeoutMs > leaseEndsMs) return release(database, claimed, 0)
    const url = openUrl(secretKey, claimed.url, claimed.endpointId)
    const outcome = await send(claimed, url)
    if (outcome.failure === 'stopped') return release(database, claimed, 0)
    if (outcome.failure === 'too many at once') return release(database, claimed, crowdedSeconds)
    options.noteAttempt(kindOf(outcome))
    const { origin } = new URL(url ?? unknownUrl)
    await recordAttempt(database, claimed, {
      ...ended(claimed, outcome, attemptedAt, options),
      origin,
    })
    await sealFormerUrls(database, secretKey, [{ id: claimed.endpointId, url: claimed.url }])
  }

  function begin(claimed: Claimed, leaseEndsMs: number): void {
    const attempted = attempt(claimed, leaseEndsMs)
      // Its lease ends, and it is tried again.
      .catch((error: unknown) => warnAtTimes(`The delivery ${claimed.id} went unrecorded`, error))
      .finally(() => {
        running.delete(attempted)
        wake()
      })
    running.set(attempted, claimed)
  }

  async function claimAll(): Promise<void> {
    while (!isStopped) {
      const room = roomOf([...running.values()])
      if (room.slots <= 0) return
      const leaseMs = timeoutMs + leaseMarginMs
      const leaseEndsMs = performance.now() + leaseMs
      const claimed = await claim(database, { ...room, leaseSeconds: leaseMs / 1000 })
      if (isStopped) await Promise.all(claimed.map((one) => release(database, one, 0)))
      else for (const one of claimed) begin(one, leaseEndsMs)
      if (claimed.length === 0) return
    }
  }

  function wake(): void {
    isWoken = true
    claiming ??= claimWhileWoken().finally(() => {
      claiming = null
      if (isWoken && !isStopped) wake()
    })
  }

  async function claimWhileWoken(): Promise<void> {
    while (isWoken && !isStopped) {
      isWoken = false
      // The next poll tries again.
      await claimAll().catch((error: unknown) => warnAtTimes('No delivery was taken up', error))
    }
  }

  const timer = setInterval(wake, pollMs)
  wake()
  return {
    wake,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await claiming
      const patience = setTimeout(() => stopping.abort(), stopPatienceMs)
      await Promise.allSettled(running.keys())
      clearTimeout(patience)
    },
  }
}

/** What may be begun beside what runs. */
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

/** An attempt all the same: it goes through the schedule, and its owner sees it. */
const notSigned: SendOutcome = {
  ...{ status: null, latencyMs: 0, retryAfterSeconds: null },
  failure: 'not signed',
}

/** Every attempt sends the same bytes. */
function bodyOf({ eventId, type, happenedAt, accountId, data }: Claimed): string {
  const created_at = happenedAt.toISOString()
  return JSON.stringify({ id: eventId, type, created_at, account_id: accountId, data })
}

function kindOf({ status, failure }: SendOutcome): AttemptOutcome {
  if (failure === null) return 'succeeded'
  if (status !== null) return 'refused'
  if (failure === 'timeout') return 'timeout'
  if (failure === notSigned.failure) return 'unsigned'
  return failure === 'forbidden address' ? 'forbidden' : 'unreachable'
}

type Schedule = Pick<DispatcherOptions, 'retrySeconds' | 'disableAfterHours'>

function ended(
  { tries }: Claimed,
  { status: statusCode, latencyMs, failure, retryAfterSeconds }: SendOutcome,
  attemptedAt: string,
  { retrySeconds, disableAfterHours }: Schedule,
): Omit<EndedAttempt, 'origin'> {
  const attempt = { attemptedAt, statusCode, latencyMs, failure }
  const isSuspect = failure !== null || latencyMs > suspectLatencyMs
  const silenceSeconds = silenceSecondsOf(retrySeconds)
  const common = { attempt, isSuspect, disableAfterHours, silenceSeconds }
  const pause = retrySeconds[tries]
  if (failure === null || pause === undefined) {
    const status = failure === null ? 'succeeded' : 'failed'
    return { ...common, status, delaySeconds: 0 }
  }
  const asked = Math.min(retryAfterSeconds ?? 0, maxPatienceSeconds)
  const delaySeconds = Math.max(pause * (1 + jitter * Math.random()), asked)
  return { ...common, status: 'pending', delaySeconds }
}

function silenceSecondsOf(retrySeconds: readonly number[]): number {
  return Math.max(maxPatienceSeconds, ...retrySeconds) * (1 + jitter) + silenceMarginSeconds
}
