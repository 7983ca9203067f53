import { raw } from '@mikro-orm/core'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import { type ChangeNote, makeChange, recordRefusal } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { noteOfBudget, toBudgetInputs } from '../../shared/spending/budget-input.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import type { ChangeApiKeyInput } from './api-key.type.ts'
import { detailsOfKey, requireCurrent } from './current-key.ts'
import { bookOf, markCapped, settleBudgets, spenderOf } from './key-budgets.service.ts'
import { type KeyDetails, toDetails } from './key-details.ts'
import {
  type CallingKey,
  changeKeys,
  lockKeys,
  requireLimits,
  requireScopes,
} from './key-lock.service.ts'

/** A key as it is under the lock, and the key that asks; null: an administrator. */
interface Changing {
  readonly tx: Transaction
  readonly key: ApiKeyEntity
  readonly caller: CallingKey | null
}

/** A change of one key in a transaction of its own, with its line in the audit trail. */
type InLock = (
  note: ChangeNote | null,
  work: (changing: Changing) => Promise<ApiKeyEntity>,
) => Promise<ApiKeyEntity>

/**
 * The calling key must have all scopes of the changed key, before and after the change, and no limit that
 * the changed key lacks before or after it. Throws CONFLICT unless it is current, and FORBIDDEN for a change
 * of budgets or external id by a key that has a budget.
 */
export function changeKey(
  context: GraphContext,
  id: string,
  input: ChangeApiKeyInput,
): Promise<ApiKeyEntity> {
  const change = { action: 'key.update', resourceId: id }
  const inLock: InLock = (note, work) =>
    changeKeys(context, { ...change, note: () => note }, async (tx, caller) =>
      work({ tx, caller, key: await getApiKey(tx, caller, id) }),
    )
  return changeWith(context, input, inLock)
}

interface NamedKey {
  readonly id: string
  readonly accountId: string
}

/** Changes a key for an administrator, who may change every key. */
export async function changeAnyKey(
  context: GraphContext,
  { id, accountId }: NamedKey,
  input: ChangeApiKeyInput,
): Promise<ApiKeyEntity> {
  const database = context.database.as(accountId)
  const where = { id, accountId }
  const named = { action: 'key.update', resourceId: id }
  const key = await recordRefusal(context, { ...named, owner: null }, async () => {
    const found = await database.transaction((tx) => tx.findOne(ApiKeyEntity, where))
    if (!found) throw new DomainError('NOT_FOUND', 'No API key has this id.')
    return found
  })
  const owner = { accountId, environment: key.environment }
  const change = { ...named, owner }
  const inLock: InLock = (note, work) =>
    makeChange(context, { ...change, note: () => note }, async (tx) => {
      await lockKeys(tx, accountId)
      return work({ tx, caller: null, key: await getApiKey(tx, owner, id) })
    })
  return changeWith(context, input, inLock)
}

/**
 * New budgets are stored before the key is marked as capped, and are removed after it is no longer
 * marked: a marked key never lacks them. No other subgraph is asked within a transaction.
 */
async function changeWith(
  context: GraphContext,
  input: ChangeApiKeyInput,
  inLock: InLock,
): Promise<ApiKeyEntity> {
  const budgets = input.budgets ? toBudgetInputs(input.budgets) : null
  if (budgets && budgets.length > 0) {
    const key = await inLock(null, async (changing) => {
      requireProofToEnable(changing, input)
      judge(changing, input, budgets)
      return changing.key
    })
    await bookOf(context).set(key, spenderOf(key), budgets)
  }
  const changed = await inLock({ details: noteOf(input, budgets) }, async (changing) => {
    const { tx, key } = changing
    requireProofToEnable(changing, input)
    const details = judge(changing, input, budgets ?? [])
    tx.assign(key, { ...details, ...disablingOf(changing, input) })
    await tx.flush()
    if (budgets) await markCapped(tx, key, budgets.length > 0)
    return key
  })
  if (budgets) await settleBudgets(context, changed, budgets)
  return changed
}

/**
 * A session needs a fresh proof to enable a disabled key: whoever has disabled it may have had a reason.
 * Only `undoDisable` needs none.
 */
function requireProofToEnable({ key, caller }: Changing, { enabled }: ChangeApiKeyInput): void {
  const session = caller?.session
  if (enabled !== true || key.enabled || !session || session.isProofFresh) return
  throw new DomainError('STEP_UP_REQUIRED', 'Enabling a key needs a fresh proof.')
}

/**
 * The note of who disables the key, which an enabled key has not. Whoever disables a disabled one wants it to stay so:
 * nobody can undo that, for nobody has enabled it since.
 */
function disablingOf({ key, caller }: Changing, { enabled }: ChangeApiKeyInput) {
  if (enabled === undefined || enabled === null) return {}
  if (enabled) return key.enabled ? {} : { disabledAt: null, disabledBy: null }
  const by = caller?.session?.id ?? null
  if (key.enabled) return { disabledAt: raw('now()'), disabledBy: by }
  return by !== null && by === key.disabledBy ? {} : { disabledBy: null }
}

/** The new state of the key. Throws the reason that forbids the change. */
function judge(
  { key, caller }: Changing,
  input: ChangeApiKeyInput,
  budgets: readonly BudgetInput[],
): KeyDetails {
  const now = detailsOfKey(key)
  if (caller) {
    if (input.budgets) requireUncapped(caller, 'change budgets')
    if (input.externalId !== undefined) requireUncapped(caller, 'change an external_id')
    requireScopes(caller, [...key.scopes, ...(input.scopes ?? [])])
    requireLimits(caller, now)
  }
  requireCurrent(key)
  const details = toDetails(
    {
      name: input.name ?? now.name,
      scopes: input.scopes ?? now.scopes,
      ipAllowlist: input.ipAllowlist ?? now.ipAllowlist,
      expiresAt: input.expiresAt === undefined ? now.expiresAt : input.expiresAt,
      enabled: input.enabled ?? now.enabled,
      externalId: input.externalId === undefined ? now.externalId : input.externalId,
      metadata: input.metadata ?? now.metadata,
    },
    budgets,
  )
  if (caller) requireLimits(caller, details)
  return details
}

/** The change as the audit trail has it. Of metadata it has the names only, because values may be long. */
function noteOf(
  { name, scopes, ipAllowlist, expiresAt, enabled, metadata, externalId }: ChangeApiKeyInput,
  budgets: readonly BudgetInput[] | null,
): object {
  return {
    ...{ name, scopes, ipAllowlist, expiresAt, enabled },
    ...(externalId !== undefined && { external_id: externalId }),
    ...(metadata && { metadata: Object.keys(metadata) }),
    ...(budgets && { budgets: budgets.map(noteOfBudget) }),
  }
}
