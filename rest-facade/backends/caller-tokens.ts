import { type KeyObject, randomUUID, sign } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Environment } from '../../schema/credentials/caller.ts'
import { atMost } from '../../schema/process/at-most.ts'
import { unavailable } from '../http/errors.ts'

/** Public keys, as RFC 7517 and RFC 8037 write them. */
export interface BackendJwks {
  readonly keys: readonly {
    readonly kty: 'OKP'
    readonly crv: 'Ed25519'
    readonly use: 'sig'
    readonly alg: 'EdDSA'
    readonly kid: string
    readonly x: string
  }[]
}

/** The key that signs now. */
export interface BackendSigner {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** The keys that prove the caller to backend modules. All processes of a gateway have the same keys. */
export interface BackendKeys {
  /** The public keys; null while they are not known. */
  readonly jwks: () => BackendJwks | null
  /** The key that signs tokens of an environment; null while no key is usable. */
  readonly signerOf: (environment: Environment) => BackendSigner | null
  /** Loads the keys again when they are old enough. Keeps the known keys when that fails. */
  readonly refresh: () => Promise<void>
}

/** The caller, the module and the scope of a call. */
export interface BackendCaller {
  /** `acct_…` */
  readonly accountId: string
  readonly backendModule: string
  /** The scope that the operation needs. */
  readonly scope: string
}

/** Tells backend modules the caller. */
export interface CallerTokens {
  /** Throws SERVICE_UNAVAILABLE while no key can sign. */
  requireSigner(): void
  /**
   * Returns the headers of one request, names and values in turn. Throws SERVICE_UNAVAILABLE while no key can
   * sign.
   */
  headersFor(caller: BackendCaller): readonly string[]
}

interface CallerTokensOptions {
  readonly keys: Pick<BackendKeys, 'signerOf'>
  /** The issuer: this gateway's address. */
  readonly issuer: string
  readonly environment: Environment
}

/** The `typ` of the token's header, which tells it from id tokens (RFC 8725 §3.11). */
export const callerTokenType = 'gateway-caller+jwt'

const lifeSeconds = 60
/** A token is sent for half of its lifetime, so its receiver has at least as long to verify it. */
const reuseMs = 30_000
const maxTokens = 10_000

interface SentToken {
  readonly headers: readonly string[]
  readonly kid: string
  readonly signedAtMs: number
}

/**
 * Keeps one JWT (EdDSA) for each account, module and scope. A token is signed when it is first
 * needed and sent for half a minute, so most calls cost a look-up instead of a signature.
 */
export function createCallerTokens({
  keys,
  issuer,
  environment,
}: CallerTokensOptions): CallerTokens {
  const tokens = new LRUCache<string, SentToken>(atMost(maxTokens))

  function requireSigner(): BackendSigner {
    const signer = keys.signerOf(environment)
    if (signer) return signer
    throw unavailable(
      'The gateway cannot sign the caller for backend modules at the moment; try again.',
    )
  }

  return {
    requireSigner,
    headersFor(caller) {
      const signer = requireSigner()
      const name = `${caller.accountId} ${caller.backendModule} ${caller.scope}`
      const known = tokens.get(name)
      const nowMs = performance.now()
      if (known && known.kid === signer.kid && nowMs - known.signedAtMs < reuseMs) {
        return known.headers
      }
      const headers = [
        ...['Gateway-Caller', signCaller(signer, { ...caller, issuer, environment })],
        ...['Gateway-Account', caller.accountId],
      ]
      tokens.set(name, { headers, kid: signer.kid, signedAtMs: nowMs })
      return headers
    },
  }
}

interface Claims extends BackendCaller {
  readonly issuer: string
  readonly environment: Environment
}

function signCaller({ kid, privateKey }: BackendSigner, claims: Claims): string {
  const iat = Math.floor(Date.now() / 1000)
  const header = encode({ alg: 'EdDSA', typ: callerTokenType, kid })
  const payload = encode({
    iss: claims.issuer,
    aud: claims.backendModule,
    sub: claims.accountId,
    env: claims.environment,
    scope: claims.scope,
    jti: randomUUID(),
    iat,
    exp: iat + lifeSeconds,
  })
  const signature = sign(null, Buffer.from(`${header}.${payload}`), privateKey)
  return `${header}.${payload}.${signature.toString('base64url')}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
