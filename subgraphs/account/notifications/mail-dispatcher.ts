import type { Database } from '../../shared/database/database.ts'
import {
  type Attempting,
  type DispatchLoop,
  startDispatchLoop,
} from '../../shared/dispatching/dispatch-loop.ts'
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
  /** The database as the view of all accounts. */
  readonly database: Database
  readonly gatewaySecret: string
  readonly links: MailLinks
  readonly sender: MailSender
  /** Receives the outcome of each attempt. */
  readonly noteAttempt: (outcome: MailOutcome) => void
  readonly warn: (message: string, cause: unknown) => void
}

/** The outcome of an attempt. `given_up`: the attempts of three days have failed. */
export type MailOutcome = 'sent' | 'failed' | 'given_up'

/** Mails that one process sends at the same time. */
const maxRunning = 8
/** The most mails of one account that one process sends at the same time. */
const maxOfOne = 4
const timeoutMs = 30_000
const leaseMarginMs = 10_000
const stopPatienceMs = 2000
const hourMs = 3_600_000
const firstPauseSeconds = 1
/**
 * In the first hour the next attempt follows within a minute, the time of an attempt and of a poll
 * included.
 */
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
 * Sends due mails until it is stopped: see `startDispatchLoop`. After a failure it sends one mail at a time
 * until one succeeds, so a dead mail server costs one attempt at a time.
 */
export function startMailDispatcher(options: MailDispatcherOptions): DispatchLoop {
  const { database, sender } = options
  let hasFailed = false

  async function noteFailure(claimed: ClaimedMail, error: unknown, { warn }: Attempting) {
    hasFailed = true
    const isGivenUp = await recordFailedMail(database, claimed, pauseAfter(claimed, Date.now()))
    options.noteAttempt(isGivenUp ? 'given_up' : 'failed')
    warn(`The mail ${claimed.id} was not sent`, error)
  }

  return startDispatchLoop<ClaimedMail>({
    ...{ noun: 'mail', timeoutMs, leaseMarginMs, stopPatienceMs, warn: options.warn },
    release: (claimed) => releaseMail(database, claimed),
    async claim(running, leaseSeconds) {
      const places = (hasFailed ? 1 : maxRunning) - running.length
      const room = { places, running: countsOf(running), maxOfOne, leaseSeconds }
      return places > 0 ? claimMails(database, room) : []
    },
    async attempt(claimed, attempting) {
      const { stopping } = attempting
      try {
        const mail = composeMail(claimed, options)
        await sender.send(mail, AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]))
      } catch (error) {
        if (stopping.aborted) return releaseMail(database, claimed)
        return noteFailure(claimed, error, attempting)
      }
      hasFailed = false
      options.noteAttempt('sent')
      await recordSentMail(database, claimed)
    },
  })
}

function countsOf(running: readonly ClaimedMail[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { accountId } of running) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return counts
}
