import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import type { Execute } from '../graph/graph-client.ts'
import { type AccountCache, createAccountCache } from './account-cache.ts'
import { createProvenKeys } from './proven-keys.ts'

/** An app that has proven its identity; a public app cannot prove it. */
export interface VerifiedClient {
  readonly clientId: string
  /** The account that has registered the app, or the app itself if it has none: notices of changes name it. */
  readonly accountId: string
  /** Whether a document describes the app, whose address is its `client_id` for everybody else. */
  readonly hasDocument: boolean
  readonly rateLimitRps: number
  readonly isConfidential: boolean
  /** When the secret ends that was sent, in milliseconds; null: it was not replaced. */
  readonly provenUntilMs: number | null
}

export interface VerifiedClients
  extends Pick<AccountCache<VerifiedClient>, 'forget' | 'forgetAll'> {
  /** Returns the app if its last look-up with this secret is remembered; no look-up is made. */
  remembered(clientId: string, secret: string | null): VerifiedClient | undefined
  /**
   * Finds the app. Null for an unknown or suspended app and for a wrong secret; a public app must
   * send no secret.
   */
  find(clientId: string, secret: string | null): Promise<VerifiedClient | null>
  /** Whether this secret was right at the last look-up of the app: such a caller does not guess. */
  hasProven(clientId: string, secret: string | null): boolean
}

interface VerifiedClientsOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly cacheSeconds: number
}

/** Caches by the hash of the secret: this process holds no secret longer than a request. */
export function createVerifiedClients(options: VerifiedClientsOptions): VerifiedClients {
  const { execute, environment, cacheSeconds } = options
  const caller = serviceCaller({ environment })
  const cache = createAccountCache<VerifiedClient>(cacheSeconds)
  const proven = createProvenKeys()

  async function lookUp(
    clientId: string,
    secretHash: string | null,
  ): Promise<VerifiedClient | null> {
    const found = await execute('VerifyClient', { clientId, secretHash }, caller)
    if (!found || (found.account && found.account.status !== 'ACTIVE')) return null
    // An app of no account has no secret, so it is counted by the address of its client.
    const { id: accountId, rateLimitRps } = found.account ?? { id: clientId, rateLimitRps: 0 }
    const hasDocument = found.origin === 'document'
    const { isConfidential, secretExpiresAt } = found
    const provenUntilMs = secretExpiresAt === null ? null : Date.parse(secretExpiresAt)
    return { clientId, accountId, rateLimitRps, hasDocument, isConfidential, provenUntilMs }
  }

  async function prove(clientId: string, secret: string, secretHash: string) {
    const client = await lookUp(clientId, secretHash)
    if (client) proven.add(clientId, `${clientId}:${secret}`)
    else proven.remove(`${clientId}:${secret}`)
    return client
  }

  function cached(name: string): VerifiedClient | undefined {
    const client = cache.get(name)?.value
    return client && Date.now() < (client.provenUntilMs ?? Infinity) ? client : undefined
  }

  return {
    remembered: (clientId, secret) =>
      cached(secret === null ? clientId : `${clientId}:${sha256(secret)}`),
    find(clientId, secret) {
      if (secret === null) return cache.find(clientId, () => lookUp(clientId, null))
      const secretHash = sha256(secret)
      const name = `${clientId}:${secretHash}`
      const lookUpNow = () => prove(clientId, secret, secretHash)
      // A secret that was replaced ends at its instant, however long it is remembered.
      return cache.get(name) && !cached(name) ? lookUpNow() : cache.find(name, lookUpNow)
    },
    hasProven: (clientId, secret) => secret !== null && proven.has(`${clientId}:${secret}`),
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  }
}
