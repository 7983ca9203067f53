import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import { deriveKey, open } from '../../schema/credentials/secrets.ts'
import type { Execute } from '../graph/graph-client.ts'
import { isOutage } from '../http/errors.ts'

/** Where they are published, on the internal listener of whoever asks backend modules. */
export const backendJwksPath = '/.well-known/backend-jwks.json'

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

/** What signs now. */
export interface BackendSigner {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** The keys that prove to backend modules who calls: the same in every process of this gateway. */
export interface BackendKeys {
  /** What modules verify with; null while it is not known. */
  readonly jwks: () => BackendJwks | null
  /** Null while there is none that can be used. */
  readonly signerOf: (environment: Environment) => BackendSigner | null
  /** Asks for them when that was long enough ago. What was known is kept when they cannot be had. */
  readonly refresh: () => Promise<void>
}

interface BackendKeysOptions {
  readonly execute: Execute
  readonly gatewaySecret: string
  readonly log: Logger
}

/** How long a process may go on signing with a key that is not the active one any more. */
const freshMs = 5000

const found = z.array(
  z.object({
    environment: z.enum(['live', 'sandbox']),
    kid: z.string(),
    x: z.string(),
    isActive: z.boolean(),
    privateSealed: z.string(),
  }),
)
const privateJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
})

const caller = serviceCaller()

export function createBackendKeys({ execute, gatewaySecret, log }: BackendKeysOptions) {
  const sealingKey = deriveKey(gatewaySecret, 'backend-signing-key')
  const signers = new Map<Environment, BackendSigner>()
  let jwks: BackendJwks | null = null
  let askedAtMs = Number.NEGATIVE_INFINITY
  /** Of the last keys that could not be opened: it is said once. */
  let unusable = ''

  async function refresh(): Promise<void> {
    if (jwks && performance.now() - askedAtMs < freshMs) return
    const startedAtMs = performance.now()
    const keys = found.parse(await execute('ListBackendSigningKeys', {}, caller))
    const closed: string[] = []
    for (const { environment, kid, isActive, privateSealed } of keys) {
      if (!isActive || signers.get(environment)?.kid === kid) continue
      const text = open(sealingKey, privateSealed, kid)
      if (text !== null) signers.set(environment, { kid, privateKey: readKey(text) })
      else closed.push(kid)
      // Better no call than one that no module can verify.
      if (text === null) signers.delete(environment)
    }
    warnOnce(closed.join(', '))
    jwks = { keys: keys.map(({ kid, x }) => publicJwk(kid, x)) }
    askedAtMs = startedAtMs
  }

  function warnOnce(kids: string): void {
    if (kids === unusable) return
    unusable = kids
    if (kids === '') return
    log.error(
      { kids },
      'Backend modules cannot be told who calls: their keys were sealed with another GATEWAY_SECRET. ' +
        'Start with that one, or replace them: gateway keys rotate-signing --emergency',
    )
  }

  const keys: BackendKeys = {
    jwks: () => jwks,
    signerOf: (environment) => signers.get(environment) ?? null,
    refresh,
  }
  return keys
}

/** The first look, which a start need not wait for: product calls are refused until there are keys. */
export async function loadBackendKeys(keys: BackendKeys, log: Logger): Promise<void> {
  try {
    await keys.refresh()
  } catch (error) {
    const level = isOutage(error) ? 'warn' : 'error'
    log[level]({ err: error }, 'The keys that tell backend modules who calls cannot be had yet')
  }
}

function publicJwk(kid: string, x: string): BackendJwks['keys'][number] {
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x }
}

function readKey(text: string): KeyObject {
  return createPrivateKey({ key: privateJwk.parse(JSON.parse(text)), format: 'jwk' })
}
