import { raw } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newApiKey } from '../../schema/api-key-format.ts'
import type { AccountCaller } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
import { isAddressRange } from '../../schema/ip-allowlist.ts'
import { coversScope, everyScope, scopes as knownScopes } from '../../schema/scopes.ts'
import { sha256 } from '../../schema/secrets.ts'
import { isText, requireAll } from '../shared/checks.ts'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { EnvironmentValue } from '../shared/environment.type.ts'
import { DomainError } from '../shared/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import type {
  CreateApiKeyInput,
  CreateApiKeyPayload,
  IssueApiKeyInput,
  OnceInput,
} from './api-key.type.ts'

/** Whose keys: every query of this service is bound to it. */
export interface KeyOwner {
  readonly accountId: string
  readonly environment: 'live' | 'sandbox'
}

interface KeyPageOptions {
  readonly limit: number
  readonly beforeId: string | null
}

/** At most `limit` keys, newest first. */
export function listApiKeys(
  em: SqlEntityManager,
  { accountId, environment }: KeyOwner,
  { limit, beforeId }: KeyPageOptions,
): Promise<ApiKeyEntity[]> {
  const owned = { accountId, environment: EnvironmentValue[environment] }
  const where = beforeId ? { ...owned, id: { $lt: beforeId } } : owned
  return em.find(ApiKeyEntity, where, { orderBy: { id: 'desc' }, limit })
}

/** Throws NOT_FOUND for another account's key too, so that ids cannot be probed. */
export async function getApiKey(
  em: SqlEntityManager,
  { accountId, environment }: KeyOwner,
  id: string,
): Promise<ApiKeyEntity> {
  const owned = { id, accountId, environment: EnvironmentValue[environment] }
  const key = await em.findOne(ApiKeyEntity, owned)
  if (!key) throw new DomainError('NOT_FOUND', 'No API key has this id.')
  return key
}

/**
 * A key for the caller's own account; it can do nothing that the calling key cannot. With `once`, what
 * an attempt before has left is this key, if its plaintext cannot have been answered.
 */
export function issueOwnKey(
  context: GraphContext,
  input: IssueApiKeyInput,
  once: OnceInput | null,
): Promise<CreateApiKeyPayload> {
  const { em, keyPrefix } = context
  const caller = requireAccount(context)
  const scopes = input.scopes ?? [...caller.scopes]
  const missing = scopes.filter((scope) => !coversScope(caller.scopes, scope))
  if (missing.length > 0) {
    throw new DomainError('FORBIDDEN', `The calling key lacks the scope ${missing.join(', ')}.`)
  }
  const { name, ipAllowlist, expiresAt } = input
  const key = { name, scopes, ipAllowlist, expiresAt }
  if (!once) return issueKey(em, keyPrefix, { owner: caller, input: key })
  const { reference, seconds } = once
  const issue = { reference, seconds, requestId: caller.requestId }
  return em.transactional(async (tx) => {
    await releaseReference(tx, caller, reference)
    return issueKey(tx, keyPrefix, { owner: caller, input: key, issue })
  })
}

/**
 * A key that may be in somebody's hands stays as it is: the next one under its reference is another.
 *
 * Only the ids of requests tell an attempt that stood still, until its hold was over and a retry had
 * its answer, from that retry: it must not take that key. They tell right while clocks differ by less
 * than a hold lasts; a quick retry on a clock that is behind gets one more key, which harms nobody's.
 */
async function releaseReference(
  tx: SqlEntityManager,
  { accountId, environment, requestId }: AccountCaller,
  reference: string,
): Promise<void> {
  await tx.execute(
    `UPDATE keys.api_key SET issue_ref = NULL
     WHERE account_id = ? AND environment = ? AND issue_ref = ?
       AND (revoked_at IS NOT NULL OR issue_ref_until <= now() OR issued_by > ?)`,
    [accountId, environment, reference, requestId],
  )
}

/** A key for any account. Throws NOT_FOUND when there is none: only another subgraph can tell. */
export async function issueAnyKey(
  { em, keyPrefix, caller, hasAccount }: GraphContext,
  { accountId, environment, ...input }: CreateApiKeyInput,
): Promise<CreateApiKeyPayload> {
  const isThere = await hasAccount?.(accountId, caller)
  if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
  return issueKey(em, keyPrefix, { owner: { accountId, environment }, input })
}

interface NewKey {
  readonly owner: KeyOwner
  /** Without scopes it gets all of them. */
  readonly input: IssueApiKeyInput
  /** The key that has this reference is made this one. */
  readonly issue?: OnceInput & { readonly requestId: string }
}

async function issueKey(
  em: SqlEntityManager,
  keyPrefix: string,
  { owner, input, issue }: NewKey,
): Promise<CreateApiKeyPayload> {
  const { name, expiresAt } = input
  const scopes = [...new Set(input.scopes ?? [everyScope])]
  const ipAllowlist = [...new Set(input.ipAllowlist ?? [])]
  requireAll([
    ['name', isText(name, 100), 'must have 1 to 100 characters'],
    ['scopes', scopes.length > 0 && scopes.every(isKnownScope), 'must be scopes of the contract'],
    ['ip_allowlist', ipAllowlist.length <= 100, 'must have at most 100 entries'],
    ['ip_allowlist', ipAllowlist.every(isAddressRange), 'must be addresses or CIDR blocks'],
    ['expires_at', !expiresAt || expiresAt > new Date(), 'must be in the future'],
  ])
  const owned = { accountId: owner.accountId, environment: EnvironmentValue[owner.environment] }
  const { plaintext, prefix, last4 } = newApiKey(keyPrefix, owner.environment)
  const key = {
    ...{ ...owned, name, prefix, last4, secretHash: sha256(plaintext), scopes, ipAllowlist },
    expiresAt: expiresAt ?? null,
    issueRef: issue?.reference ?? null,
    issuedBy: issue?.requestId ?? null,
  }
  const left = issue && (await em.findOne(ApiKeyEntity, { ...owned, issueRef: issue.reference }))
  const apiKey = left ?? em.create(ApiKeyEntity, { ...key, id: newId('key') })
  em.assign(apiKey, {
    ...key,
    createdAt: raw('now()'),
    issueRefUntil: issue ? raw('now() + make_interval(secs => ?)', [issue.seconds]) : null,
  })
  await em.flush()
  return { apiKey, plaintext }
}

function isKnownScope(scope: string): boolean {
  return scope === everyScope || knownScopes.includes(scope)
}

/** Revokes any account's key; revoking again changes nothing. */
export async function revokeKey(em: SqlEntityManager, id: string): Promise<ApiKeyEntity> {
  const key = await em.findOne(ApiKeyEntity, { id })
  if (!key) throw new DomainError('NOT_FOUND', 'No API key has this id.')
  key.revokedAt ??= new Date()
  await em.flush()
  return key
}

/** The first key of an environment, or null when there is one already. */
export async function issueFirstKey(
  em: SqlEntityManager,
  keyPrefix: string,
  owner: KeyOwner,
): Promise<string | null> {
  const existing = await listApiKeys(em, owner, { limit: 1, beforeId: null })
  if (existing.length > 0) return null
  const { plaintext } = await issueKey(em, keyPrefix, { owner, input: { name: 'First key' } })
  return plaintext
}
