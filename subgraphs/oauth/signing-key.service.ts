import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { Environment } from '../../schema/caller.ts'
import { deriveKey, seal } from '../../schema/secrets.ts'
import type { Database } from '../shared/database.ts'
import type { Jwk } from './discovery.type.ts'
import { SigningKeyEntity } from './signing-key.entity.ts'

const signingKeyLock = 7_462_002

/** The public keys of one environment, oldest first; the first one is made when there is none. */
export async function listSigningKeys(
  database: Database,
  gatewaySecret: string,
  environment: Environment,
): Promise<Jwk[]> {
  const existing = await database.transaction((tx) => findKeys(tx, environment))
  const isNew = existing.length === 0
  const keys = isNew ? await createOnce(database, gatewaySecret, environment) : existing
  return keys.map(({ kid, publicJwk }) => toJwk(kid, publicJwk.n, publicJwk.e))
}

function findKeys(tx: SqlEntityManager, environment: Environment): Promise<SigningKeyEntity[]> {
  return tx.find(SigningKeyEntity, { environment }, { orderBy: { createdAt: 'asc', kid: 'asc' } })
}

/** Many processes may start at once; the lock makes them share one key (design, oauth 111). */
function createOnce(
  database: Database,
  gatewaySecret: string,
  environment: Environment,
): Promise<SigningKeyEntity[]> {
  return database.transaction(async (tx) => {
    await tx.execute('SELECT pg_advisory_xact_lock(?)', [signingKeyLock])
    const existing = await findKeys(tx, environment)
    if (existing.length > 0) return existing
    const pair = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
    const publicJwk = await exportJWK(pair.publicKey)
    const privateJwk = await exportJWK(pair.privateKey)
    const kid = await calculateJwkThumbprint(publicJwk)
    const key = deriveKey(gatewaySecret, 'signing-key')
    const privateSealed = seal(key, JSON.stringify(privateJwk), kid)
    const entity = tx.create(SigningKeyEntity, {
      kid,
      environment,
      alg: 'RS256',
      publicJwk,
      privateSealed,
    })
    await tx.flush()
    return [entity]
  })
}

/** Only public members leave (design, oauth 110). */
function toJwk(kid: string, n = '', e = ''): Jwk {
  return { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e }
}
