import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { apiKeyPrefix, isApiKey } from '../../schema/credentials/api-key-format.ts'
import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import { isOAuthSecret } from '../../schema/credentials/oauth-secret-format.ts'
import type { AccountStatus, BodyOf } from '../../schema/generated/operations.ts'
import { atMost } from '../../schema/process/at-most.ts'
import type { Audience } from '../../schema/vocabulary/audiences.ts'
import { addressMatcher } from '../../schema/vocabulary/ip-allowlist.ts'
import type { Execute } from '../graph/graph-client.ts'
import { ApiError } from '../http/errors.ts'
import { type AccountCache, createAccountCache } from './account-cache.ts'
import {
  type BudgetOwners,
  findBudgetOwners,
  spendingOfConsent,
  spendingOfKey,
} from './budget-owners.ts'

/** A key or access token that was accepted, with all facts that authentication needs. */
export interface VerifiedKey {
  /** A name of the key or token, which is no secret. */
  readonly id: string
  /** The id of the key; null for an access token. */
  readonly keyId: string | null
  /** The app that has the access token. */
  readonly clientId: string | undefined
  readonly accountId: string
  /**
   * The account that has registered the app, or the app itself if it has none: a token ends with that too, and notices of
   * changes name it.
   */
  readonly clientAccountId: string | undefined
  readonly scopes: readonly string[]
  /** What an access token is for; null for a key, which is for everything. */
  readonly audience: Audience | null
  /** The account holder's id of the team, customer or agent that has the key. */
  readonly externalId: string | null
  /** The owners of budgets that its calls must fit into: the key or consent, the external id, the account. */
  readonly budgetOwners: readonly string[]
  /** Whether a key has a budget, of its own or through its external id. */
  readonly isCapped: boolean
  readonly rateLimitRps: number
  /** Whether its account is suspended: the caller is told so, and may do nothing. */
  readonly isSuspended: boolean
  readonly expiresAtMs: number
  /** Whether the key is allowed from this address. */
  readonly allowsAddress: (address: string) => boolean
}

export interface VerifiedKeys
  extends Pick<AccountCache<VerifiedKey>, 'forget' | 'forgetAll' | 'notices'> {
  /**
   * Finds a key or token; null if unknown, revoked, expired, or of a closed account. A cached key is returned without a
   * promise. A text without the form (with checksum) of a key of this environment or an access token belongs to
   * nobody and needs no look-up.
   */
  find(plaintext: string): VerifiedKey | null | Promise<VerifiedKey | null>
  /** Whether the text has the form of a key of the other environment. */
  isOfOther(plaintext: string): boolean
  /** Why `find` has just found nothing. It is for the log alone, and has nothing of the text. */
  whyRefused(plaintext: string): string
}

/** Learns what a look-up finds out about a credential, by the SHA-256 of its text. */
export interface LookedUp {
  accept(name: string): void
  /** Tells that the credential is not valid, or not any more. */
  refuse(name: string): void
}

interface VerifiedKeysOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly keyPrefix: string
  /** How long a key is accepted after its verification, when no notice of a change arrives. */
  readonly cacheSeconds: number
  readonly known?: LookedUp
}

/** Whether the holders of its credentials learn that the account is there. Those of a suspended one do. */
export function isOpen<Account extends { readonly status: AccountStatus }>(
  account: Account | null,
): account is Account {
  return account?.status === 'ACTIVE' || account?.status === 'SUSPENDED'
}

type FoundKey = NonNullable<BodyOf<'VerifyApiKey'>>
type FoundToken = NonNullable<BodyOf<'VerifyAccessToken'>>

const anyAddress = () => true

/** Whoever asks for the reason does so at once. */
const maxReasons = 1000

function closed(account: { readonly id: string; readonly status: string } | null): ApiError {
  const internal = account
    ? `The account ${account.id} is ${account.status}.`
    : 'It has no account.'
  return new ApiError('INVALID_API_KEY', 'This account is closed.', { internal })
}

function keyOf(
  found: FoundKey,
  account: NonNullable<FoundKey['account']>,
  budgeted: BudgetOwners,
): VerifiedKey {
  return {
    ...budgeted,
    id: found.id,
    keyId: found.id,
    clientId: undefined,
    accountId: account.id,
    clientAccountId: undefined,
    scopes: found.scopes,
    audience: null,
    externalId: found.externalId,
    rateLimitRps: account.rateLimitRps,
    isSuspended: account.status === 'SUSPENDED',
    expiresAtMs: found.expiresAt ? Date.parse(found.expiresAt) : Number.POSITIVE_INFINITY,
    allowsAddress: found.ipAllowlist.length > 0 ? addressMatcher(found.ipAllowlist) : anyAddress,
  }
}

