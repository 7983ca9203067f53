import { Gauge, Registry } from '@prometheus-io/client'

/** What a monitor can read on the internal listener. */
export interface Metrics {
  readonly registry: Registry
  /** Balances that differ from their ledger, and charges from the usage log; anything but 0 is an alarm. */
  readonly ledgerDrifts: Gauge
  /** Unix seconds: an old one is an alarm too. */
  readonly reconciledAt: Gauge
  /** Jobs that failed too often; anything but 0 needs an operator (`gateway jobs list`). */
  readonly deadJobs: Gauge
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const ledgerDrifts = new Gauge({
    name: 'gateway_ledger_drifts',
    help: 'Balances that differ from their newest ledger entry or their open holds, and recent charges that differ from the usage log.',
    registers: [registry],
  })
  const reconciledAt = new Gauge({
    name: 'gateway_ledger_reconciled_timestamp_seconds',
    help: 'When the books were last compared.',
    registers: [registry],
  })
  const deadJobs = new Gauge({
    name: 'gateway_dead_jobs',
    help: 'Jobs that failed too often and wait for an operator.',
    registers: [registry],
  })
  return { registry, ledgerDrifts, reconciledAt, deadJobs }
}
