import { raw } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { everyScope } from '../../../schema/vocabulary/scopes.ts'
import { type ChangeNote, makeChange } from '../../shared/changes/change.ts'
import { announce, type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { type KeyOwner, listApiKeys, ownedBy } from './api-key.service.ts'
import type { CreateApiKeyInput, CreateApiKeyPayload, IssueApiKeyInput } from './api-key.type.ts'
import { type KeyDetails, toDetails } from './key-details.ts'
import { changeKeys, lockKeys, requireLimits, requireScopes } from './key-lock.service.ts'

/** A key and the only sight of its secret. */
export interface IssuedKey {
  readonly apiKey: ApiKeyEntity
  readonly plaintext: string
}

/** One attempt of a request that issues a key once: see `OnceInput`. */
export interface Attempt {
  readonly reference: string
  readonly seconds: number
  /** `req_…`: ids of requests ascend. */
  readonly requestId: string
}

/**
 * The attempt that a caller's change is, or null without an idempotency key. `purpose` keeps a key that
 * the same idempotency key issued otherwise, before it was freed, from being taken for this one.
 */
export function attemptOf(
  { requestId }: AccountCaller,
  once: OnceInput | null,
  purpose = '',
): Attempt | null {
  return once && { reference: purpose + once.reference, seconds: once.seconds, requestId }
}

/**
 * A key for the caller's own account; it can do nothing that the calling key cannot, nor from elsewhere
 * or for longer. What is not said of it is as it is with that key. With `once`, what an attempt before
 * has left is this key, if its plaintext cannot have been answered.
 */
export function issueOwnKey(
  context: GraphContext,
  input: IssueApiKeyInput,
  once: OnceInput | null,
): Promise<IssuedKey> {
  return changeKeys(context, { action: 'key.create', note: noteOf }, async (tx, caller) => {
    const scopes = input.scopes ?? [...caller.scopes]
    requireScopes(caller, scopes)
    const details = detailsOf({
      name: input.name,
      scopes,
      ipAllowlist: input.ipAllowlist === undefined ? [...caller.ipAllowlist] : input.ipAllowlist,
      expiresAt: input.expiresAt === undefined ? caller.expiresAt : input.expiresAt,
    })
    requireLimits(caller, details)
    const attempt = attemptOf(caller, once)
    const left = attempt && (await takeUp(tx, caller, attempt))
    const issued = await issueKey(tx, context.keyPrefix, { owner: caller, details, attempt, left })
    // What an attempt before has left was made known by it.
    if (!left) await announce(tx, [createdEvent(caller, issued)])
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

/**
 * The key that an attempt before has left, or null. One that may be in somebody's hands stays as it
 * is, as does one that was ended meanwhile: the next one under its reference is another.
 *
 * Only the ids of requests tell an attempt that stood still, until its hold was over and a retry had
 * its answer, from that retry: it must not take that key. They tell right while clocks differ by less
 * than a hold lasts; a quick retry on a clock that is behind gets one more key, which harms nobody's.
 */
export async function takeUp(
  tx: SqlEntityManager,
  { accountId, environment }: AccountCaller,
  { reference, requestId }: Attempt,
): Promise<ApiKeyEntity | null> {
  await tx.execute(
    `UPDATE keys.api_key SET issue_ref = NULL
     WHERE account_id = ? AND environment = ? AND issue_ref = ?
       AND (revoked_at IS NOT NULL OR replaced_by IS NOT NULL
         OR issue_ref_until <= now() OR issued_by > ?)`,
    [accountId, environment, reference, requestId],
  )
  return tx.findOne(ApiKeyEntity, {
    ...ownedBy({ accountId, environment }),
    issueRef: reference,
  })
}

interface NewKey {
  readonly owner: KeyOwner
  readonly details: KeyDetails
  /** The request that must issue one key only. */
  readonly attempt?: Attempt | null
  /** See `takeUp`: it is made this one, with a new secret. */
  readonly left?: ApiKeyEntity | null
}

/** Issues a key within a change of keys; `details` are as `toDetails` returns them. */
export async function issueKey(
  tx: SqlEntityManager,
  keyPrefix: string,
  { owner, details, attempt, left }: NewKey,
): Promise<IssuedKey> {
  const { name, scopes, ipAllowlist, expiresAt } = details
  const { plaintext, prefix, last4 } = newApiKey(keyPrefix, owner.environment)
  const key = {
    ...ownedBy(owner),
    ...{ name, scopes, ipAllowlist, expiresAt, prefix, last4, secretHash: sha256(plaintext) },
    issueRef: attempt?.reference ?? null,
    issuedBy: attempt?.requestId ?? null,
  }
  const apiKey = left ?? tx.create(ApiKeyEntity, { ...key, id: newId('key') })
  tx.assign(apiKey, {
    ...key,
    createdAt: raw('now()'),
    issueRefUntil: attempt ? raw('now() + make_interval(secs => ?)', [attempt.seconds]) : null,
  })
  await tx.flush()
  return { apiKey, plaintext }
}
