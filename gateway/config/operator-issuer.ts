import { isLocal, isPlainHttp } from './addresses.ts'
import type { Settings } from './variables/environment.ts'
import type { Variables } from './variables/variables.ts'

/** What sign-in of operators by OpenID Connect needs: all of them, or none. */
const together = [
  'OPERATOR_OIDC_ISSUER',
  'OPERATOR_OIDC_CLIENT_ID',
  'OPERATOR_OIDC_CLIENT_SECRET',
  'OPERATOR_ROLES',
] as const

/** Why operators cannot sign in by OpenID Connect as it is configured, one line each. */
export function issuerProblems(given: Variables, config: Partial<Settings>): readonly string[] {
  const isGiven = (name: string) => given[name] !== undefined || given[`${name}_FILE`] !== undefined
  const first = together.find(isGiven)
  if (first === undefined) return []
  const missing = [...together, 'OPERATOR_BASE_URL'].filter((name) => !isGiven(name))
  return [...missing.map((name) => `${name} is required with ${first}`), ...addressProblems(config)]
}

function addressProblems({ OPERATOR_OIDC_ISSUER: issuer, ...config }: Partial<Settings>) {
  if (issuer === undefined) return []
  if (isPlainHttp(issuer)) {
    return [
      'OPERATOR_OIDC_ISSUER must be https, or http on loopback: whoever answers for it decides who operates this gateway',
    ]
  }
  if (!isOwn(new URL(issuer), config)) return []
  return [
    'OPERATOR_OIDC_ISSUER must not be this gateway: its issuers know account holders, and no operators',
  ]
}

/** Whether the address is one of the gateway's own listeners, under a configured name or as this machine. */
function isOwn(issuer: URL, config: Partial<Settings>): boolean {
  const names = [config.BASE_URL, config.SANDBOX_BASE_URL]
  if (names.some((url) => url !== undefined && new URL(url).host === issuer.host)) return true
  const { PORT = 8080, SANDBOX_PORT = 8081, INTERNAL_PORT = 4000 } = config
  const ports = [PORT, SANDBOX_PORT, INTERNAL_PORT].map(String)
  return isLocal(issuer.href) && ports.includes(issuer.port)
}
