import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { simulatesLive } from '../config/subgraph-settings.ts'
import type { Metrics } from '../observability/metrics.ts'

interface AnnounceOptions {
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * For a process that collects payments: nobody is to overlook that live ones are simulated. Returns what its
 * readiness says of it.
 */
export function announcePayments(
  config: Config,
  { log, metrics }: AnnounceOptions,
): Readonly<Record<string, string>> {
  const isSimulated = simulatesLive(config)
  metrics.simulatedPayments.set(isSimulated ? 1 : 0)
  if (isSimulated && config.databases.size > 0) {
    log.warn('Live payments are simulated (PAYMENTS=simulated): credits are given for nothing')
  }
  return { payments: isSimulated ? 'simulated' : 'stripe' }
}
