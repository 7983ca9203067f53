import { deriveKey } from '../../schema/credentials/secrets.ts'
import type { Config } from './config.ts'

/** The key that signs internal tokens. */
export function internalTokenKeyOf(gatewaySecret: string): Uint8Array {
  return deriveKey(gatewaySecret, 'internal-token')
}

/** The names of a role's internal listener, and the token for its metrics. */
export function internalSettingsOf(config: Config, role: string) {
  return {
    // Between processes, a role's name is its host name.
    names: [role, config.INTERNAL_HOST, ...config.INTERNAL_NAMES],
    metricsToken: config.METRICS_TOKEN ?? null,
  }
}
