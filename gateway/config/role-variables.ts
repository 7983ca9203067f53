import { commandRole, subgraphNames } from './role-names.ts'
import type { Variables } from './variables/variables.ts'

/** These subgraphs ask for the status and the name of an account. */
const asksAboutAccounts = new Set(['keys', 'oauth'])
const needsNothing = new Set(['all', 'simulator', commandRole])
const asksAll = new Set(['facade', 'supergraph'])

/** Lists the missing variables of a role, one line each; `all` needs none. */
export function missingForRole(role: string, given: Variables): readonly string[] {
  const problems: string[] = []
  function requireOne(...names: readonly string[]): void {
    if (names.some((name) => given[name] !== undefined)) return
    problems.push(`${names.join(' or ')} is required by the role ${role}`)
  }
  if (role === 'simulator') requireOne('GATEWAY_JWKS_URL')
  if (needsNothing.has(role)) return problems
  requireOne('GATEWAY_SECRET')
  const hearsOfChanges = ['REDIS_URL', 'REDIS_URL_FILE', 'DATABASE_URL'].some((name) => given[name])
  if (role === 'facade' && !hearsOfChanges && Number(given.KEY_CACHE_SECONDS ?? 5) > 5) {
    problems.push(
      'KEY_CACHE_SECONDS must be at most 5 without REDIS_URL: nothing else tells of revoked keys',
    )
  }
  if (role !== 'supergraph') {
    requireOne('BASE_URL')
    requireOne('SANDBOX_BASE_URL')
  }
  for (const name of subgraphNames) {
    const prefix = name.toUpperCase()
    const isAsked = asksAll.has(role) || (name === 'account' && asksAboutAccounts.has(role))
    if (isAsked) requireOne(`${prefix}_SUBGRAPH_URL`)
    if (role === name || role === 'worker') requireOne(`${prefix}_DATABASE_URL`, 'DATABASE_URL')
  }
  if (role === 'account' || role === 'worker') requireOne('PAYMENTS', 'STRIPE_SECRET_KEY')
  return problems
}
