import type { ProbeBackends } from '../../../rest-facade/backends/probes.ts'
import type { BreakerPeers } from '../../../rest-facade/backends/protection.ts'
import { memoryRateLimiter } from '../../../rest-facade/rate-limit/memory-rate-limiter.ts'
import {
  createMinuteLimit,
  type MinuteLimit,
} from '../../../rest-facade/rate-limit/minute-limits.ts'
import type { RateLimiter } from '../../../rest-facade/rate-limit/rate-limiter.ts'
import type { AccountSpending } from '../../../rest-facade/steps/account-work/account-work.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { ConnectionSource } from '../../listeners/connection-source.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { CredentialPeers } from '../../overload/known-credentials.ts'
import type { KeptMail } from '../../trial/mailbox/mailbox.ts'
import type { ListenerName } from './messages.ts'
import { findNow, keepFindings } from './shared-probes.ts'

/** Everything that a process shares with the other processes of its gateway on this machine. */
export interface ProcessGroup {
  /**
   * The part of the process: everything, requests, or jobs and all other work that a gateway does
   * once.
   */
  readonly part: 'whole' | 'worker' | 'jobs'
  /** The number of workers, which divide some limits among them. */
  readonly workers: number
  /** Counts requests in windows of a second; names of different limiters differ. */
  windowLimiter(name: string): RateLimiter
  minuteLimit(name: string, perMinute: number): MinuteLimit
  /** The source of a listener's connections; undefined: a port of this process. */
  sourceOf(listener: ListenerName): ConnectionSource | undefined
  /** The breakers of the other processes; undefined: there are no other processes. */
  readonly breakers: BreakerPeers | undefined
  /**
   * Returns the same probes, made at most once a second by one process of the gateway for all
   * (docs/promises.md R5).
   */
  shareProbes(environment: Environment, probe: ProbeBackends): ProbeBackends
  /** The time that other processes spend on accounts; null: there are no other processes. */
  readonly spending: AccountSpending | null
  /** Changes of accounts in other processes; null: there are no other processes. */
  readonly changes: SharedChanges | null
  /** Credentials that other processes have accepted; null: there are no other processes. */
  readonly credentials: CredentialPeers | null
  /** The reason why other processes of the gateway cannot serve; null if they can. */
  problem(): string | null
  /** Tells the others the reason why this process cannot serve; null if it can. */
  answerFor(problem: () => string | null): void
  /** Whether another process has the place of this one, so that it ends while the gateway goes on. */
  isReplaced(): boolean
  /** The mails that this process keeps, for the others. */
  showMails(list: () => readonly KeptMail[]): void
  /** The mails that other processes keep, as well as its own. */
  keptMails(own: readonly KeptMail[]): Promise<readonly KeptMail[]>
  /** The metrics of all processes, as a monitor reads them. */
  metricsText(own: Metrics): Promise<string>
}

/** Carries the news that an account has changed to other processes. */
export interface ChangeTransport {
  /** Has the other processes forget an account; null stands for all accounts. */
  tell(accountId: string | null): void
}

/** Changes of accounts in the processes of a gateway. */
export interface SharedChanges extends ChangeTransport {
  /** Calls back when another process has changed an account, with null for all accounts. */
  watch(forget: (accountId: string | null) => void): void
  /**
   * Resolves when the other processes have forgotten the accounts that this one has named; null:
   * they already have.
   */
  noticesDelivered(): Promise<void> | null
}

/** A process that shares nothing. */
export const alone: ProcessGroup = {
  part: 'whole',
  workers: 1,
  windowLimiter: () => memoryRateLimiter(),
  minuteLimit: (_name, perMinute) => createMinuteLimit(perMinute),
  sourceOf: () => undefined,
  breakers: undefined,
  shareProbes(_environment, probe) {
    const find = keepFindings()
    return async () => (await find(() => findNow(probe))).backends
  },
  spending: null,
  changes: null,
  credentials: null,
  problem: () => null,
  answerFor: () => {},
  isReplaced: () => false,
  showMails: () => {},
  keptMails: async (own) => own,
  metricsText: ({ registry }) => registry.metrics(),
}

/** Like `run`, but answers only when all processes know of the changes that the run has made. */
export function answerAfterNotices<Asked extends readonly unknown[], Answer>(
  changes: SharedChanges,
  run: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  return async function runAndAwaitNotices(...asked) {
    const answer = await run(...asked)
    const delivered = changes.noticesDelivered()
    if (delivered) await delivered
    return answer
  }
}
