import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { deriveKey, open, seal } from '../../schema/secrets.ts'

/** An RSA key pair as it is stored. */
export interface SealedPair {
  /** The RFC 7638 thumbprint of the public half. */
  readonly kid: string
  readonly publicJwk: JWK
  /** The private half as a JWK, sealed with a key from GATEWAY_SECRET and bound to the kid. */
  readonly privateSealed: string
}

/** Takes some hundred milliseconds: never while a lock is held. */
export async function generateSealedPair(gatewaySecret: string): Promise<SealedPair> {
  const pair = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const privateJwk = await exportJWK(pair.privateKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const privateSealed = seal(sealingKey(gatewaySecret), JSON.stringify(privateJwk), kid)
  return { kid, publicJwk, privateSealed }
}

type Sealed = Pick<SealedPair, 'kid' | 'privateSealed'>

/** Whether this secret is the one that the private half was sealed with. */
export function canOpen(gatewaySecret: string, { kid, privateSealed }: Sealed): boolean {
  return open(sealingKey(gatewaySecret), privateSealed, kid) !== null
}

/** The private half, to sign with. Throws when it was sealed with another secret. */
export async function openPrivateKey(
  gatewaySecret: string,
  { kid, privateSealed }: Sealed,
): Promise<CryptoKey | Uint8Array> {
  const text = open(sealingKey(gatewaySecret), privateSealed, kid)
  if (text !== null) return importJWK(JSON.parse(text), 'RS256')
  throw new Error(
    `The signing key ${kid} was sealed with another GATEWAY_SECRET. Start with that one, ` +
      'or replace the key: gateway keys rotate-signing --emergency.',
  )
}

function sealingKey(gatewaySecret: string): Uint8Array {
  return deriveKey(gatewaySecret, 'signing-key')
}
