import { Counter, Gauge, Registry } from '@prometheus-io/client'
import type { Queue } from '../../rest-facade/charge/batching/batch.ts'
import type { CallMetrics } from '../../rest-facade/metrics/call-metrics.ts'
import { metricsOfProcess } from './process-metrics.ts'
import { TallyCounter, TallyHistogram } from './tallies.ts'

/** Connections of one subgraph to its database. */
export interface PoolUse {
  readonly inUse: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}

/** A limiter that can fail open (docs/spec.md §8.3). */
export interface OpenableLimiter {
  isOpen(): boolean
  /** Requests that were let through uncounted. */
  unchecked(): number
}

/**
 * The metrics that a monitor can read on the internal listener. Labels are bounded: templates of
 * routes, names of services, modules, operations and subgraphs, never an id.
 */
export interface Metrics extends CallMetrics {
  readonly registry: Registry
  readonly requests: TallyCounter<'listener' | 'method' | 'route' | 'status'>
  readonly requestSeconds: TallyHistogram<'listener' | 'method' | 'route' | 'status_class'>
  readonly rateLimited: TallyCounter<'listener' | 'limiter'>
  readonly refusedConnections: Counter<'listener'>
  readonly overloadRefusals: Counter
  readonly creditsCharged: TallyCounter<'service'>
  readonly charges: TallyCounter<'environment' | 'service' | 'outcome'>
  readonly expiredHolds: Counter
  /**
   * The time that the gateway adds to a metered call: the time of the call without the time of the
   * module.
   */
  readonly addedSeconds: TallyHistogram<'environment'>
  readonly backendRequests: TallyCounter<'environment' | 'module' | 'outcome'>
  readonly backendSeconds: TallyHistogram<'environment' | 'module'>
  readonly jobs: Counter<'operation' | 'outcome'>
  /** Jobs that are due and that nobody has taken up. */
  readonly waitingJobs: Gauge<'operation'>
  /** Seconds for which the oldest waiting job has been due. */
  readonly oldestJobSeconds: Gauge<'operation'>
  /** Jobs that failed too often; anything but 0 needs an operator (`gateway jobs list`). */
  readonly deadJobs: Gauge
  readonly webhookAttempts: Counter<'outcome'>
  /** Deliveries that are due and that nobody has taken up. */
  readonly waitingWebhooks: Gauge
  /** Seconds for which the oldest waiting delivery has been due. */
  readonly oldestWebhookSeconds: Gauge
  readonly mailAttempts: Counter<'outcome'>
  /** Mails that no mail server has taken yet. */
  readonly waitingMails: Gauge
  /** How long the oldest of these mails has been waiting. */
  readonly oldestMailSeconds: Gauge
  /** Balances that differ from their ledger, and charges from the usage log; anything but 0 is an alarm. */
  readonly ledgerDrifts: Gauge
  /** Whether live credits are given without a payment. */
  readonly simulatedPayments: Gauge
  /** Notifications of payment providers that changed nothing; `wrong_amount` and `unmatched` are alarms. */
  readonly paymentNotifications: Counter<'kind'>
  /** When the books were last compared, in Unix seconds; an old value is an alarm too. */
  readonly reconciledAt: Gauge
  /**
   * The age of the oldest open epoch: entries of the usage log since then may be in no sum yet. More
   * than three minutes are an alarm.
   */
  readonly oldestUsageEpochSeconds: Gauge
  /** The seconds for which the digest of the day has been missing in its place. */
  readonly digestOverdueSeconds: Gauge
  /** When the digest of the day was last found in its place, in Unix seconds. */
  readonly digestAt: Gauge
  readonly traceExports: Counter<'outcome'>
  /** The following values are read at each request for metrics, under this name. */
  watchQueue(name: string, queue: Queue): void
  watchDatabase(subgraph: string, use: () => PoolUse): void
  /** Whether calls of a live module are being refused. */
  watchBreaker(module: string, isOpen: () => boolean): void
  watchOpenHolds(count: () => number): void
  watchSettlementsInDoubt(inDoubt: InDoubt): void
  watchLimiter(limiter: OpenableLimiter): void
  /** Releases everything that is watched. */
  close(): void
}

