import { isPlainHttp, servesOwnMachine } from './addresses.ts'
import { operatorProblems } from './operator-settings.ts'
import { rpIdProblem } from './passkeys.ts'
import type { Settings } from './variables/environment.ts'

/** Lists values that are each right and do not fit together, one line each. */
export function contradictions(config: Partial<Settings>): string[] {
  const problems: string[] = []
  const { HOLD_TTL_SECONDS = 60, BACKEND_TIMEOUT_MS = 10_000 } = config
  if (HOLD_TTL_SECONDS * 1000 <= BACKEND_TIMEOUT_MS) {
    problems.push('HOLD_TTL_SECONDS must exceed BACKEND_TIMEOUT_MS: a hold must outlive its call')
  }
  const { DRAIN_NOTICE_SECONDS = 0, DRAIN_TIMEOUT_SECONDS = 25 } = config
  if (DRAIN_NOTICE_SECONDS > 0 && DRAIN_NOTICE_SECONDS >= DRAIN_TIMEOUT_SECONDS) {
    problems.push('DRAIN_TIMEOUT_SECONDS must exceed DRAIN_NOTICE_SECONDS, which is a part of it')
  }
  for (const name of ['BASE_URL', 'SANDBOX_BASE_URL'] as const) {
    if (isPlainHttp(config[name])) {
      problems.push(`${name} must be https, or http on loopback: tokens are issued in its name`)
    }
  }
  problems.push(...operatorProblems(config))
  const ofPasskeys = rpIdProblem(config)
  if (ofPasskeys !== null) problems.push(ofPasskeys)
  if (config.WEBHOOK_ALLOW_LOOPBACK === 'true' && !servesOwnMachine(config)) {
    problems.push(
      'WEBHOOK_ALLOW_LOOPBACK needs HOST and base URLs on loopback: customers could reach this machine',
    )
  }
  for (const use of ['EXPORT', 'DIGEST'] as const) {
    if (config[`${use}_DIR`] !== undefined && config[`${use}_S3_URL`] !== undefined) {
      problems.push(`${use}_DIR cannot be used beside ${use}_S3_URL`)
    }
  }
  if (config.MIGRATE_DATABASE_URL && !config.DATABASE_URL) {
    problems.push('MIGRATE_DATABASE_URL needs DATABASE_URL')
  }
  return problems
}
