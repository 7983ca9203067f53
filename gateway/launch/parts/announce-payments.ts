import { simulatesLive } from '../../config/subgraph-settings.ts'
import type { ProcessContext } from '../process/process-context.ts'

/**
 * Warns operators if live payments are simulated, in a process that collects payments. Returns the
 * details that its readiness shows.
 */
export function announcePayments({
  config,
  log,
  metrics,
}: ProcessContext): Readonly<Record<string, string>> {
  const isSimulated = simulatesLive(config)
  metrics.simulatedPayments.set(isSimulated ? 1 : 0)
  if (isSimulated && config.databases.size > 0) {
    log.warn('Live payments are simulated (PAYMENTS=simulated): credits are given for nothing')
  }
  return { payments: isSimulated ? 'simulated' : 'stripe' }
}