/** See `SettlementsInDoubt` of rest-facade/charge. */
interface InDoubt {
  readonly oldestSeconds: () => number
  readonly credits: () => number
}

/**
 * The range of answer times: from a cached key and one statement to the longest wait for a backend.
 */
const requestBuckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/**
 * The range of the time that the gateway adds: from work in memory only to the wait for a locked
 * balance.
 */
const addedBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const backendBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(): Metrics {
  const registry = new Registry()
  for (const metric of metricsOfProcess()) registry.registerMetric(metric)
  return {
    registry,
    ...answerMetrics(registry),
    ...moneyMetrics(registry),
    ...bookMetrics(registry),
    ...backendMetrics(registry),
    ...jobMetrics(registry),
    ...webhookMetrics(registry),
    ...mailMetrics(registry),
    ...queueMetrics(registry),
    ...databaseMetrics(registry),
    close: () => registry.clear(),
  }
}

function answerMetrics(registry: Registry) {
  const registers = [registry]
  let limiter: OpenableLimiter | null = null
  new Gauge({
    name: 'gateway_rate_limiter_open',
    aggregator: 'max',
    help: 'Whether the limiter is unavailable, so that all requests are let through: 1 or 0.',
    registers,
    collect() {
      this.set(limiter?.isOpen() ? 1 : 0)
    },
  })
  new Counter({
    name: 'gateway_rate_limit_unchecked_total',
    help: 'Requests that were let through uncounted, because the limiter was unavailable.',
    registers,
    collect() {
      this.reset()
      this.inc(limiter?.unchecked() ?? 0)
    },
  })
  return {
    requests: new TallyCounter({
      name: 'gateway_http_requests_total',
      help: 'Answers, by the template of their route; 499: the client left before anything was done for it.',
      labelNames: ['listener', 'method', 'route', 'status'] as const,
      registers,
    }),
    requestSeconds: new TallyHistogram({
      name: 'gateway_http_request_duration_seconds',
      help: 'From the arrival of a request until its answer leaves.',
      labelNames: ['listener', 'method', 'route', 'status_class'] as const,
      buckets: requestBuckets,
      registers,
    }),
    rateLimited: new TallyCounter({
      name: 'gateway_rate_limited_total',
      help: "Requests refused with 429: an account's second, a client address's second, a minute, an account's declined payments, or new addresses for notifications.",
      labelNames: ['listener', 'limiter'] as const,
      registers,
    }),
    refusedConnections: new Counter({
      name: 'gateway_connections_refused_total',
      help: 'Connections closed at once, because one client had as many as it may.',
      labelNames: ['listener'] as const,
      registers,
    }),
    overloadRefusals: new Counter({
      name: 'gateway_overload_refused_total',
      help: 'Requests refused with 503, because the process had more than it can serve.',
      registers,
    }),
    watchLimiter(watched: OpenableLimiter) {
      limiter = watched
    },
  }
}

function moneyMetrics(registry: Registry) {
  const registers = [registry]
  let countOpenHolds = () => 0
  let inDoubt: InDoubt = { oldestSeconds: () => 0, credits: () => 0 }
  new Gauge({
    name: 'gateway_open_holds',
    help: 'Holds of this process whose calls are under way.',
    registers,
    collect() {
      this.set(countOpenHolds())
    },
  })
  new Gauge({
    name: 'gateway_settlements_in_doubt_seconds',
    aggregator: 'max',
    help: 'Seconds since the oldest charge without a known outcome was sent; 0 if there is none.',
    registers,
    collect() {
      this.set(inDoubt.oldestSeconds())
    },
  })
  new Gauge({
    name: 'gateway_settlements_in_doubt_credits',
    help: 'Credits of charges that were sent and whose outcome is not known.',
    registers,
    collect() {
      this.set(inDoubt.credits())
    },
  })
  return {
    creditsCharged: new TallyCounter({
      name: 'gateway_credits_charged_total',
      help: 'Credits charged, live.',
      labelNames: ['service'] as const,
      registers,
    }),
    charges: new TallyCounter({
      name: 'gateway_charges_total',
      help:
        'Metered calls: captured, released (nothing was due), expired (the answer came too late), ' +
        'refused (credits do not suffice), replayed (charged before).',
      labelNames: ['environment', 'service', 'outcome'] as const,
      registers,
    }),
    expiredHolds: new Counter({
      name: 'gateway_holds_expired_total',
      help: 'Holds that nobody settled in time, of any process.',
      registers,
    }),
    watchOpenHolds(count: () => number) {
      countOpenHolds = count
    },
    watchSettlementsInDoubt(watched: InDoubt) {
      inDoubt = watched
    },
  }
}

