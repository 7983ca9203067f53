import { raw } from '@mikro-orm/core'
import { makeChange } from '../../shared/changes/change.ts'
import { announce, type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey, type KeyOwner } from './api-key.service.ts'
import { ApiKeyStatus, type ChangeApiKeyInput } from './api-key.type.ts'
import { issueKey } from './issue-key.service.ts'
import { type IssuedKey, issueOnce } from './issue-once.service.ts'
import { claimIssueRef } from './issue-ref.ts'
import { toDetails } from './key-details.ts'
import { changeKeys, lockKeys, requireLimits, requireScopes } from './key-lock.service.ts'

/**
 * The calling key must hold both what the key could do and what it shall be able to do, and be limited
 * no more than the key was and shall be. Throws CONFLICT unless it is current.
 */
export function changeKey(
  context: GraphContext,
  id: string,
  input: ChangeApiKeyInput,
): Promise<ApiKeyEntity> {
  const note = () => ({ details: input })
  return changeKeys(context, { action: 'key.update', resourceId: id, note }, async (tx, caller) => {
    const key = await getApiKey(tx, caller, id)
    requireScopes(caller, [...key.scopes, ...(input.scopes ?? [])])
    requireLimits(caller, limitsOf(key))
    requireCurrent(key)
    const details = toDetails({
      name: input.name ?? key.name,
      scopes: input.scopes ?? key.scopes,
      ipAllowlist: input.ipAllowlist ?? key.ipAllowlist,
      expiresAt: input.expiresAt === undefined ? (key.expiresAt ?? null) : input.expiresAt,
    })
    requireLimits(caller, details)
    tx.assign(key, details)
    await tx.flush()
    return key
  })
}

interface Rotation {
  /** For so long the old key goes on working, unless it ends before. */
  readonly graceSeconds: number
  readonly once: OnceInput | null
}

const maxGraceSeconds = 7 * 24 * 3600

/**
 * Another key in place of this one, like it in all but its secret. Throws CONFLICT unless it is
 * current: a key is replaced once. With `once`, a repetition is shown the successor that the first
 * request issued.
 */
export function rotateKey(
  context: GraphContext,
  id: string,
  { graceSeconds, once }: Rotation,
): Promise<IssuedKey> {
  const isPossible = graceSeconds >= 0 && graceSeconds <= maxGraceSeconds
  requireAll([['grace_seconds', isPossible, `must be an integer from 0 to ${maxGraceSeconds}`]])
  // The same idempotency key may have issued a key otherwise, before it was freed.
  const attempt = once && {
    reference: `rotate/${id}/${once.reference}`,
    seconds: once.seconds,
  }
  const change = {
    ...{ action: 'key.rotate', resourceId: id, once: attempt, request: { id, graceSeconds } },
    note: ({ apiKey }: IssuedKey) => ({ details: { replaced_by: apiKey.id } }),
  }
  return issueOnce(context, change, async (tx, caller) => {
    const key = await getApiKey(tx, caller, id)
    const details = toSuccessor(key)
    requireScopes(caller, details.scopes)
    requireLimits(caller, details)
    const issueRef = await claimIssueRef(tx, caller, attempt)
    requireCurrent(key)
    const issued = await issueKey(tx, context.keyPrefix, { owner: caller, details, issueRef })
    await endAfter(tx, key, { graceSeconds, replacedBy: issued.apiKey.id })
    await announce(tx, [rotatedEvent(caller, key, issued)])
    return issued
  })
}

function rotatedEvent(owner: KeyOwner, old: ApiKeyEntity, { apiKey }: IssuedKey): NewEvent {
  const end = old.revokedAt ?? old.expiresAt
  if (!end) throw new Error(`The key ${old.id} was replaced and does not end.`)
  const data = { key_id: old.id, replaced_by: apiKey.id, valid_until: end.toISOString() }
  return newEvent(owner, 'key.rotated', data)
}

function toSuccessor(key: ApiKeyEntity) {
  const { name, scopes } = key
  return { name, scopes, ...limitsOf(key) }
}

function limitsOf({ ipAllowlist, expiresAt }: ApiKeyEntity) {
  return { ipAllowlist, expiresAt: expiresAt ?? null }
}

async function endAfter(
  tx: Transaction,
  key: ApiKeyEntity,
  { graceSeconds, replacedBy }: { readonly graceSeconds: number; readonly replacedBy: string },
): Promise<void> {
  const end =
    graceSeconds === 0
      ? { revokedAt: raw('now()') }
      : // The least of NULL and an instant is the instant.
        { expiresAt: raw('least(expires_at, now() + make_interval(secs => ?))', [graceSeconds]) }
  tx.assign(key, { replacedBy, ...end })
  await tx.flush()
}

/** Throws CONFLICT for a key that has ended, or will soon because another took its place. */
function requireCurrent({ status, replacedBy }: ApiKeyEntity): void {
  if (status !== ApiKeyStatus.active) {
    throw new DomainError('CONFLICT', `This API key is ${status}.`)
  }
  if (replacedBy) {
    throw new DomainError('CONFLICT', `This API key was replaced by ${replacedBy}.`)
  }
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
