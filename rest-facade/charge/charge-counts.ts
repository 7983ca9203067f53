import type { Environment } from '../../schema/credentials/caller.ts'
import type { CallMetrics } from '../metrics/call-metrics.ts'

/** The series in which the charges of an operation are counted. */
export interface ChargeCounts {
  readonly outcomes: Readonly<
    Record<'captured' | 'released' | 'expired' | 'refused' | 'replayed', { inc(): void }>
  >
  readonly credits: { inc(credits: number): void }
}

/** The series of one operation. */
export function chargeCountsOf(
  { charges, creditsCharged }: CallMetrics,
  environment: Environment,
  service: string,
): ChargeCounts {
  const of = (outcome: string) => charges.labels({ environment, service, outcome })
  return {
    outcomes: {
      captured: of('captured'),
      released: of('released'),
      expired: of('expired'),
      refused: of('refused'),
      replayed: of('replayed'),
    },
    credits: creditsCharged.labels({ service }),
  }
}
