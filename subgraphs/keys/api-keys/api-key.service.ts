import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'

/** Whose keys: every query of this subgraph is bound to it. */
export interface KeyOwner {
  readonly accountId: string
  readonly environment: Environment
}

interface KeyPageOptions {
  readonly limit: number
  readonly beforeId: string | null
}

/** At most `limit` keys, newest first. */
export function listApiKeys(
  tx: Transaction,
  owner: KeyOwner,
  { limit, beforeId }: KeyPageOptions,
): Promise<ApiKeyEntity[]> {
  const owned = ownedBy(owner)
  const where = beforeId ? { ...owned, id: { $lt: beforeId } } : owned
  return tx.find(ApiKeyEntity, where, { orderBy: { id: 'desc' }, limit })
}

/** Throws NOT_FOUND for another account's key too, so that ids cannot be probed. */
export async function getApiKey(
  tx: Transaction,
  owner: KeyOwner,
  id: string,
): Promise<ApiKeyEntity> {
  const key = await tx.findOne(ApiKeyEntity, { ...ownedBy(owner), id })
  if (!key) throw new DomainError('NOT_FOUND', 'No API key has this id.')
  return key
}

/** The columns that bind a key to its owner. */
export function ownedBy({ accountId, environment }: KeyOwner) {
  return { accountId, environment: EnvironmentValue[environment] }
}
