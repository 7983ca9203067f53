import { CompactSign, type CryptoKey } from 'jose'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { Jwk } from './jwk.type.ts'
import { remembering } from './signing-key.memory.ts'
import { generateSealedPair, openPrivateKey } from './signing-key.pair.ts'
import {
  activeOf,
  insertSigningKey,
  type KeyRing,
  lockSigningKeys,
  readSigningKeys,
  type SigningKey,
  type SigningKeyState,
} from './signing-key.store.ts'

const publishedStates: readonly SigningKeyState[] = ['pending', 'active', 'retired']

/** JWKS of the caller's environment, oldest key first. */
export async function listPublishedKeys(context: OAuthContext): Promise<Jwk[]> {
  const keys = await listKeys(context, openidRing(context))
  return keys.filter(({ state }) => publishedStates.includes(state)).map(toJwk)
}

/** Only public members are published (docs/oauth-rules.md 110). */
function toJwk({ kid, publicJwk: { n = '', e = '' } }: SigningKey): Jwk {
  return { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e }
}

/** Keys of both environments; processes with GATEWAY_SECRET can sign with them. */
export async function listBackendKeys(context: OAuthContext) {
  const lists = await Promise.all(
    (['live', 'sandbox'] as const).map(async (environment) => {
      const keys = await listKeys(context, { use: 'backends', environment })
      return keys
        .filter(({ state }) => publishedStates.includes(state))
        .map(({ kid, publicJwk: { x = '' }, privateSealed, state }) => {
          return { environment, kid, x, privateSealed, isActive: state === 'active' }
        })
    }),
  )
  return lists.flat()
}

/** Oldest first, with an active one: it is made if there is none. */
export async function listKeys(context: OAuthContext, ring: KeyRing): Promise<SigningKey[]> {
  const keys = await context.database.transaction((tx) => readSigningKeys(tx, ring))
  return activeOf(keys) ? keys : await makeFirstKey(context, ring)
}

function openidRing({ caller: { environment } }: OAuthContext): KeyRing {
  return { use: 'openid', environment }
}

/** Many callers and processes may ask at once; they share one key (docs/oauth-rules.md 111). */
const makeFirstKey = remembering(0, async (context, ring): Promise<SigningKey[]> => {
  const pair = await generateSealedPair(context.gatewaySecret, ring.use)
  return context.database.transaction(async (tx) => {
    await lockSigningKeys(tx)
    const keys = await readSigningKeys(tx, ring)
    if (activeOf(keys)) return keys
    await insertSigningKey(tx, { ring, pair, activeInSeconds: 0 })
    return readSigningKeys(tx, ring)
  })
})

interface Signer {
  readonly kid: string
  readonly privateKey: CryptoKey | Uint8Array
}

/** A process may go on signing for so long with a key that is not active any more. */
const signerMaxAgeMs = 5000

/** A private key is opened and imported once, not each time it is found to be active. */
const findSigner = remembering(
  signerMaxAgeMs,
  async (context, ring, earlier: Signer | undefined): Promise<Signer> => {
    const key = activeOf(await listKeys(context, ring))
    if (!key) throw new Error(`No signing key of ${ring.environment} is active.`)
    if (key.kid === earlier?.kid) return earlier
    return { kid: key.kid, privateKey: await openPrivateKey(context.gatewaySecret, key) }
  },
)

const encoder = new TextEncoder()

/**
 * A JWT of exactly these claims, signed with RS256 by the active key of the caller's environment;
 * its header has `alg` and `kid` only (docs/oauth-rules.md 75). Throws when that key was sealed
 * with another GATEWAY_SECRET.
 */
export async function signIdToken(
  context: OAuthContext,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { kid, privateKey } = await findSigner(context, openidRing(context))
  return new CompactSign(encoder.encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(privateKey)
}
