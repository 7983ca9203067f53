import { raw } from '@mikro-orm/core'
import { makeChange } from '../../shared/changes/change.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import { changeKeys, lockKeys, requireScopes } from './key-lock.service.ts'

/**
 * Revokes the keys that a removed member has issued, as a job; with `isKeeping` only those that the console made for the
 * member. A repetition finds none.
 */
export async function revokeKeysOfMember(
  context: GraphContext,
  accountId: string,
  memberId: string,
  isKeeping: boolean,
): Promise<number> {
  const found = await context.database.as(accountId).transaction(async (tx) => {
    // Keys that the member is just issuing are in the list, too.
    await lockKeys(tx, accountId)
    const keys = await tx.find(ApiKeyEntity, { accountId, memberId, revokedAt: null })
    return keys.filter(({ isOfConsole }) => !isKeeping || isOfConsole)
  })
  for (const { id } of found) await revokeKey(context, id)
  return found.length
}

/**
 * Revokes a key of the caller's account that can do nothing which the calling key cannot, or anybody's
 * for an administrator; revoking again changes nothing. Limits do not count: this hands on nothing.
 */
export function revokeKey(context: GraphContext, id: string): Promise<ApiKeyEntity> {
  const { caller } = context
  let isNews = false
  async function revoke(tx: Transaction, key: ApiKeyEntity): Promise<ApiKeyEntity> {
    if (key.revokedAt) return key
    isNews = true
    tx.assign(key, { revokedAt: raw('now()') })
    await tx.flush()
    await announce(tx, [newEvent(key, 'key.revoked', { key_id: key.id, name: key.name })])
    return key
  }
  const note = ({ accountId, environment }: ApiKeyEntity) =>
    isNews ? { owner: { accountId, environment } } : null
  const named = { action: 'key.revoke', resourceId: id, note }
  if (caller.kind === 'account') {
    return changeKeys(context, named, async (tx, owner) => {
      const key = await getApiKey(tx, owner, id)
      requireScopes(owner, key.scopes)
      return revoke(tx, key)
    })
  }
  return makeChange(context, { ...named, owner: null }, async (tx) => {
    const found = await tx.findOne(ApiKeyEntity, { id })
    if (!found) throw new DomainError('NOT_FOUND', 'No API key has this id.')
    await lockKeys(tx, found.accountId)
    return revoke(tx, await tx.refreshOrFail(found))
  })
}
