import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import { z } from 'zod'
import type {
  BackendJwks,
  BackendKeys,
  BackendSigner,
} from '../../rest-facade/backends/caller-tokens.ts'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { isOutage } from '../../rest-facade/http/errors.ts'
import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import { deriveKey, open } from '../../schema/credentials/secrets.ts'

/** The path of the published keys, on the internal listener of a process that calls backends. */
export const backendJwksPath = '/.well-known/backend-jwks.json'

interface BackendKeysOptions {
  readonly execute: Execute
  readonly gatewaySecret: string
  readonly log: Logger
}

/** The longest time for which a process may sign with a key that is no longer active. */
const freshMs = 5000

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
  /** The names of the last keys that could not be opened, so that they are logged only once. */
  let unusable = ''

  async function refresh(): Promise<void> {
    if (jwks && performance.now() - askedAtMs < freshMs) return
    const startedAtMs = performance.now()
    const keys = await execute('ListBackendSigningKeys', {}, caller)
    const closed: string[] = []
    for (const { environment, kid, isActive, privateSealed } of keys) {
      if (!isActive || signers.get(environment)?.kid === kid) continue
      const text = open(sealingKey, privateSealed, kid)
      if (text !== null) signers.set(environment, { kid, privateKey: readKey(text) })
      else closed.push(kid)
      // Without a usable key nothing is signed: a call that no module can verify is worse than no call.
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
      'The caller cannot be signed for backend modules: the keys were sealed with another GATEWAY_SECRET. ' +
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

/** Loads the keys for the first time. When that fails, product calls are refused until it works. */
export async function loadBackendKeys(keys: BackendKeys, log: Logger): Promise<void> {
  try {
    await keys.refresh()
  } catch (error) {
    const level = isOutage(error) ? 'warn' : 'error'
    log[level]({ err: error }, 'The keys for caller tokens are not available yet')
  }
}

function publicJwk(kid: string, x: string): BackendJwks['keys'][number] {
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x }
}

function readKey(text: string): KeyObject {
  return createPrivateKey({ key: privateJwk.parse(JSON.parse(text)), format: 'jwk' })
}
