import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newApiKey } from '../../schema/api-key-format.ts'
import type { AccountCaller } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
import { isAddressRange } from '../../schema/ip-allowlist.ts'
import { coversScope, everyScope, scopes as knownScopes } from '../../schema/scopes.ts'
import { sha256 } from '../../schema/secrets.ts'
import { isText, requireAll } from '../shared/checks.ts'
import { EnvironmentValue } from '../shared/environment.type.ts'
import { DomainError } from '../shared/errors.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import type { CreateApiKeyPayload, IssueApiKeyInput } from './api-key.type.ts'

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

/** A key for the caller's own account; it can do nothing that the calling key cannot. */
export function issueOwnKey(
  em: SqlEntityManager,
  keyPrefix: string,
  caller: AccountCaller,
  input: IssueApiKeyInput,
): Promise<CreateApiKeyPayload> {
  const scopes = input.scopes ?? [...caller.scopes]
  const missing = scopes.filter((scope) => !coversScope(caller.scopes, scope))
  if (missing.length > 0) {
    throw new DomainError('FORBIDDEN', `The calling key lacks the scope ${missing.join(', ')}.`)
  }
  const { name, ipAllowlist, expiresAt } = input
  return issueKey(em, keyPrefix, caller, { name, scopes, ipAllowlist, expiresAt })
}

/** A key for any account. Without scopes it gets all of them. */
export async function issueKey(
  em: SqlEntityManager,
  keyPrefix: string,
  { accountId, environment }: KeyOwner,
  { name, scopes, ipAllowlist, expiresAt }: IssueApiKeyInput,
): Promise<CreateApiKeyPayload> {
  const granted = [...new Set(scopes ?? [everyScope])]
  const ranges = [...new Set(ipAllowlist ?? [])]
  requireAll([
    ['name', isText(name, 100), 'must have 1 to 100 characters'],
    ['scopes', granted.length > 0 && granted.every(isKnownScope), 'must be scopes of the contract'],
    ['ip_allowlist', ranges.length <= 100, 'must have at most 100 entries'],
    ['ip_allowlist', ranges.every(isAddressRange), 'must be addresses or CIDR blocks'],
    ['expires_at', !expiresAt || expiresAt > new Date(), 'must be in the future'],
  ])
  const { plaintext, prefix, last4 } = newApiKey(keyPrefix, environment)
  const apiKey = em.create(ApiKeyEntity, {
    id: newId('key'),
    accountId,
    environment: EnvironmentValue[environment],
    name,
    prefix,
    last4,
    secretHash: sha256(plaintext),
    scopes: granted,
    ipAllowlist: ranges,
    expiresAt: expiresAt ?? null,
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
  const { plaintext } = await issueKey(em, keyPrefix, owner, { name: 'First key' })
  return plaintext
}
