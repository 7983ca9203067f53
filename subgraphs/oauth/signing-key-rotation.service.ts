import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import { makeChange, recordChange } from '../shared/change.ts'
import type { GraphContext } from '../shared/context.ts'
import { DomainError } from '../shared/errors.ts'
import { canOpen, generateSealedPair, type SealedPair } from './signing-key.pair.ts'
import { listKeys } from './signing-key.service.ts'
import {
  activateSigningKey,
  activeOf,
  deleteSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  pendingSeconds,
  readSigningKeys,
  revokeSigningKey,
  type SigningKey,
} from './signing-key.store.ts'

/** A key, and since when it signs or from when on it will. */
export interface NextKey {
  readonly environment: Environment
  readonly kid: string
  readonly activatesAt: Date
}

/**
 * Adds a pending key in each environment, or in none. Throws CONFLICT where one is pending already,
 * unless it is forced (design, oauth 112).
 */
export async function rotateSigningKeys(
  context: GraphContext,
  environments: readonly Environment[],
  isForced: boolean,
): Promise<NextKey[]> {
  // What is pending follows one that signs.
  for (const environment of environments) await listKeys(context, environment)
  return change(context, environments, 'signing_key.rotate', async (tx, environment, pair) => {
    const keys = await readSigningKeys(tx, environment)
    const pending = keys.findLast(({ state }) => state === 'pending')
    if (pending && !isForced) {
      const at = pending.activateAt.toISOString()
      const message = `A signing key is pending (${environment}): it becomes active at ${at}.`
      throw new DomainError('CONFLICT', message)
    }
    return addPendingKey(tx, context, { environment, pair, keys })
  })
}

/**
 * Revokes the active key of each environment; a pending one signs from now on, or where there is none
 * that can be opened, a new one (design, oauth 114).
 */
export function replaceSigningKeys(
  context: GraphContext,
  environments: readonly Environment[],
): Promise<NextKey[]> {
  return change(context, environments, 'signing_key.revoke', async (tx, environment, pair) => {
    const keys = await readSigningKeys(tx, environment)
    const active = activeOf(keys)
    if (active) await revokeSigningKey(tx, active.kid)
    const pending = keys.filter(({ state }) => state === 'pending')
    const isUsable = (key: SigningKey) => canOpen(context.gatewaySecret, key)
    await deleteSigningKeys(
      tx,
      pending.filter((key) => !isUsable(key)),
    )
    const successor = pending.find(isUsable)
    const next = successor
      ? {
          environment,
          kid: successor.kid,
          activatesAt: await activateSigningKey(tx, successor.kid),
        }
      : await addKey(tx, context, { environment, pair, activeInSeconds: 0 })
    if (active) await note(tx, context, 'signing_key.revoke', active.kid, next)
    else await note(tx, context, 'signing_key.rotate', next.kid, next)
    return next
  })
}

/** Adds a pending key if this one, which has signed for its time, has no successor; whether it had none. */
export async function turnSigningKeys(
  context: GraphContext,
  environment: Environment,
  kid: string,
): Promise<boolean> {
  const isNewest = (keys: readonly SigningKey[]) => keys.at(-1)?.kid === kid
  const read = (tx: SqlEntityManager) => readSigningKeys(tx, environment)
  if (!isNewest(await context.database.transaction(read))) return false
  const added = await change(
    context,
    [environment],
    'signing_key.rotate',
    async (tx, _environment, pair) => {
      const keys = await read(tx)
      return isNewest(keys) ? addPendingKey(tx, context, { environment, pair, keys }) : null
    },
  )
  return added.some((key) => key !== null)
}

/** One transaction for all environments, with a new pair at hand for each. */
async function change<Result>(
  context: GraphContext,
  environments: readonly Environment[],
  action: string,
  work: (tx: SqlEntityManager, environment: Environment, pair: SealedPair) => Promise<Result>,
): Promise<Result[]> {
  const pairs = await Promise.all(
    environments.map(async (environment) => ({
      environment,
      pair: await generateSealedPair(context.gatewaySecret),
    })),
  )
  // Each key has its own line in the audit trail.
  return makeChange(context, { owner: null, action, note: () => null }, async (tx) => {
    await lockSigningKeys(tx)
    const results: Result[] = []
    for (const { environment, pair } of pairs) results.push(await work(tx, environment, pair))
    return results
  })
}

interface KeyToAdd {
  readonly environment: Environment
  readonly pair: SealedPair
}

/** With the keys that are there: those that nobody needs any more go. */
async function addPendingKey(
  tx: SqlEntityManager,
  context: GraphContext,
  { environment, pair, keys }: KeyToAdd & { readonly keys: readonly SigningKey[] },
): Promise<NextKey> {
  await deleteSigningKeys(
    tx,
    keys.filter(({ isOver, state }) => isOver && state !== 'active'),
  )
  const next = await addKey(tx, context, { environment, pair, activeInSeconds: pendingSeconds })
  await note(tx, context, 'signing_key.rotate', next.kid, next)
  return next
}

async function addKey(
  tx: SqlEntityManager,
  { oauth }: GraphContext,
  { environment, pair, activeInSeconds }: KeyToAdd & { readonly activeInSeconds: number },
): Promise<NextKey> {
  const { signingKeyRotationDays: rotationDays } = oauth
  const key = { environment, pair, activeInSeconds, rotationDays }
  return { environment, kid: pair.kid, activatesAt: await insertSigningKey(tx, key) }
}

function note(
  tx: SqlEntityManager,
  { caller }: GraphContext,
  action: string,
  resourceId: string,
  { environment, kid, activatesAt }: NextKey,
): Promise<void> {
  const details = { environment, next_kid: kid, active_from: activatesAt.toISOString() }
  const event = { owner: null, action, resourceId }
  return recordChange(tx, { caller: { ...caller, environment } }, event, { details })
}
