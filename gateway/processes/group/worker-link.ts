import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ProbeBackends } from '../../../rest-facade/backends/probes.ts'
import { countToLimit, type RateLimiter } from '../../../rest-facade/rate-limit/rate-limiter.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { CredentialNote } from '../../overload/known-credentials.ts'
import type { KeptMail } from '../../trial/mailbox/mailbox.ts'
import { type Channel, createChannel } from './channel.ts'
import { createHandedConnections } from './handed-connections.ts'
import {
  childCalls,
  handedConnection,
  type PassedStore,
  type Ports,
  primaryCalls,
} from './messages.ts'
import { jsonOf, sum } from './metrics-sum.ts'
import { createAskedMinute } from './minute-counts.ts'
import type { ProcessGroup, SharedChanges } from './process-group.ts'
import { keepFindings } from './shared-probes.ts'
import { createShares } from './window-shares.ts'

/** The connection of this process to the primary: the needed part of `process`. */
export interface ProcessPort {
  send(message: object): void
  on(event: 'message', listener: (message: unknown, socket: unknown) => void): unknown
}

/** The data that a process gets at its start. */
export interface Begin {
  readonly store: PassedStore | null
  readonly ports: Ports
}

/** A child process of a gateway with workers, as seen from itself. */
export interface WorkerLink {
  readonly processGroup: ProcessGroup
  readonly primary: Channel<typeof primaryCalls>
  /** Resolves when the ports are open; rejects when the process has to end before. */
  readonly begun: Promise<Begin>
  /** Resolves when the databases can be used; rejects as `begun` does. */
  readonly mayGo: Promise<{ readonly simulatorUrl: string }>
  /** Resolves when the process has to end. */
  readonly ended: Promise<void>
  readonly hasEnded: () => boolean
  /**
   * The process has started: from now on it answers requests for its metrics, and reports its
   * problems.
   */
  become(metrics: Metrics): void
  /** Tells why the start failed; resolves when the primary knows. */
  fail(error: unknown): Promise<void>
  /** Passes the counts of this process on; resolves when the primary has them. */
  leave(): Promise<void>
}

interface LinkOptions {
  readonly part: ProcessGroup['part']
  readonly port: ProcessPort
  readonly workers: number
  readonly log: Logger
}

/** The interval at which a process checks whether it has a problem that the others must know. */
const problemMs = 200

