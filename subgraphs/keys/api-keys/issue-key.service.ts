import { raw } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { makerOf } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { everyScope, scopesForKey } from '../../../schema/vocabulary/scopes.ts'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import { type ChangeNote, makeChange, recordRefusal } from '../../shared/changes/change.ts'
import { announce, type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { noteOfBudget, toBudgetInputs } from '../../shared/spending/budget-input.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { ownedBy } from './api-key.service.ts'
import type { CreateApiKeyInput, CreateApiKeyPayload, IssueApiKeyInput } from './api-key.type.ts'
import { type IssuedKey, issueOnce } from './issue-once.service.ts'
import { issueWithBudgets } from './key-budgets.service.ts'
import { type KeyDetails, toDetails, unsaid } from './key-details.ts'
import { type CallingKey, lockKeys, requireLimits, requireScopes } from './key-lock.service.ts'

/**
 * A key for the caller's own account; it can do nothing that the calling key cannot, nor from elsewhere
 * or for longer. Members that the input leaves out are as in that key. With `once`, a repetition is shown
 * the key that the first request issued.
 */
export function issueOwnKey(
  context: GraphContext,
  input: IssueApiKeyInput,
  once: OnceInput | null,
): Promise<IssuedKey> {
  const budgets = toBudgetInputs(input.budgets ?? [])
  const change = {
    ...{ action: 'key.create', once, request: input, note: noteOf(budgets) },
    permit: (caller: CallingKey) => requireUncapped(caller, 'issue keys'),
  }
  const id = newId('key')
  const owner = requireAccount(context)
  return issueWithBudgets(context, { owner, id, budgets }, () =>
    issueOnce(context, change, async (tx, caller) => {
      const scopes = input.scopes ?? scopesForKey(caller.scopes)
      requireScopes(caller, scopes)
      const details = detailsOf(
        {
          name: input.name,
          externalId: input.externalId,
          metadata: input.metadata,
          scopes,
          ipAllowlist:
            input.ipAllowlist === undefined ? [...caller.ipAllowlist] : input.ipAllowlist,
          expiresAt: input.expiresAt === undefined ? caller.expiresAt : input.expiresAt,
        },
        budgets,
      )
      requireLimits(caller, details)
      const issued = await issueKey(tx, context, {
        ...{ owner: caller, id, details },
        isCapped: budgets.length > 0,
        memberId: caller.memberId,
        // Kept apart from the metadata, which whoever changes the key may change.
        isOfConsole: caller.session !== undefined && input.metadata?.[consoleMark] !== undefined,
      })
      await announce(tx, [createdEvent(caller, issued)])
      return issued
    }),
  )
}

/** A key for any account. Throws NOT_FOUND when there is none: only another subgraph can tell. */
export async function issueAnyKey(
  context: GraphContext,
  { accountId, environment, ...input }: CreateApiKeyInput,
): Promise<CreateApiKeyPayload> {
  const owner = { accountId, environment }
  const named = { owner, action: 'key.create' }
  const { budgets, details } = await recordRefusal(context, named, async () => {
    const isThere = await context.findAccount?.(accountId)
    if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
    const asked = toBudgetInputs(input.budgets ?? [])
    return { budgets: asked, details: detailsOf(input, asked) }
  })
  const change = { ...named, note: noteOf(budgets) }
  const id = newId('key')
  return issueWithBudgets(context, { owner, id, budgets }, () =>
    makeChange(context, change, async (tx) => {
      await lockKeys(tx, accountId)
      const isCapped = budgets.length > 0
      const issued = await issueKey(tx, context, { owner, id, details, isCapped })
      await announce(tx, [createdEvent(owner, issued)])
      return issued
    }),
  )
}

function noteOf(budgets: readonly BudgetInput[]) {
  return ({ apiKey: { id, name, scopes, externalId } }: IssuedKey): ChangeNote => ({
    resourceId: id,
    details: {
      ...{ name, scopes },
      ...(externalId && { external_id: externalId }),
      ...(budgets.length > 0 && { budgets: budgets.map(noteOfBudget) }),
    },
  })
}

function createdEvent(owner: AccountScope, { apiKey }: IssuedKey): NewEvent {
  const { id, name, prefix, last4, scopes, expiresAt } = apiKey
  const data = { key_id: id, name, prefix, last4, scopes }
  return newEvent(owner, 'key.created', { ...data, expires_at: expiresAt?.toISOString() ?? null })
}

const anyKey: Statement = {
  name: 'any-key',
  text: `SELECT EXISTS (SELECT FROM keys.api_key WHERE account_id = $1 AND environment = $2)`,
}

/** The first key of an environment, or null when there is one already. */
export function issueFirstKey(context: GraphContext, owner: AccountScope): Promise<string | null> {
  const { accountId, environment } = owner
  const details = detailsOf({ name: 'First key' })
  return context.database.transaction(async (tx) => {
    await lockKeys(tx, accountId)
    const [{ exists } = {}] = await tx.query<{ exists: boolean }>(anyKey, [accountId, environment])
    if (exists) return null
    const { plaintext } = await issueKey(tx, context, { owner, details })
    return plaintext
  })
}

/** The details of a new key. A key without scopes gets all of them. */
function detailsOf(
  { name, scopes, ipAllowlist, expiresAt, externalId, metadata }: IssueApiKeyInput,
  budgets: readonly BudgetInput[] = [],
): KeyDetails {
  const details = {
    name,
    scopes: scopes ?? [everyScope],
    ipAllowlist: ipAllowlist ?? [],
    expiresAt: expiresAt ?? null,
    enabled: unsaid.enabled,
    externalId: externalId ?? unsaid.externalId,
    metadata: metadata ?? unsaid.metadata,
  }
  return toDetails(details, budgets)
}

interface NewKey {
  readonly owner: AccountScope
  readonly details: KeyDetails
  /** The id of the key; it is set if budgets were already stored under it. */
  readonly id?: string
  /** The spender of the key that a successor replaces. */
  readonly spenderId?: string
  /** Whether the account subgraph has budgets of the key's own. */
  readonly isCapped?: boolean
  /** The member who learns its secret: a removal of the member finds it. */
  readonly memberId?: string | null
  /** Whether the console made it for the first steps of a person. */
  readonly isOfConsole?: boolean
}

/** The name in the metadata of a key with which the console says that it makes it. */
const consoleMark = 'console'

/** Issues a key within a change of keys; `details` are as `toDetails` returns them. */
export async function issueKey(
  tx: Transaction,
  { keyPrefix, caller }: GraphContext,
  { owner, details, id = newId('key'), spenderId = id, isCapped = false, ...made }: NewKey,
): Promise<IssuedKey> {
  const { memberId = null, isOfConsole = false } = made
  const { plaintext, prefix, last4 } = newApiKey(keyPrefix, owner.environment)
  const apiKey = tx.create(ApiKeyEntity, {
    ...{ ...ownedBy(owner), ...details, id, spenderId, isCapped, createdBy: makerOf(caller) },
    ...{ memberId, isOfConsole, prefix, last4, secretHash: sha256(plaintext) },
  })
  tx.assign(apiKey, { createdAt: raw('now()') })
  await tx.flush()
  return { apiKey, plaintext }
}
