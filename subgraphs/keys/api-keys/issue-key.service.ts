import { raw } from '@mikro-orm/core'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { everyScope } from '../../../schema/vocabulary/scopes.ts'
import { type ChangeNote, makeChange } from '../../shared/changes/change.ts'
import { announce, type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { type KeyOwner, listApiKeys, ownedBy } from './api-key.service.ts'
import type { CreateApiKeyInput, CreateApiKeyPayload, IssueApiKeyInput } from './api-key.type.ts'
import { type IssuedKey, issueOnce } from './issue-once.service.ts'
import { claimIssueRef, type IssueRef } from './issue-ref.ts'
import { type KeyDetails, toDetails } from './key-details.ts'
import { lockKeys, requireLimits, requireScopes } from './key-lock.service.ts'

/**
 * A key for the caller's own account; it can do nothing that the calling key cannot, nor from elsewhere
 * or for longer. What is not said of it is as it is with that key. With `once`, a repetition is shown the
 * key that the first request issued.
 */
export function issueOwnKey(
  context: GraphContext,
  input: IssueApiKeyInput,
  once: OnceInput | null,
): Promise<IssuedKey> {
  const change = { action: 'key.create', once, request: input, note: noteOf }
  return issueOnce(context, change, async (tx, caller) => {
    const scopes = input.scopes ?? [...caller.scopes]
    requireScopes(caller, scopes)
    const details = detailsOf({
      name: input.name,
      scopes,
      ipAllowlist: input.ipAllowlist === undefined ? [...caller.ipAllowlist] : input.ipAllowlist,
      expiresAt: input.expiresAt === undefined ? caller.expiresAt : input.expiresAt,
    })
    requireLimits(caller, details)
    const issueRef = await claimIssueRef(tx, caller, once)
    const issued = await issueKey(tx, context.keyPrefix, { owner: caller, details, issueRef })
    await announce(tx, [createdEvent(caller, issued)])
    return issued
  })
}

/** A key for any account. Throws NOT_FOUND when there is none: only another subgraph can tell. */
export async function issueAnyKey(
  context: GraphContext,
  { accountId, environment, ...input }: CreateApiKeyInput,
): Promise<CreateApiKeyPayload> {
  const isThere = await context.findAccount?.(accountId)
  if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
  const details = detailsOf(input)
  const owner = { accountId, environment }
  return makeChange(context, { owner, action: 'key.create', note: noteOf }, async (tx) => {
    await lockKeys(tx, accountId)
    const issued = await issueKey(tx, context.keyPrefix, { owner, details })
    await announce(tx, [createdEvent(owner, issued)])
    return issued
  })
}

function noteOf({ apiKey: { id, name, scopes } }: IssuedKey): ChangeNote {
  return { resourceId: id, details: { name, scopes } }
}

function createdEvent(owner: KeyOwner, { apiKey }: IssuedKey): NewEvent {
  const { id, name, prefix, last4, scopes, expiresAt } = apiKey
  const data = { key_id: id, name, prefix, last4, scopes }
  return newEvent(owner, 'key.created', { ...data, expires_at: expiresAt?.toISOString() ?? null })
}

/** The first key of an environment, or null when there is one already. */
export function issueFirstKey(
  database: Database,
  keyPrefix: string,
  owner: KeyOwner,
): Promise<string | null> {
  const details = detailsOf({ name: 'First key' })
  return database.transaction(async (tx) => {
    await lockKeys(tx, owner.accountId)
    const existing = await listApiKeys(tx, owner, { limit: 1, beforeId: null })
    if (existing.length > 0) return null
    const { plaintext } = await issueKey(tx, keyPrefix, { owner, details })
    return plaintext
  })
}

/** Without scopes it gets all of them. */
function detailsOf({ name, scopes, ipAllowlist, expiresAt }: IssueApiKeyInput): KeyDetails {
  return toDetails({
    name,
    scopes: scopes ?? [everyScope],
    ipAllowlist: ipAllowlist ?? [],
    expiresAt: expiresAt ?? null,
  })
}

interface NewKey {
  readonly owner: KeyOwner
  readonly details: KeyDetails
  readonly issueRef?: IssueRef | null
}

/** Issues a key within a change of keys; `details` are as `toDetails` returns them. */
export async function issueKey(
  tx: Transaction,
  keyPrefix: string,
  { owner, details, issueRef = null }: NewKey,
): Promise<IssuedKey> {
  const { name, scopes, ipAllowlist, expiresAt } = details
  const { plaintext, prefix, last4 } = newApiKey(keyPrefix, owner.environment)
  const apiKey = tx.create(ApiKeyEntity, {
    ...{ ...ownedBy(owner), id: newId('key'), name, scopes, ipAllowlist, expiresAt },
    ...{ prefix, last4, secretHash: sha256(plaintext) },
  })
  tx.assign(apiKey, { ...issueRef, createdAt: raw('now()') })
  await tx.flush()
  return { apiKey, plaintext }
}
