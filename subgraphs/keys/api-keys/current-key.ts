import { DomainError } from '../../shared/graph/errors.ts'
import type { ApiKeyEntity } from './api-key.entity.ts'
import { ApiKeyStatus } from './api-key.type.ts'
import type { KeyDetails } from './key-details.ts'

/** Throws CONFLICT for a key that has ended, or will soon because another took its place. */
export function requireCurrent({ status, replacedBy }: ApiKeyEntity): void {
  if (status !== ApiKeyStatus.active) {
    throw new DomainError('CONFLICT', `This API key is ${status}.`)
  }
  if (replacedBy) {
    throw new DomainError('CONFLICT', `This API key was replaced by ${replacedBy}.`)
  }
}

/** The owner's settings of a key, which a successor gets too. */
export function detailsOfKey(key: ApiKeyEntity): KeyDetails {
  const { name, scopes, ipAllowlist, expiresAt = null } = key
  const { enabled, externalId = null, metadata } = key
  return { name, scopes, ipAllowlist, expiresAt, enabled, externalId, metadata }
}