// oxlint-disable-next-line max-lines-per-function -- its short functions share one channel, a message each.
export function linkToPrimary({ port, part, workers, log }: LinkOptions): WorkerLink {
  const begun = Promise.withResolvers<Begin>()
  const mayGo = Promise.withResolvers<{ simulatorUrl: string }>()
  const ended = Promise.withResolvers<void>()
  // Possibly nobody awaits these promises.
  begun.promise.catch(() => {})
  mayGo.promise.catch(() => {})
  let hasEnded = false
  let isReplaced = false
  let ownProblem: () => string | null = () => null
  let ports: Ports = { live: 0, sandbox: 0, internal: 0 }
  let othersProblem: string | null = 'The gateway is starting.'
  let noteSpent: (accountId: string, ms: number) => void = () => {}
  let forget: (accountId: string | null) => void = () => {}
  let earlyCredentials: readonly CredentialNote[] = []
  let takeCredentials = (notes: readonly CredentialNote[]) => {
    earlyCredentials = [...earlyCredentials, ...notes]
  }
  let own: Metrics | null = null
  let ownMails: () => readonly KeptMail[] = () => []
  let timer: NodeJS.Timeout | undefined
  const breakers = createBreakerWatch()
  const probes = new Map<string, ProbeBackends>()

  const primary = createChannel({
    ours: childCalls,
    theirs: primaryCalls,
    send: (message) => port.send(message),
    onFailure: (error) => log.error({ err: error }, 'A message of the primary failed'),
    handlers: {
      begin(told) {
        ports = told.ports
        begun.resolve(told)
      },
      go({ simulatorUrl, openBreakers }) {
        for (const module of openBreakers) breakers.note(module, true)
        mayGo.resolve({ simulatorUrl })
      },
      end(told) {
        isReplaced = told.isReplaced
        hasEnded = true
        ended.resolve()
        const tooLate = new Error('The gateway stops.')
        begun.reject(tooLate)
        mayGo.reject(tooLate)
      },
      problem(told) {
        othersProblem = told
      },
      breaker: ({ module, isOpen }) => breakers.note(module, isOpen),
      probe: async (environment) => (await probes.get(environment)?.()) ?? [],
      spent(told) {
        for (const [accountId, ms] of told) noteSpent(accountId, ms)
      },
      forget(accountId) {
        forget(accountId)
        return null
      },
      credentials: (notes) => takeCredentials(notes),
      measure: async () => (own ? jsonOf(own.registry) : []),
      showMails: () => [...ownMails()],
    },
  })
  const connections = createHandedConnections(primary, () => ports)
  port.on('message', (message, socket) => {
    if (primary.receive(message)) return
    const handed = handedConnection.safeParse(message)
    if (!handed.success) return
    const { listener, connection } = handed.data
    connections.take(listener, connection, socket as Socket | undefined)
  })

  const countInShare = createShares({
    workers,
    onFailure: (error) =>
      log.error({ err: error }, 'The primary cannot count: requests are let through uncounted'),
    async ask(asks) {
      const answer = primary.ask('takeWindows', [...asks])
      // The counts of a turn are asked for at its end, so the message leaves at once.
      primary.flush()
      return answer
    },
  })

  function windowLimiter(name: string): RateLimiter {
    return countToLimit((key, limitRps, requests) =>
      countInShare(`${name} ${key}`, limitRps, requests),
    )
  }

  const processGroup: ProcessGroup = {
    part,
    workers,
    windowLimiter,
    minuteLimit: (name, perMinute) =>
      createAskedMinute(name, perMinute, (asked) => primary.ask('countMinute', asked)),
    sourceOf: (listener) => connections.sourceOf(listener),
    breakers: {
      tell: (module, isOpen) => primary.tell('breaker', { module, isOpen }),
      watch: (module, onChange) => breakers.watch(module, onChange),
    },
    shareProbes(environment, probe) {
      probes.set(environment, probe)
      const find = keepFindings()
      const ask = () => primary.ask('findBackends', environment)
      return async () => (await find(ask)).backends
    },
    spending: {
      tell: createSpendingReports((spent) => primary.tell('spent', spent)),
      watch(note) {
        noteSpent = note
      },
    },
    changes: createSharedChanges(primary, (listener) => {
      forget = listener
    }),
    credentials: {
      // A primary that ends passes no credentials on. A credential that stays in use is noted again a
      // minute later.
      tell: (notes) => void primary.ask('noteCredentials', [...notes]).catch(() => {}),
      watch(take) {
        // The primary tells the credentials that it knows at once, before anything here listens.
        take(earlyCredentials)
        earlyCredentials = []
        takeCredentials = take
      },
    },
    problem: () => othersProblem,
    answerFor(problem) {
      ownProblem = problem
    },
    isReplaced: () => isReplaced,
    showMails(list) {
      ownMails = list
    },
    async keptMails(kept) {
      return [...kept, ...(await primary.ask('collectMails', null))]
    },
    async metricsText() {
      return sum(await primary.ask('collectMetrics', null)).metrics()
    },
  }

  return {
    processGroup,
    primary,
    begun: begun.promise,
    mayGo: mayGo.promise,
    ended: ended.promise,
    hasEnded: () => hasEnded,
    async fail(error) {
      const { name, message, code, stack } = Object(error)
      const told = { name, message: message ?? error, code, stack }
      const texts = Object.entries(told).map(([member, value]) => [member, String(value ?? '')])
      await primary.ask('failed', Object.fromEntries(texts)).catch(() => {})
    },
    become(metrics) {
      own = metrics
      let told: string | null = null
      primary.tell('ready', null)
      timer = setInterval(() => {
        const now = ownProblem()
        if (now === told) return
        told = now
        primary.tell('problem', now)
      }, problemMs)
    },
    async leave() {
      clearInterval(timer)
      if (own) await primary.ask('lastMetrics', await jsonOf(own.registry)).catch(() => {})
    },
  }
}

/** Breakers that open before anybody watches them are reported later. */
function createBreakerWatch() {
  const open = new Set<string>()
  const watchers = new Map<string, ((isOpen: boolean) => void)[]>()
  return {
    note(module: string, isOpen: boolean): void {
      if (isOpen) open.add(module)
      else open.delete(module)
      for (const tell of watchers.get(module) ?? []) tell(isOpen)
    },
    watch(module: string, onChange: (isOpen: boolean) => void): void {
      watchers.set(module, [...(watchers.get(module) ?? []), onChange])
      if (open.has(module)) onChange(true)
    },
  }
}

/** A message for each request would cost more than many requests do. */
const spendingMs = 50

/**
 * Returns a function that notes the time that was spent on an account. The times of a moment are
 * told together.
 */
function createSpendingReports(tell: (spent: [string, number][]) => void) {
  const untold = new Map<string, number>()
  return function note(accountId: string, ms: number): void {
    if (untold.size === 0) setTimeout(report, spendingMs).unref()
    untold.set(accountId, (untold.get(accountId) ?? 0) + ms)
  }

  function report(): void {
    tell([...untold])
    untold.clear()
  }
}

function createSharedChanges(
  primary: Channel<typeof primaryCalls>,
  watch: SharedChanges['watch'],
): SharedChanges {
  const undelivered = new Set<Promise<unknown>>()
  return {
    watch,
    tell(accountId) {
      // A process that cannot be reached has ended, so it remembers nothing.
      const delivery: Promise<unknown> = primary
        .ask('forget', accountId)
        .catch(() => {})
        .finally(() => undelivered.delete(delivery))
      undelivered.add(delivery)
    },
    noticesDelivered: () =>
      undelivered.size === 0 ? null : Promise.all(undelivered).then(() => {}),
  }
}
