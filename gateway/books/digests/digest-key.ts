import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  errors,
  exportJWK,
} from 'jose'
import { deriveKey } from '../../../schema/credentials/secrets.ts'

/** The error for a digest that proves nothing; its message is the reason. */
export class DigestInvalid extends Error {
  override readonly name = 'DigestInvalid'
}

/** The public key. */
export interface DigestPublicKey {
  readonly publicKey: KeyObject
  /** The RFC 7638 thumbprint. */
  readonly kid: string
}

/** The key pair that signs digests. */
export interface DigestKey extends DigestPublicKey {
  readonly privateKey: KeyObject
}

/** RFC 8410 §7: the bytes before the 32 bytes of a private key in PKCS #8. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex')
const typ = 'gateway-digest+jws'
const encoder = new TextEncoder()

/** The Ed25519 key of a gateway, from its GATEWAY_SECRET: every process has the same. */
export async function digestKeyOf(gatewaySecret: string): Promise<DigestKey> {
  const key = Buffer.concat([privateKeyHead, deriveKey(gatewaySecret, 'digest')])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return { privateKey, ...(await withKid(createPublicKey(privateKey))) }
}

/** Reads the text that `pemOf` wrote. Throws DigestInvalid for anything else. */
export async function publicKeyOf(pem: string): Promise<DigestPublicKey> {
  const publicKey = parsePem(pem)
  if (publicKey?.asymmetricKeyType === 'ed25519') return withKid(publicKey)
  throw new DigestInvalid('The public key must be an Ed25519 key in PEM (BEGIN PUBLIC KEY).')
}

function parsePem(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem)
  } catch {
    // Node's reasons are those of OpenSSL; the caller says what is expected.
    return null
  }
}

async function withKid(publicKey: KeyObject): Promise<DigestPublicKey> {
  return { publicKey, kid: await calculateJwkThumbprint(await exportJWK(publicKey)) }
}

/** SPKI in PEM, which OpenSSL and most libraries read. */
export function pemOf({ publicKey }: DigestPublicKey): string {
  return publicKey.export({ format: 'pem', type: 'spki' }).toString()
}

export function sign({ privateKey, kid }: DigestKey, statement: object): Promise<string> {
  return new CompactSign(encoder.encode(JSON.stringify(statement)))
    .setProtectedHeader({ alg: 'EdDSA', kid, typ })
    .sign(privateKey)
}

/** The statement of a JWS. Throws DigestInvalid unless it was signed with the private half of this key. */
export async function verifySigned(jws: string, key: DigestPublicKey): Promise<unknown> {
  try {
    const { kid } = decodeProtectedHeader(jws)
    if (kid !== key.kid) {
      throw new DigestInvalid(
        `The digest was signed with the key ${kid}, and this is the key ${key.kid}. If ` +
          'GATEWAY_SECRET was another one then, give the public key of that time (--public-key).',
      )
    }
    const { payload } = await compactVerify(jws, key.publicKey, { algorithms: ['EdDSA'] })
    return JSON.parse(new TextDecoder().decode(payload))
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) {
      throw new DigestInvalid('The signature of the digest does not fit it.', { cause: error })
    }
    throw error
  }
}