function tokenOf(
  found: FoundToken,
  account: NonNullable<FoundToken['account']>,
  budgeted: BudgetOwners,
): VerifiedKey {
  return {
    ...budgeted,
    id: found.id,
    keyId: null,
    clientId: found.clientId,
    accountId: account.id,
    clientAccountId: found.clientAccount?.id ?? found.clientId,
    scopes: found.scopes,
    audience: found.audience === 'mcp' ? 'mcp' : 'api',
    externalId: null,
    rateLimitRps: account.rateLimitRps,
    isSuspended: account.status === 'SUSPENDED',
    expiresAtMs: Date.parse(found.expiresAt),
    allowsAddress: anyAddress,
  }
}

/** Keys are cached by their hash: this process holds no plaintext longer than a request. */
export function createVerifiedKeys(options: VerifiedKeysOptions): VerifiedKeys {
  const { execute, environment, keyPrefix, cacheSeconds, known: accepted } = options
  const prefix = apiKeyPrefix(keyPrefix, environment)
  const otherPrefix = apiKeyPrefix(keyPrefix, environment === 'live' ? 'sandbox' : 'live')
  const isToken = (text: string) => isOAuthSecret(text, keyPrefix, 'oat')
  const recognizes = (text: string) => isApiKey(text, prefix) || isToken(text)
  const caller = serviceCaller({ environment })
  const cache = createAccountCache<VerifiedKey>(cacheSeconds)
  const budgetOwnersOf = findBudgetOwners(execute, environment)
  const reasons = new LRUCache<string, string>(atMost(maxReasons))

  /**
   * While the last budget of a key is removed, the key may be read before and its budgets after that.
   * So a key without the budgets that it should have is looked up once more.
   */
  async function lookUpKey(secretHash: string, isRepeated = false): Promise<VerifiedKey | null> {
    const found = await execute('VerifyApiKey', { secretHash }, caller)
    if (!found) return null
    const { account } = found
    if (!isOpen(account)) throw closed(account)
    const budgeted = await budgetOwnersOf(spendingOfKey(found, account.id))
    if (!budgeted) return isRepeated ? null : lookUpKey(secretHash, true)
    return keyOf(found, account, budgeted)
  }

  async function lookUpToken(secretHash: string, isRepeated = false): Promise<VerifiedKey | null> {
    const found = await execute('VerifyAccessToken', { secretHash }, caller)
    if (!found) return null
    const { account, clientAccount } = found
    if (!isOpen(account)) throw closed(account)
    if (clientAccount && clientAccount.status !== 'ACTIVE') throw closed(clientAccount)
    const budgeted = await budgetOwnersOf(spendingOfConsent(found, account.id))
    if (!budgeted) return isRepeated ? null : lookUpToken(secretHash, true)
    return tokenOf(found, account, budgeted)
  }

  async function judge(
    secretHash: string,
    found: Promise<VerifiedKey | null>,
  ): Promise<VerifiedKey | null> {
    const key = await found.catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'INVALID_API_KEY') throw error
      if (error.internal !== undefined) reasons.set(secretHash, error.internal)
      return null
    })
    if (key && !key.isSuspended) accepted?.accept(secretHash)
    else accepted?.refuse(secretHash)
    return key
  }

  const lookUpOf = (isAccessToken: boolean, secretHash: string) => () =>
    judge(secretHash, isAccessToken ? lookUpToken(secretHash) : lookUpKey(secretHash))

  return {
    find(plaintext) {
      const secretHash = hash('sha256', plaintext, 'hex')
      const known = cache.get(secretHash)
      if (!known) {
        if (!recognizes(plaintext)) return null
        return cache.find(secretHash, lookUpOf(isToken(plaintext), secretHash))
      }
      const cached = known.value
      const isAccessToken = cached.keyId === null
      // Our clock may be wrong: the database says whether a key has expired.
      if (Date.now() >= cached.expiresAtMs) return lookUpOf(isAccessToken, secretHash)()
      if (!cached.isSuspended) accepted?.accept(secretHash)
      if (known.isDue) cache.renew(secretHash, lookUpOf(isAccessToken, secretHash))
      return cached
    },
    isOfOther: (plaintext) => isApiKey(plaintext, otherPrefix),
    whyRefused(plaintext) {
      if (!recognizes(plaintext))
        return 'It has not the form of a key of this environment or a token.'
      return reasons.get(hash('sha256', plaintext, 'hex')) ?? 'No key or token has this secret.'
    },
    forget: cache.forget,
    forgetAll: cache.forgetAll,
    notices: cache.notices,
  }
}
