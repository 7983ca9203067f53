import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Client } from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'
import LRU from 'oidc-provider/lib/helpers/lru.js'
import { z } from 'zod'
import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'
import {
  type BenchClient,
  clientSchema,
  makeSchema,
  nonce,
  redirectUri,
  repeat,
  scope,
} from '../support/provider.ts'

const optionsSchema = z.object({ clients: z.array(clientSchema), codeChallenge: z.string() })

const hourSeconds = 3600
/** Left to itself it forgets all but the last thousand. */
const entriesMax = 1_000_000

/** P7's peer: oidc-provider with everything in memory. */
export async function serve(given: unknown): Promise<Served> {
  const { clients, codeChallenge } = optionsSchema.parse(given)
  const provider = new Provider('http://127.0.0.1', await configuration(clients))
  const { ready, stop } = await listen(provider.callback())

  async function issue(what: 'codes' | 'accessTokens', owner: BenchClient): Promise<string> {
    const client = await provider.Client.find(owner.clientId)
    if (!client) throw new Error('The client is missing.')
    const { ownerId: accountId } = owner
    const grant = new provider.Grant({ clientId: owner.clientId, accountId })
    grant.addOIDCScope(scope)
    const issued = { client, accountId, grantId: await grant.save(), scope }
    if (what === 'accessTokens') {
      return new provider.AccessToken({ ...issued, gty: 'authorization_code' }).save()
    }
    return new provider.AuthorizationCode(codeMembers(issued, codeChallenge)).save()
  }

  return {
    ready,
    stop,
    async answer(question) {
      const { what, count } = makeSchema.parse(question)
      return Promise.all(repeat(clients, count).map((client) => issue(what, client)))
    },
  }
}

function codeMembers(issued: { readonly client: Client }, codeChallenge: string) {
  return {
    ...issued,
    ...{ codeChallenge, codeChallengeMethod: 'S256', redirectUri, nonce },
    ...{ acr: '0', authTime: Math.floor(Date.now() / 1000) },
  }
}

/** Whether the token is the app's own: as in this gateway, an app learns of its own tokens alone. */
function isOwn(_ctx: unknown, client: Client, token: Client): boolean {
  return client.clientId === token.clientId
}

async function configuration(clients: readonly BenchClient[]) {
  const storage = new LRU({ maxSize: entriesMax })
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  return {
    adapter: (model: string) => new MemoryAdapter(model, storage),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'bench' }] },
    cookies: { keys: ['a secret for benchmarks'] },
    clients: clients.map(({ clientId, clientSecret }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    })),
    acrValues: ['0'],
    features: {
      introspection: { enabled: true, allowedPolicy: isOwn },
      devInteractions: { enabled: false },
    },
    findAccount: (_ctx: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: hourSeconds,
      Grant: hourSeconds,
      IdToken: hourSeconds,
    },
  }
}
