import { type FilterQuery, raw } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { ApiKeyState } from './api-key.type.ts'

/** The filter of a list of keys. */
export interface KeyFilter {
  /** A part of the name or of the visible part of the secret; case does not matter. */
  readonly search: string | null
  readonly state: ApiKeyState | null
  readonly externalId: string | null
}

interface KeyPageOptions extends Partial<KeyFilter> {
  readonly limit: number
  readonly beforeId: string | null
}

/** At most `limit` keys, newest first. */
export function listApiKeys(
  tx: Transaction,
  owner: AccountScope,
  { limit, beforeId, search, state, externalId }: KeyPageOptions,
): Promise<ApiKeyEntity[]> {
  const where = {
    ...ownedBy(owner),
    ...(beforeId && { id: { $lt: beforeId } }),
    ...(externalId && { externalId }),
    $and: [...(search ? [hasPart(search)] : []), ...(state ? [isIn(state)] : [])],
  }
  return tx.find(ApiKeyEntity, where, { orderBy: { id: 'desc' }, limit })
}

function hasPart(text: string) {
  const part = { $ilike: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%` }
  return { $or: [{ name: part }, { prefix: part }, { last4: part }] }
}

/** Whether a key is in this state, by the clock of the database. */
function isIn(state: ApiKeyState): FilterQuery<ApiKeyEntity> {
  const isOpen = { $or: [{ expiresAt: null }, { expiresAt: { $gt: raw('now()') } }] }
  switch (state) {
    case ApiKeyState.ACTIVE:
      return { revokedAt: null, enabled: true, ...isOpen }
    case ApiKeyState.DISABLED:
      return { revokedAt: null, enabled: false, ...isOpen }
    case ApiKeyState.REVOKED:
      return { revokedAt: { $ne: null } }
    case ApiKeyState.EXPIRED:
      return { revokedAt: null, expiresAt: { $lte: raw('now()') } }
  }
}

/** Throws NOT_FOUND for another account's key too, so that ids cannot be probed. */
export async function getApiKey(
  tx: Transaction,
  owner: AccountScope,
  id: string,
): Promise<ApiKeyEntity> {
  const key = await tx.findOne(ApiKeyEntity, { ...ownedBy(owner), id })
  if (!key) throw new DomainError('NOT_FOUND', 'No API key has this id.')
  return key
}

/** The columns that bind a key to its owner. */
export function ownedBy({ accountId, environment }: AccountScope) {
  return { accountId, environment: EnvironmentValue[environment] }
}
