import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  type GenerateKeyPairOptions,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { deriveKey, open, type SecretPurpose, seal } from '../../../schema/credentials/secrets.ts'

/**
 * The use of a key: id tokens of the OpenID provider, or assertions about callers for backend
 * modules.
 */
export type SigningKeyUse = 'openid' | 'backends'

interface KeyKind {
  readonly alg: 'RS256' | 'EdDSA'
  readonly options: GenerateKeyPairOptions
  /** The private half is sealed with a key that is derived for this purpose. */
  readonly purpose: SecretPurpose
}

const kinds: Readonly<Record<SigningKeyUse, KeyKind>> = {
  openid: { alg: 'RS256', options: { modulusLength: 2048 }, purpose: 'signing-key' },
  backends: { alg: 'EdDSA', options: { crv: 'Ed25519' }, purpose: 'backend-signing-key' },
}

export function algOf(use: SigningKeyUse): KeyKind['alg'] {
  return kinds[use].alg
}

/** A key pair as it is stored. */
export interface SealedPair {
  /** The RFC 7638 thumbprint of the public half. */
  readonly kid: string
  readonly publicJwk: JWK
  /** The private half as a JWK, sealed with a key from GATEWAY_SECRET and bound to the kid. */
  readonly privateSealed: string
}

/** An RSA pair takes some hundred milliseconds: never generate one while a lock is held. */
export async function generateSealedPair(
  gatewaySecret: string,
  use: SigningKeyUse,
): Promise<SealedPair> {
  const { alg, options } = kinds[use]
  const pair = await generateKeyPair(alg, { ...options, extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const privateJwk = await exportJWK(pair.privateKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const privateSealed = seal(sealingKey(gatewaySecret, use), JSON.stringify(privateJwk), kid)
  return { kid, publicJwk, privateSealed }
}

type Sealed = Pick<SealedPair, 'kid' | 'privateSealed'>

/** Whether the private half was sealed with this secret. */
export function canOpen(
  gatewaySecret: string,
  use: SigningKeyUse,
  { kid, privateSealed }: Sealed,
): boolean {
  return open(sealingKey(gatewaySecret, use), privateSealed, kid) !== null
}

/** The private half of a key. Throws when it was sealed with another secret. */
export async function openPrivateKey(
  gatewaySecret: string,
  { kid, privateSealed }: Sealed,
): Promise<CryptoKey | Uint8Array> {
  const text = open(sealingKey(gatewaySecret, 'openid'), privateSealed, kid)
  if (text !== null) return importJWK(JSON.parse(text), algOf('openid'))
  throw new Error(
    `The signing key ${kid} was sealed with another GATEWAY_SECRET. Start with that one, ` +
      'or replace the key: gateway keys rotate-signing --emergency.',
  )
}

function sealingKey(gatewaySecret: string, use: SigningKeyUse): Uint8Array {
  return deriveKey(gatewaySecret, kinds[use].purpose)
}
