import { isAddressRange } from '../../../schema/vocabulary/ip-allowlist.ts'
import { everyScope, scopes as knownScopes } from '../../../schema/vocabulary/scopes.ts'
import { isText, requireAll } from '../../shared/graph/checks.ts'
import { canonicalRange } from './address-range.ts'

/** What the owner of a key decides about it. */
export interface KeyDetails {
  readonly name: string
  readonly scopes: string[]
  /** Addresses and CIDR blocks; empty is anywhere. */
  readonly ipAllowlist: string[]
  readonly expiresAt: Date | null
}

/** As it is stored: each scope and range once, ranges in canonical form. Throws INVALID_REQUEST that names every offending member. */
export function toDetails({ name, expiresAt, ...lists }: KeyDetails): KeyDetails {
  const scopes = [...new Set(lists.scopes)]
  const areRanges = lists.ipAllowlist.every(isAddressRange)
  const ipAllowlist = areRanges ? [...new Set(lists.ipAllowlist.map(canonicalRange))] : []
  requireAll([
    ['name', isText(name, 100), 'must have 1 to 100 characters'],
    ['scopes', scopes.length > 0 && scopes.every(isKnownScope), 'must be scopes of the contract'],
    ['ip_allowlist', ipAllowlist.length <= 100, 'must have at most 100 entries'],
    ['ip_allowlist', areRanges, 'must be addresses or CIDR blocks'],
    ['expires_at', !expiresAt || expiresAt > new Date(), 'must be in the future'],
  ])
  return { name, scopes, ipAllowlist, expiresAt }
}

function isKnownScope(scope: string): boolean {
  return scope === everyScope || knownScopes.includes(scope)
}
