import { LRUCache } from 'lru-cache'
import {
  type AccountCaller,
  actorOfAccount,
  serviceCaller,
} from '../../schema/credentials/caller.ts'
import type { AuditEventInput } from '../../schema/generated/operations.ts'
import { atMost } from '../../schema/process/at-most.ts'
import type { ErrorCode, OAuthErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Call } from '../http/call.ts'
import { type Allowance, createAllowance } from '../rate-limit/allowance.ts'
import { shareOf } from '../rate-limit/share-of.ts'
import { type AnonymousFailures, createAnonymousFailures } from './anonymous-failures.ts'

/**
 * Records refused callers. Refusals of an account are noted in memory and written periodically into
 * its audit trail, in one batch. Refusals of anonymous callers are only counted: see
 * `AnonymousFailures`.
 */
export interface RefusedCallers {
  /** Notes that a call was refused; above a rate per key, or of all keys, it only counts them. */
  readonly note: (call: Call, code: ErrorCode | OAuthErrorCode) => void
  /**
   * Writes the notes since the last time; notes that cannot be written are kept for the next time.
   */
  readonly write: () => Promise<void>
  /** Writes the notes of a process that stops: also the counts that wait for a line. */
  readonly writeAll: () => Promise<void>
}

/** Lines per key, or per app and account: a flood must not fill the trail of the account. */
const ofOne = { atOnce: 20, perSecond: 1 }
/** Lines of all keys of an account together: it leaves half of all lines to the others. */
const ofAccount = { atOnce: 250, perSecond: 5 }
/** Lines of all keys together: many accounts must not fill the disk either. */
const ofAll = { atOnce: 500, perSecond: 10 }
/** The number of keys and apps in memory; the least recent ones are counted as anonymous. */
const maxActors = 1000
/** The number of keys and apps of one account in memory. */
const maxActorsOfOne = 250
/** The number of lines that wait while the database is unavailable. */
const maxKept = 1000
/** The usage subgraph takes no more at once. */
const batchSize = 500

interface Refusal {
  readonly call: Call
  readonly caller: AccountCaller
  readonly code: ErrorCode | OAuthErrorCode
}

/**
 * One key, or one app for one account, with the refusals that have come since its last line and
 * have no line yet.
 */
interface Actor {
  readonly account: Account
  readonly allowance: Allowance
  left: number
  /** The last refusal. */
  last: Refusal | null
}

interface Account {
  readonly id: string
  /** The keys and apps of the account that are in memory, the oldest first. */
  readonly names: Set<string>
  readonly allowance: Allowance
}

interface RefusedCallersOptions {
  /** The time in milliseconds, by a monotonic clock. */
  readonly clockMs?: () => number
  /** The processes that divide the lines among them; 1 by default. */
  readonly processes?: number
}

/** Whether an account may have one more line now. */
type MayTake = (account: Account) => boolean

const writer = serviceCaller()

export function createRefusedCallers(
  execute: Execute,
  { clockMs = () => performance.now(), processes = 1 }: RefusedCallersOptions = {},
): RefusedCallers {
  let events: AuditEventInput[] = []
  const failures = createAnonymousFailures(execute, processes)
  const lines = createAllowance({ ...dividedBy(processes, ofAll), clockMs })
  const actors = createActors(failures, { clockMs, processes })

  function keep(refusal: Refusal, actor: Actor): void {
    events.push(toEvent(refusal, actor.left))
    Object.assign(actor, { left: 0, last: null })
  }

  /**
   * Writes one line per key for the refusals without a line, with their number. False: not for all.
   */
  function keepLeft(mayTake: MayTake): boolean {
    let isAllKept = true
    // The key with the oldest line comes first, so that one busy key does not take all lines.
    for (const actor of actors.byAge()) {
      if (!actor?.last) continue
      if (events.length >= maxKept) return false
      if (mayTake(actor.account)) {
        actor.left -= 1
        keep(actor.last, actor)
      } else {
        isAllKept = false
      }
    }
    return isAllKept
  }

  const mayTakeLine: MayTake = ({ allowance }) => allowance.take() && lines.take()

  async function writeLines(mayTake: MayTake): Promise<void> {
    let isAllKept = keepLeft(mayTake)
    while (events.length > 0) {
      const batch = events.slice(0, batchSize)
      await execute('RecordAuditEvents', { events: batch }, writer)
      events = events.slice(batch.length)
      // The counts are written only once: otherwise a flood would cause as many writes.
      if (!isAllKept) isAllKept = keepLeft(mayTake)
    }
  }

  async function write(mayTake: MayTake): Promise<void> {
    try {
      await writeLines(mayTake)
    } finally {
      await failures.write()
    }
  }

  return {
    note(call, code) {
      const { caller } = call
      if (!caller) return failures.note(call, code)
      const actor = actors.of(caller)
      const refusal = { call, caller, code }
      if (events.length < maxKept && actor.allowance.take() && mayTakeLine(actor.account)) {
        return keep(refusal, actor)
      }
      actor.left += 1
      actor.last = refusal
    },
    write: () => write(mayTakeLine),
    writeAll: () => write(() => true),
  }
}

/** The keys and apps that were refused. The refusals of those that are forgotten are counted as anonymous. */
function createActors(
  failures: AnonymousFailures,
  { clockMs, processes }: Required<RefusedCallersOptions>,
) {
  const ofKey = dividedBy(processes, ofOne)
  const ofKeys = dividedBy(processes, ofAccount)
  const accounts = new Map<string, Account>()
  const actors = new LRUCache<string, Actor>({ ...atMost(maxActors), dispose: countAsAnonymous })

  /** An account does not learn what the keys of other accounts did. */
  function countAsAnonymous({ account, left, last }: Actor, name: string): void {
    if (last) failures.note(last.call, last.code, left)
    account.names.delete(name)
    if (account.names.size === 0) accounts.delete(account.id)
  }

  function accountOf(id: string): Account {
    const account = accounts.get(id) ?? {
      ...{ id, names: new Set<string>() },
      allowance: createAllowance({ ...ofKeys, clockMs }),
    }
    accounts.set(id, account)
    return account
  }

  /** Each key has its own rate: its refusals do not hide those of another key. */
  function actorOf(caller: AccountCaller): Actor {
    const name = `${caller.accountId} ${actorOfAccount(caller).actorId}`
    const known = actors.get(name)
    if (known) return known
    const account = accountOf(caller.accountId)
    const allowance = createAllowance({ ...ofKey, clockMs })
    const actor = { account, allowance, left: 0, last: null }
    account.names.add(name)
    actors.set(name, actor)
    const [oldest] = account.names
    if (account.names.size > maxActorsOfOne && oldest !== undefined) actors.delete(oldest)
    return actor
  }

  return { of: actorOf, byAge: () => actors.rvalues() }
}

function dividedBy(processes: number, { atOnce, perSecond }: typeof ofOne): typeof ofOne {
  return { atOnce: shareOf(atOnce, processes), perSecond: perSecond / processes }
}

/** `left` counts the earlier refusals of the same key or app that are not in the trail. */
function toEvent({ call, caller, code }: Refusal, left: number): AuditEventInput {
  const { environment, arrivedAt, address, requestId, traceId } = call
  return {
    id: newId('aud'),
    accountId: caller.accountId,
    environment,
    occurredAt: arrivedAt.toISOString(),
    ...actorOfAccount(caller),
    action: 'access.deny',
    resourceId: null,
    address,
    requestId,
    traceId,
    result: code,
    details: { method: call.method, endpoint: call.endpoint, not_recorded_before: left },
  }
}
