import { z } from 'zod'
import type { Environment, ServiceCaller } from '../schema/caller.ts'
import { sha256 } from '../schema/secrets.ts'
import { type AccountCache, createAccountCache } from './account-cache.ts'
import type { Execute } from './graph-client.ts'

/** An app that has proven who it is, as far as it can. */
export interface VerifiedClient {
  readonly clientId: string
  /** Whose app it is. */
  readonly accountId: string
  readonly rateLimitRps: number
  readonly isConfidential: boolean
}

export interface VerifiedClients
  extends Pick<AccountCache<VerifiedClient>, 'forget' | 'forgetAll'> {
  /** Null for an unknown or suspended app and for a wrong secret alike; a public app must send none. */
  find(clientId: string, secret: string | null): Promise<VerifiedClient | null>
}

interface VerifiedClientsOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly cacheSeconds: number
}

const answer = z.nullable(
  z.object({
    clientId: z.string(),
    isConfidential: z.boolean(),
    account: z.object({ id: z.string(), status: z.string(), rateLimitRps: z.number() }),
  }),
)

/** Remembered by the hash of the secret: this process holds none longer than a request. */
export function createVerifiedClients(options: VerifiedClientsOptions): VerifiedClients {
  const { execute, environment, cacheSeconds } = options
  const caller: ServiceCaller = { kind: 'service', environment, requestId: '', traceId: '' }
  const cache = createAccountCache<VerifiedClient>(cacheSeconds)

  async function lookUp(
    clientId: string,
    secretHash: string | null,
  ): Promise<VerifiedClient | null> {
    const found = answer.parse(await execute('VerifyClient', { clientId, secretHash }, caller))
    if (found?.account.status !== 'ACTIVE') return null
    const { id: accountId, rateLimitRps } = found.account
    return { clientId, accountId, rateLimitRps, isConfidential: found.isConfidential }
  }

  return {
    find(clientId, secret) {
      const secretHash = secret === null ? null : sha256(secret)
      return cache.find(`${clientId}:${secretHash}`, () => lookUp(clientId, secretHash))
    },
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  }
}
