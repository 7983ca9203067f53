import type { Environment } from '../../../schema/credentials/caller.ts'
import { makeChange, recordChange } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import {
  canOpen,
  generateSealedPair,
  type SealedPair,
  type SigningKeyUse,
} from './signing-key.pair.ts'
import { listKeys } from './signing-key.service.ts'
import {
  activateSigningKey,
  activeOf,
  deleteSigningKeys,
  insertSigningKey,
  type KeyRing,
  lockSigningKeys,
  pendingSeconds,
  readSigningKeys,
  revokeSigningKey,
  type SigningKey,
} from './signing-key.store.ts'

/** A key, and the time from which on it signs. */
export interface NextKey {
  readonly use: SigningKeyUse
  readonly environment: Environment
  readonly kid: string
  readonly activatesAt: Date
}

/**
 * Adds a pending key on each ring, or on none. Throws CONFLICT when a key is pending already,
 * unless it is forced (docs/oauth-rules.md 112).
 */
export async function rotateSigningKeys(
  context: OAuthContext,
  rings: readonly KeyRing[],
  isForced: boolean,
): Promise<NextKey[]> {
  // A pending key needs an active one before it.
  for (const ring of rings) await listKeys(context, ring)
  return change(context, rings, 'signing_key.rotate', async (tx, ring, pair) => {
    const keys = await readSigningKeys(tx, ring)
    const pending = keys.findLast(({ state }) => state === 'pending')
    if (pending && !isForced) {
      const at = pending.activateAt.toISOString()
      const message = `A signing key is pending (${nameOf(ring)}): it becomes active at ${at}.`
      throw new DomainError('CONFLICT', message)
    }
    return addPendingKey(tx, context, { ring, pair, keys })
  })
}

/**
 * Revokes the active key of each ring. From now on the pending key signs, or a new one if no
 * pending key can be opened (docs/oauth-rules.md 114).
 */
export function replaceSigningKeys(
  context: OAuthContext,
  rings: readonly KeyRing[],
): Promise<NextKey[]> {
  return change(context, rings, 'signing_key.revoke', async (tx, ring, pair) => {
    const keys = await readSigningKeys(tx, ring)
    const active = activeOf(keys)
    if (active) await revokeSigningKey(tx, ring, active.kid)
    const pending = keys.filter(({ state }) => state === 'pending')
    const isUsable = (key: SigningKey) => canOpen(context.gatewaySecret, ring.use, key)
    await deleteSigningKeys(
      tx,
      ring,
      pending.filter((key) => !isUsable(key)),
    )
    const successor = pending.find(isUsable)
    const next = successor
      ? {
          ...ring,
          kid: successor.kid,
          activatesAt: await activateSigningKey(tx, ring, successor.kid),
        }
      : await addKey(tx, { ring, pair, activeInSeconds: 0 })
    if (active) await note(tx, context, 'signing_key.revoke', active.kid, next)
    else await note(tx, context, 'signing_key.rotate', next.kid, next)
    return next
  })
}

/**
 * Adds a pending key if this key, which has signed for its time, has no successor. Returns whether
 * it added one.
 */
export async function turnSigningKeys(
  context: OAuthContext,
  ring: KeyRing,
  kid: string,
): Promise<boolean> {
  const isNewest = (keys: readonly SigningKey[]) => keys.at(-1)?.kid === kid
  const read = (tx: Transaction) => readSigningKeys(tx, ring)
  if (!isNewest(await context.database.transaction(read))) return false
  const added = await change(context, [ring], 'signing_key.rotate', async (tx, _ring, pair) => {
    const keys = await read(tx)
    return isNewest(keys) ? addPendingKey(tx, context, { ring, pair, keys }) : null
  })
  return added.some((key) => key !== null)
}

function nameOf({ use, environment }: KeyRing): string {
  return use === 'openid' ? environment : `${environment}, ${use}`
}

/** One transaction for all rings; a new pair for each is generated before it. */
async function change<Result>(
  context: OAuthContext,
  rings: readonly KeyRing[],
  action: string,
  work: (tx: Transaction, ring: KeyRing, pair: SealedPair) => Promise<Result>,
): Promise<Result[]> {
  const pairs = await Promise.all(
    rings.map(async (ring) => ({
      ring,
      pair: await generateSealedPair(context.gatewaySecret, ring.use),
    })),
  )
  // Each key gets its own audit event.
  return makeChange(context, { owner: null, action, note: () => null }, async (tx) => {
    await lockSigningKeys(tx)
    const results: Result[] = []
    for (const { ring, pair } of pairs) results.push(await work(tx, ring, pair))
    return results
  })
}

interface KeyToAdd {
  readonly ring: KeyRing
  readonly pair: SealedPair
}

/** Adds a key that signs later, and deletes keys of the ring that are not needed any more. */
async function addPendingKey(
  tx: Transaction,
  context: OAuthContext,
  { ring, pair, keys }: KeyToAdd & { readonly keys: readonly SigningKey[] },
): Promise<NextKey> {
  await deleteSigningKeys(
    tx,
    ring,
    keys.filter(({ isOver, state }) => isOver && state !== 'active'),
  )
  const next = await addKey(tx, { ring, pair, activeInSeconds: pendingSeconds })
  await note(tx, context, 'signing_key.rotate', next.kid, next)
  return next
}

async function addKey(
  tx: Transaction,
  { ring, pair, activeInSeconds }: KeyToAdd & { readonly activeInSeconds: number },
): Promise<NextKey> {
  const activatesAt = await insertSigningKey(tx, { ring, pair, activeInSeconds })
  return { ...ring, kid: pair.kid, activatesAt }
}

function note(
  tx: Transaction,
  { caller }: OAuthContext,
  action: string,
  resourceId: string,
  { use, environment, kid, activatesAt }: NextKey,
): Promise<void> {
  const details = {
    ...(use === 'openid' ? {} : { use }),
    ...{ environment, next_kid: kid, active_from: activatesAt.toISOString() },
  }
  const event = { owner: null, action, resourceId }
  return recordChange(tx, { caller: { ...caller, environment } }, event, { details })
}
