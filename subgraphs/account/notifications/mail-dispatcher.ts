import type { Database } from '../../shared/database/database.ts'
import {
  type ClaimedMail,
  claimMails,
  recordFailedMail,
  recordSentMail,
  releaseMail,
} from './mail-queue.service.ts'
import { composeMail, type MailLinks } from './mails/compose-mail.ts'
import type { MailSender } from './sender/mail-sender.ts'

export interface MailDispatcherOptions {
  /** The view of all accounts. */
  readonly database: Database
  readonly gatewaySecret: string
  readonly links: MailLinks
  readonly sender: MailSender
  /** Receives the outcome of each attempt. */
  readonly noteAttempt: (outcome: MailOutcome) => void
  readonly warn: (message: string, cause: unknown) => void
}

/** `given_up`: three days of attempts failed. */
export type MailOutcome = 'sent' | 'failed' | 'given_up'

export interface MailDispatcher {
  /** Looks for due mails now. */
  wake(): void
  /** Begins no attempt. Running attempts have a moment; other dispatchers repeat those that do not end. */
  stop(): Promise<void>
}

const pollMs = 1000
/** Mails that one process sends at the same time. */
const maxRunning = 8
const timeoutMs = 30_000
/** The lease exceeds the timeout by this time, in which the result is recorded. */
const leaseMarginMs = 10_000
const stopPatienceMs = 2000
const warningPauseMs = 10_000
const hourMs = 3_600_000
const firstPauseSeconds = 1
/** In the first hour an attempt follows within a minute; an attempt and a poll take their time. */
const maxPauseSeconds = 25
const latePauseSeconds = 900
const jitter = 0.2

/**
 * The pause after a failed attempt: 1, 2, 4, 8, 16 and 25 seconds in the first hour, then a quarter of an
 * hour, each up to a fifth longer, so that mails that failed together are not tried together.
 */
export function pauseAfter(
  { tries, createdAt }: Pick<ClaimedMail, 'tries' | 'createdAt'>,
  nowMs: number,
): number {
  const early = Math.min(firstPauseSeconds * 2 ** Math.min(tries, 10), maxPauseSeconds)
  const pause = nowMs - createdAt.getTime() < hourMs ? early : latePauseSeconds
  return pause * (1 + jitter * Math.random())
}

/**
 * Sends due mails until it is stopped. Any number of dispatchers may run: a mail belongs to one of
 * them until its lease ends. After a failure a dispatcher sends one mail at a time until one
 * succeeds, so a dead mail server costs one attempt at a time.
 */
export function startMailDispatcher(options: MailDispatcherOptions): MailDispatcher {
  const { database, sender } = options
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let claiming: Promise<void> | null = null
  let isWoken = false
  let isStopped = false
  let hasFailed = false
  let warnedAtMs = Number.NEGATIVE_INFINITY

  /** While something is away, every attempt has the same error, so the log has one now and then. */
  function warnAtTimes(message: string, cause: unknown): void {
    if (performance.now() - warnedAtMs < warningPauseMs) return
    warnedAtMs = performance.now()
    options.warn(message, cause)
  }

  async function attempt(claimed: ClaimedMail, leaseEndsMs: number): Promise<void> {
    // A process that was frozen must not begin an attempt that may belong to another dispatcher.
    if (performance.now() + timeoutMs > leaseEndsMs) return releaseMail(database, claimed)
    try {
      const mail = composeMail(claimed, options)
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)])
      await sender.send(mail, signal)
    } catch (error) {
      if (stopping.signal.aborted) return releaseMail(database, claimed)
      return noteFailure(claimed, error)
    }
    hasFailed = false
    options.noteAttempt('sent')
    await recordSentMail(database, claimed)
  }

  async function noteFailure(claimed: ClaimedMail, error: unknown): Promise<void> {
    hasFailed = true
    const isGivenUp = await recordFailedMail(database, claimed, pauseAfter(claimed, Date.now()))
    options.noteAttempt(isGivenUp ? 'given_up' : 'failed')
    warnAtTimes(`The mail ${claimed.id} was not sent`, error)
  }

  function begin(claimed: ClaimedMail, leaseEndsMs: number): void {
    const attempted = attempt(claimed, leaseEndsMs)
      // The mail is tried again when its lease ends.
      .catch((error: unknown) => warnAtTimes(`The mail ${claimed.id} went unrecorded`, error))
      .finally(() => {
        running.delete(attempted)
        wake()
      })
    running.add(attempted)
  }

  async function claimAll(): Promise<void> {
    while (!isStopped) {
      const room = (hasFailed ? 1 : maxRunning) - running.size
      if (room <= 0) return
      const leaseMs = timeoutMs + leaseMarginMs
      const leaseEndsMs = performance.now() + leaseMs
      const claimed = await claimMails(database, room, leaseMs / 1000)
      if (isStopped) await Promise.all(claimed.map((mail) => releaseMail(database, mail)))
      else for (const mail of claimed) begin(mail, leaseEndsMs)
      if (claimed.length < room) return
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
      await claimAll().catch((error: unknown) => warnAtTimes('No mail was taken up', error))
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
      await Promise.allSettled(running)
      clearTimeout(patience)
    },
  }
}
