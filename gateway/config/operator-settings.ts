import { deriveKey } from '../../schema/credentials/secrets.ts'
import { isLoopbackHost, isPlainHttp, localUrl, servesOwnMachine } from './addresses.ts'
import type { Settings } from './variables/environment.ts'

/** What is wrong with the address of the operators' page, one line each. */
export function operatorProblems(config: Partial<Settings>): string[] {
  const { OPERATOR_BASE_URL: address, HOST = '127.0.0.1' } = config
  if (address === undefined) return []
  const problems: string[] = []
  if (isPlainHttp(address)) {
    problems.push(
      'OPERATOR_BASE_URL must be https, or http on loopback: its cookie is worth all accounts',
    )
  }
  const own = nameOf(address)
  if (isLoopbackHost(own)) return problems
  const shared = (['BASE_URL', 'SANDBOX_BASE_URL'] as const).find(
    (name) => nameOf(config[name] ?? localUrl(HOST, 0)) === own,
  )
  if (shared) {
    problems.push(
      `OPERATOR_BASE_URL must not have the host name of ${shared}: cookies do not distinguish ports`,
    )
  }
  return problems
}

function nameOf(address: string): string {
  return new URL(address).hostname.replace(/\.$/, '')
}

/**
 * The address of the operators' page; null: there is none. A trial on this machine has one without a setting, at the
 * internal listener, which has this port.
 */
export function operatorBaseUrlOf(
  config: Settings & { readonly databases: ReadonlyMap<string, unknown> },
  internalPort: number,
): string | null {
  const { OPERATOR_BASE_URL, databases, INTERNAL_HOST } = config
  if (OPERATOR_BASE_URL !== undefined) return new URL(OPERATOR_BASE_URL).origin
  const isTrial = databases.size === 0 && servesOwnMachine(config) && isLoopbackHost(INTERNAL_HOST)
  return isTrial ? `http://localhost:${internalPort}` : null
}

/** The issuer at which operators sign in; null: none is configured. */
export function oidcSettingsOf(config: Settings, baseUrl: string, gatewaySecret: string) {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_ROLES: roles } = config
  const { OPERATOR_OIDC_CLIENT_ID: clientId, OPERATOR_OIDC_CLIENT_SECRET: clientSecret } = config
  if (!issuer || !clientId || !clientSecret || !roles) return null
  const key = deriveKey(gatewaySecret, 'operator-sign-in')
  return { issuer, clientId, clientSecret, roles, baseUrl, key }
}
