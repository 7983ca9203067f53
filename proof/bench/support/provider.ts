import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { Target } from './compare.ts'

/** An app with a secret, and the account that grants it tokens. */
export const clientSchema = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  ownerId: z.string(),
})

/** The codes or tokens that a provider creates before the load, each with its app. */
export const makeSchema = z.object({ what: z.enum(['codes', 'accessTokens']), count: z.int() })
export const made = z.array(z.string())

export type BenchClient = z.infer<typeof clientSchema>

/**
 * Makes so many, the first for the first client, the next for the next, and from the first on
 * again.
 */
export type Make = (question: z.infer<typeof makeSchema>) => Promise<readonly string[]>

export const redirectUri = 'https://app.example/callback'
export const scope = 'openid'
export const nonce = 'n-0S6_WzA2Mj'

/** One verifier for every code: each code is hashed once on either side all the same. */
const codeVerifier = randomBytes(32).toString('base64url')
export const codeChallenge = Buffer.from(sha256(codeVerifier), 'hex').toString('base64url')

export interface Provider {
  /** Up to the names of its endpoints. */
  readonly url: string
  readonly paths: { readonly token: string; readonly introspect: string }
  readonly clients: readonly BenchClient[]
  readonly make: Make
}

const distinctTokens = 4000
/** More than anybody redeems. */
const codesPerSecond = 4000

/** Introspection: every client asks about its own access tokens one after the other. */
export async function introspections(provider: Provider): Promise<Target> {
  const tokens = await provider.make({ what: 'accessTokens', count: distinctTokens })
  const target = {
    ...formTarget(provider, provider.paths.introspect),
    bodies: tokens.map((token) => new URLSearchParams({ token }).toString()),
  }
  await requireMember(target, 'active')
  return target
}

/** The exchange of codes: each works once. */
export async function exchanges(provider: Provider): Promise<(seconds: number) => Promise<Target>> {
  async function make(count: number): Promise<Target> {
    const codes = await provider.make({ what: 'codes', count })
    return {
      ...formTarget(provider, provider.paths.token, codes.length),
      bodies: codes.map((code) => new URLSearchParams({ ...exchange, code }).toString()),
    }
  }
  await requireMember(await make(1), 'id_token')
  return (seconds) => make(codesPerSecond * seconds)
}

const exchange = {
  grant_type: 'authorization_code',
  redirect_uri: redirectUri,
  code_verifier: codeVerifier,
}

function formTarget({ url, clients }: Provider, path: string, count = distinctTokens) {
  const headerSets = clients.map(({ clientId, clientSecret }) => ({
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }))
  return {
    url,
    method: 'POST',
    path,
    headerSets: repeat(headerSets, count),
    isDivided: true,
  } as const
}

/**
 * Checks that both programs do the measured work: refusals and inactive tokens have a status too.
 */
async function requireMember(target: Target, member: string): Promise<void> {
  const { url, path, method, headerSets, bodies } = target
  const request = { method, headers: headerSets[0], body: bodies?.[0] }
  const answer: unknown = await (await fetch(`${url}${path}`, request)).json()
  const found = typeof answer === 'object' && answer && new Map(Object.entries(answer)).get(member)
  if (!found) throw new Error(`${url}${path} answers ${JSON.stringify(answer)}.`)
}

/** Repeats the items until there are as many as asked for. */
export function repeat<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[index % items.length]).filter(
    (item) => item !== undefined,
  )
}