function bookMetrics(registry: Registry) {
  const registers = [registry]
  return {
    simulatedPayments: new Gauge({
      name: 'gateway_payments_simulated',
      aggregator: 'max',
      help: 'Whether this process simulates live payments, so that credits are given for nothing: 1 or 0.',
      registers,
    }),
    paymentNotifications: new Counter({
      name: 'gateway_payment_notifications_total',
      help: "Notifications of payment providers that changed nothing, by kind: of another type or of another system's payment, a collected amount or currency that was not asked for, or a refund or dispute that contradicts its payment.",
      labelNames: ['kind'],
      registers,
    }),
    ledgerDrifts: new Gauge({
      name: 'gateway_ledger_drifts',
      help: 'Balances that differ from their newest ledger entry or their open holds, and recent charges that differ from the usage log.',
      registers,
    }),
    reconciledAt: new Gauge({
      name: 'gateway_ledger_reconciled_timestamp_seconds',
      aggregator: 'max',
      help: 'When the books were last compared.',
      registers,
    }),
    oldestUsageEpochSeconds: new Gauge({
      name: 'gateway_usage_epoch_oldest_seconds',
      aggregator: 'max',
      help: 'How long ago the oldest epoch of the usage log began that is not in the sums yet; 0 without any.',
      registers,
    }),
    digestAt: new Gauge({
      name: 'gateway_digest_timestamp_seconds',
      aggregator: 'max',
      help: 'When this process last found the digest of the day in its place; 0: not yet, or digests have no place.',
      registers,
    }),
    digestOverdueSeconds: new Gauge({
      name: 'gateway_digest_overdue_seconds',
      aggregator: 'max',
      help: 'For how long this process has tried in vain to put the digest of the day into its place; 0 when it is there, or when digests have no place.',
      registers,
    }),
  }
}

function backendMetrics(registry: Registry) {
  const registers = [registry]
  const breakers = new Map<string, () => boolean>()
  new Gauge({
    name: 'gateway_backend_breaker_open',
    aggregator: 'max',
    help: 'Whether calls of a live backend module are refused because it has been failing: 1 or 0.',
    labelNames: ['module'],
    registers,
    collect() {
      for (const [module, isOpen] of breakers) this.set({ module }, isOpen() ? 1 : 0)
    },
  })
  return {
    backendRequests: new TallyCounter({
      name: 'gateway_backend_requests_total',
      help:
        'Calls of backend modules: answered, failed (a 5xx, or no whole answer), timeout, ' +
        'refused (not sent: breaker open, or too many waiting, of one account or of all).',
      labelNames: ['environment', 'module', 'outcome'] as const,
      registers,
    }),
    backendSeconds: new TallyHistogram({
      name: 'gateway_backend_request_duration_seconds',
      help: 'Of calls that were sent, from waiting for their turn to the last byte of the answer.',
      labelNames: ['environment', 'module'] as const,
      buckets: backendBuckets,
      registers,
    }),
    addedSeconds: new TallyHistogram({
      name: 'gateway_added_duration_seconds',
      help: 'Of metered calls that a module was asked for: from the arrival of the request until its answer leaves, without the time of the module.',
      labelNames: ['environment'] as const,
      buckets: addedBuckets,
      registers,
    }),
    watchBreaker(module: string, isOpen: () => boolean) {
      breakers.set(module, isOpen)
    },
  }
}

function jobMetrics(registry: Registry) {
  const registers = [registry]
  return {
    jobs: new Counter({
      name: 'gateway_jobs_total',
      help: 'Attempts at jobs of this process: completed or failed.',
      labelNames: ['operation', 'outcome'] as const,
      registers,
    }),
    waitingJobs: new Gauge({
      name: 'gateway_jobs_waiting',
      help: 'Jobs that are due and that nobody has taken up, of all processes.',
      labelNames: ['operation'] as const,
      registers,
    }),
    oldestJobSeconds: new Gauge({
      name: 'gateway_jobs_oldest_seconds',
      aggregator: 'max',
      help: 'For how long the oldest of them has been due; 0 without any.',
      labelNames: ['operation'] as const,
      registers,
    }),
    deadJobs: new Gauge({
      name: 'gateway_dead_jobs',
      help: 'Jobs that failed too often and wait for an operator.',
      registers,
    }),
  }
}

