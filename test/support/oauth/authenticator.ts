import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

interface Given {
  /** The origin that the browser has seen; by default that of the authenticator. */
  readonly origin?: string
  /** Whether the person was checked, by PIN, finger or face. */
  readonly isVerified?: boolean
  /** Whether the page was in a frame of another site. */
  readonly isFramed?: boolean
}

interface Signing extends Given {
  /** Signs this counter, as a copy of the passkey would. */
  readonly counter?: number
}

/** A credential in JSON, as `toJSON()` of a browser writes it. */
export type CredentialJson = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly response: Readonly<Record<string, string>>
}

/** A passkey on a device, and the browser that asks it: ES256, without attestation. */
export class Authenticator {
  readonly #id = randomBytes(32)
  readonly #origin: string
  readonly #key: KeyObject
  readonly #publicKey: Uint8Array
  #counter: number
  #userHandle = 'bm9ib2R5'

  /** With the counter 0 it does not count, as the passkeys of phones. */
  constructor(origin: string, { counter = 0 }: { readonly counter?: number } = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#origin = origin
    this.#key = privateKey
    this.#counter = counter
    const parameters: [number, number | Uint8Array<ArrayBuffer>][] = [
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as [number, number][]),
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]
    this.#publicKey = isoCBOR.encode(new Map(parameters))
  }

  /** Makes the passkey that the options ask for. */
  create(options: object, given: Given = {}): CredentialJson {
    const { rp, user, challenge } = Object(options)
    this.#userHandle = user.id
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.#id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#publicKey])
    const authData = Buffer.concat([this.#head(rp.id, 0x40, given), attested])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    const attestationObject = isoCBOR.encode(attestation as never)
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge, given).toString('base64url'),
      attestationObject: Buffer.from(attestationObject).toString('base64url'),
    })
  }

  /** Signs the challenge of the options. */
  sign(options: object, { counter, ...given }: Signing = {}): CredentialJson {
    const { rpId, challenge } = Object(options)
    if (counter !== undefined) this.#counter = counter
    else if (this.#counter > 0) this.#counter += 1
    const clientData = this.#clientData('webauthn.get', challenge, given)
    const authenticatorData = this.#head(rpId, 0, given)
    const signed = Buffer.concat([authenticatorData, sha256Bytes(clientData)])
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#key).toString('base64url'),
      userHandle: this.#userHandle,
    })
  }

  #credential(response: Readonly<Record<string, string>>): CredentialJson {
    const id = this.#id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #head(rpId: string, flags: number, { isVerified = true }: Given): Buffer {
    const tail = Buffer.alloc(5)
    tail[0] = flags | 0x01 | (isVerified ? 0x04 : 0)
    tail.writeUInt32BE(this.#counter, 1)
    return Buffer.concat([sha256Bytes(Buffer.from(rpId)), tail])
  }

  #clientData(
    type: string,
    challenge: string,
    { origin = this.#origin, isFramed = false }: Given,
  ): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: isFramed }))
  }
}

function sha256Bytes(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
