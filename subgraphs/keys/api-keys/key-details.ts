import { hasAtMost } from '../../../schema/vocabulary/characters.ts'
import { externalIdRule, isExternalId } from '../../../schema/vocabulary/external-id.ts'
import { isAddressRange } from '../../../schema/vocabulary/ip-allowlist.ts'
import { everyScope, scopes as knownScopes } from '../../../schema/vocabulary/scopes.ts'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import { type Check, isText, requireAll } from '../../shared/graph/checks.ts'
import { budgetChecks } from '../../shared/spending/budget-input.ts'
import { canonicalRange } from '../address-ranges/address-range.ts'

/** The owner's settings of a key. */
export interface KeyDetails {
  readonly name: string
  readonly scopes: string[]
  /** Addresses and CIDR blocks from which the key is accepted; an empty list means anywhere. */
  readonly ipAllowlist: string[]
  readonly expiresAt: Date | null
  /** Whether the key is accepted; false: it is refused like a revoked key, until it is enabled again. */
  readonly enabled: boolean
  /** A team, customer or agent of the owner's: its keys share budgets. */
  readonly externalId: string | null
  readonly metadata: Record<string, string>
}

/** The settings of a key that was issued without any. */
export const unsaid = { enabled: true, externalId: null, metadata: {} }

/**
 * The details of a key as they are stored: each scope and range once, ranges in canonical form. Throws
 * INVALID_REQUEST that names every offending member, those of the budgets beside it too.
 */
export function toDetails(
  { name, expiresAt, enabled, externalId, metadata, ...lists }: KeyDetails,
  budgets: readonly BudgetInput[] = [],
): KeyDetails {
  const scopes = [...new Set(lists.scopes)]
  const areRanges = lists.ipAllowlist.every(isAddressRange)
  const ipAllowlist = areRanges ? [...new Set(lists.ipAllowlist.map(canonicalRange))] : []
  requireAll([
    ['name', isText(name, 100), 'must have 1 to 100 characters'],
    ['scopes', scopes.length > 0 && scopes.every(isKnownScope), 'must be scopes of the contract'],
    ['ip_allowlist', ipAllowlist.length <= 100, 'must have at most 100 entries'],
    ['ip_allowlist', areRanges, 'must be addresses or CIDR blocks'],
    ['expires_at', !expiresAt || expiresAt > new Date(), 'must be in the future'],
    ['external_id', externalId === null || isExternalId(externalId), externalIdRule],
    ...metadataChecks(metadata),
    ...budgetChecks(budgets),
  ])
  return { name, scopes, ipAllowlist, expiresAt, enabled, externalId, metadata }
}

const maxPairs = 16

function metadataChecks(metadata: Readonly<Record<string, unknown>>): Check[] {
  const pairs = Object.entries(metadata)
  return [
    ['metadata', pairs.length <= maxPairs, `must have at most ${maxPairs} members`],
    [
      'metadata',
      pairs.every(([name]) => isText(name, 40)),
      'must have names of 1 to 40 characters',
    ],
    [
      'metadata',
      pairs.every(([, value]) => typeof value === 'string' && isValue(value)),
      'must have values that are texts of at most 500 characters',
    ],
  ]
}

function isValue(text: string): boolean {
  return hasAtMost(text, 500) && !text.includes('\0') && text.isWellFormed()
}

function isKnownScope(scope: string): boolean {
  return scope === everyScope || knownScopes.includes(scope)
}
