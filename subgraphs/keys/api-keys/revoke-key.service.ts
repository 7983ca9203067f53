import { raw } from '@mikro-orm/core'
import { type ActInput, actOf } from '../../shared/changes/act.ts'
import { makeChange, recordChange, recordRefusal } from '../../shared/changes/change.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import { ApiKeyStatus } from './api-key.type.ts'
import { changeKeys, lockKeys, requireScopes } from './key-lock.service.ts'

/**
 * Revokes the keys that a removed member has issued, as a job; with `isKeeping` only those that the console made for the
 * member. Returns how many; a repetition finds those alone that were issued since.
 */
export function revokeKeysOfMember(
  context: GraphContext,
  accountId: string,
  memberId: string,
  isKeeping: boolean,
): Promise<number> {
  return context.database.as(accountId).transaction(async (tx) => {
    // All in one: a key that was still accepted could issue another one, which is the member's too.
    await lockKeys(tx, accountId)
    const keys = await tx.find(ApiKeyEntity, { accountId, memberId, revokedAt: null })
    const found = keys.filter(({ isOfConsole }) => !isKeeping || isOfConsole)
    for (const key of found) {
      const details = { before: { status: key.status }, after: { status: ApiKeyStatus.revoked } }
      const change = { owner: key, action: 'key.revoke', resourceId: key.id }
      await revokeNow(tx, key)
      await recordChange(tx, context, change, { details })
    }
    return found.length
  })
}

async function revokeNow(tx: Transaction, key: ApiKeyEntity): Promise<void> {
  tx.assign(key, { revokedAt: raw('now()') })
  await tx.flush()
  await announce(tx, [newEvent(key, 'key.revoked', { key_id: key.id, name: key.name })])
}

/**
 * Revokes a key of the caller's account that can do nothing which the calling key cannot, or anybody's
 * for an administrator; revoking again changes nothing. Limits do not count: this hands on nothing.
 */
export async function revokeKey(
  context: GraphContext,
  id: string,
  said: Partial<ActInput> = {},
): Promise<ApiKeyEntity> {
  const { caller } = context
  let isNews = false
  async function revoke(tx: Transaction, key: ApiKeyEntity): Promise<ApiKeyEntity> {
    if (key.revokedAt) return key
    isNews = true
    await revokeNow(tx, key)
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
  return revokeAny(context, id, { said, revoke })
}

interface Revoking {
  readonly said: Partial<ActInput>
  readonly revoke: (tx: Transaction, key: ApiKeyEntity) => Promise<ApiKeyEntity>
}

/** The answer of a repetition: the key, and its status before it was revoked first. */
interface Revoked {
  readonly id: string
  readonly statusBefore: string
}

/** Revokes the key of any account, for an administrator. */
async function revokeAny(
  context: GraphContext,
  id: string,
  { said, revoke }: Revoking,
): Promise<ApiKeyEntity> {
  const { database } = context
  const named = { action: 'key.revoke', resourceId: id }
  const key = await recordRefusal(context, { ...named, owner: null }, async () => {
    const found = await database.transaction((tx) => tx.findOne(ApiKeyEntity, { id }))
    if (!found) throw new DomainError('NOT_FOUND', 'No API key has this id.')
    return found
  })
  const owner = { accountId: key.accountId, environment: key.environment }
  const change = { ...named, owner, request: { id, reason: said.reason } }
  const { once, why } = await recordRefusal(context, change, async () =>
    actOf(context.caller, said),
  )
  // An act has its line, also where the key was revoked before.
  const note = ({ statusBefore }: Revoked) => ({
    owner,
    details: { ...why, before: { status: statusBefore }, after: { status: ApiKeyStatus.revoked } },
  })
  // As no tenant's change, it waits for none of what the account itself asks for.
  const made = { ...change, owner: null, once, note }
  const { statusBefore } = await makeChange(context, made, async (tx) => {
    await lockKeys(tx, owner.accountId)
    const current = await getApiKey(tx, owner, id)
    const before = current.status
    await revoke(tx, current)
    return { id, statusBefore: before }
  })
  const revoked = await database.transaction((tx) => getApiKey(tx, owner, id))
  return Object.assign(revoked, { statusBefore })
}
