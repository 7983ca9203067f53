import { deriveKey } from '../../schema/credentials/secrets.ts'
import type { Config } from './config.ts'

/** What internal tokens are signed with. */
export function internalTokenKeyOf(gatewaySecret: string): Uint8Array {
  return deriveKey(gatewaySecret, 'internal-token')
}

/** What the internal listener of a role is called, and what its metrics need. */
export function internalSettingsOf(config: Config, role: string) {
  return {
    // Where roles are processes, each is a host of its name to the others.
    names: [role, config.INTERNAL_HOST, ...config.INTERNAL_NAMES],
    metricsToken: config.METRICS_TOKEN ?? null,
  }
}