function webhookMetrics(registry: Registry) {
  const registers = [registry]
  return {
    webhookAttempts: new Counter({
      name: 'gateway_webhook_attempts_total',
      help:
        'Attempts to deliver an event: succeeded, refused (another status than 2xx), timeout, ' +
        'unreachable, forbidden (an address that is not public), ' +
        'unsigned (a secret that was sealed with another GATEWAY_SECRET).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    waitingWebhooks: new Gauge({
      name: 'gateway_webhooks_waiting',
      help: 'Deliveries that are due and that nobody has taken up, of all processes.',
      registers,
    }),
    oldestWebhookSeconds: new Gauge({
      name: 'gateway_webhooks_oldest_seconds',
      aggregator: 'max',
      help: 'Seconds for which the oldest delivery to a working endpoint has been due; 0 without any.',
      registers,
    }),
  }
}

function mailMetrics(registry: Registry) {
  const registers = [registry]
  return {
    mailAttempts: new Counter({
      name: 'gateway_mail_attempts_total',
      help: 'Attempts to send a mail: sent (a mail server has taken it), failed, given_up (the last of three days failed).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    waitingMails: new Gauge({
      name: 'gateway_mails_waiting',
      help: 'Mails that no mail server has taken yet, of all processes.',
      registers,
    }),
    oldestMailSeconds: new Gauge({
      name: 'gateway_mails_oldest_seconds',
      aggregator: 'max',
      help: 'For how long the oldest of them has been waiting; 0 without any.',
      registers,
    }),
  }
}

function databaseMetrics(registry: Registry) {
  const registers = [registry]
  const databases = new Map<string, () => PoolUse>()
  new Gauge({
    name: 'gateway_database_connections',
    help: 'Connections of this process to PostgreSQL: in use or idle.',
    labelNames: ['subgraph', 'state'],
    registers,
    collect() {
      for (const [subgraph, use] of databases) {
        const { inUse, idle } = use()
        this.set({ subgraph, state: 'in_use' }, inUse)
        this.set({ subgraph, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'gateway_database_connections_waiting',
    help: 'Statements that wait for a connection to PostgreSQL.',
    labelNames: ['subgraph'],
    registers,
    collect() {
      for (const [subgraph, use] of databases) this.set({ subgraph }, use().waiting)
    },
  })
  return {
    watchDatabase(subgraph: string, use: () => PoolUse) {
      databases.set(subgraph, use)
    },
  }
}

function queueMetrics(registry: Registry) {
  const registers = [registry]
  const queues = new Map<string, Queue>()
  new Gauge({
    name: 'gateway_queue_depth',
    help: 'Items that wait in this process: to be reserved, settled, or written to the usage log.',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const [queue, { waiting }] of queues) this.set({ queue }, waiting())
    },
  })
  new Gauge({
    name: 'gateway_queue_limit',
    help: 'How many may wait. When reserve or usage_log is full, requests are refused with 503.',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const [queue, { maxWaiting }] of queues) this.set({ queue }, maxWaiting)
    },
  })
  new Counter({
    name: 'gateway_batches_total',
    help: 'Batches that were sent to the database.',
    labelNames: ['queue'],
    registers,
    collect() {
      this.reset()
      for (const [queue, { batched }] of queues) if (batched) this.inc({ queue }, batched().batches)
    },
  })
  new Counter({
    name: 'gateway_batch_items_total',
    help: 'Items in them: a large mean means that the database has much to do.',
    labelNames: ['queue'],
    registers,
    collect() {
      this.reset()
      for (const [queue, { batched }] of queues) if (batched) this.inc({ queue }, batched().items)
    },
  })
  return {
    traceExports: new Counter({
      name: 'gateway_trace_exports_total',
      help: 'Batches of spans handed to the collector: exported or failed.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    watchQueue(name: string, queue: Queue) {
      queues.set(name, queue)
    },
  }
}
