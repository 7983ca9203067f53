import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { apiKeyPrefix, isApiKey } from '../schema/api-key-format.ts'
import type { Environment, ServiceCaller } from '../schema/caller.ts'
import { addressMatcher } from '../schema/ip-allowlist.ts'
import type { Execute } from './graph-client.ts'

/** A key that was accepted, with all that authentication asks of it. */
export interface VerifiedKey {
  readonly keyId: string
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly rateLimitRps: number
  readonly expiresAtMs: number
  /** Whether the key may be used from this address. */
  readonly allowsAddress: (address: string) => boolean
}

export interface VerifiedKeys {
  /** Whether a text has the shape of a key of this environment, checksum included. */
  recognizes(text: string): boolean
  /** The usable key with this plaintext, which `recognizes` accepts; null when unknown, revoked, expired or suspended. */
  find(plaintext: string): Promise<VerifiedKey | null>
  /** Forgets everything about an account, also what is being looked up at this moment. */
  readonly forget: (accountId: string) => void
  /** Forgets everything: notices of changes may have been lost. */
  readonly forgetAll: () => void
}

interface VerifiedKeysOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly keyPrefix: string
  /** For how long a key is believed when every notice of a change is lost. */
  readonly cacheSeconds: number
}

const maxKeys = 50_000

const answer = z.nullable(
  z.object({
    id: z.string(),
    scopes: z.array(z.string()),
    ipAllowlist: z.array(z.string()),
    expiresAt: z.nullable(z.string()),
    account: z.object({ id: z.string(), status: z.string(), rateLimitRps: z.number() }),
  }),
)

const anyAddress = () => true

/** Keys are remembered by their hash: this process holds no plaintext longer than a request. */
export function createVerifiedKeys(options: VerifiedKeysOptions): VerifiedKeys {
  const { execute, environment, keyPrefix, cacheSeconds } = options
  const prefix = apiKeyPrefix(keyPrefix, environment)
  const cache = new LRUCache<string, VerifiedKey>({
    max: maxKeys,
    ttl: Math.max(1, cacheSeconds * 1000),
    noDisposeOnSet: true,
    dispose: ({ accountId }, secretHash) => {
      const hashes = hashesByAccount.get(accountId)
      hashes?.delete(secretHash)
      if (hashes?.size === 0) hashesByAccount.delete(accountId)
    },
  })
  const hashesByAccount = new Map<string, Set<string>>()
  const lookUps = new Map<string, Promise<VerifiedKey | null>>()
  let staleNotices = 0

  async function lookUp(secretHash: string): Promise<VerifiedKey | null> {
    const noticesBefore = staleNotices
    const caller: ServiceCaller = { kind: 'service', environment, requestId: '', traceId: '' }
    const found = answer.parse(await execute('VerifyApiKey', { secretHash }, caller))
    if (found?.account.status !== 'ACTIVE') return null
    const key: VerifiedKey = {
      keyId: found.id,
      accountId: found.account.id,
      scopes: found.scopes,
      rateLimitRps: found.account.rateLimitRps,
      expiresAtMs: found.expiresAt ? Date.parse(found.expiresAt) : Number.POSITIVE_INFINITY,
      allowsAddress: found.ipAllowlist.length > 0 ? addressMatcher(found.ipAllowlist) : anyAddress,
    }
    // Something changed while we asked: the answer may be from before it, so it is not kept.
    if (noticesBefore === staleNotices) remember(secretHash, key)
    return key
  }

  function remember(secretHash: string, key: VerifiedKey): void {
    const hashes = hashesByAccount.get(key.accountId) ?? new Set()
    hashesByAccount.set(key.accountId, hashes.add(secretHash))
    cache.set(secretHash, key)
  }

  /** Requests that arrive together with the same key share one look-up. */
  function lookUpOnce(secretHash: string): Promise<VerifiedKey | null> {
    const running = lookUps.get(secretHash)
    if (running) return running
    const started = lookUp(secretHash).finally(() => {
      if (lookUps.get(secretHash) === started) lookUps.delete(secretHash)
    })
    lookUps.set(secretHash, started)
    return started
  }

  return {
    recognizes: (text) => isApiKey(text, prefix),
    async find(plaintext) {
      const secretHash = hash('sha256', plaintext, 'hex')
      const key = cache.get(secretHash) ?? (await lookUpOnce(secretHash))
      return key && Date.now() < key.expiresAtMs ? key : null
    },
    forget(accountId) {
      staleNotices += 1
      lookUps.clear()
      for (const secretHash of [...(hashesByAccount.get(accountId) ?? [])]) cache.delete(secretHash)
      hashesByAccount.delete(accountId)
    },
    forgetAll() {
      staleNotices += 1
      lookUps.clear()
      cache.clear()
      hashesByAccount.clear()
    },
  }
}
