import { type Change, type ChangeNote, recordRefusal } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import type { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import {
  type CallingKey,
  callingKey,
  changeKeys,
  requireLimits,
  requireScopes,
} from './key-lock.service.ts'

/** A key, with the only sight of its secret. */
export interface IssuedKey {
  readonly apiKey: ApiKeyEntity
  readonly plaintext: string
}

interface IssueChange extends Pick<Change<never>, 'action' | 'resourceId' | 'once' | 'request'> {
  readonly note: (issued: IssuedKey) => ChangeNote
  /** Throws FORBIDDEN when the calling key may not ask for this; a repetition is judged too. */
  readonly permit: (caller: CallingKey) => void
}

/** The stored result that answers a repeated request; it is sealed. */
interface ShownKey {
  readonly id: string
  readonly plaintext: string
}

/**
 * Issues a key by a change of keys. With an idempotency key, a repetition by the same calling key is shown
 * the issued key and its secret again, as long as the calling key could issue it still.
 */
export async function issueOnce(
  context: GraphContext,
  { note, permit, ...change }: IssueChange,
  issue: (tx: Transaction, caller: CallingKey) => Promise<IssuedKey>,
): Promise<IssuedKey> {
  const made: IssuedKey[] = []
  const noted = () => made.map(note)[0] ?? null
  const named = { ...change, isSecret: true, note: noted }
  const shown = await changeKeys(context, named, async (tx, caller): Promise<ShownKey> => {
    permit(caller)
    const issued = await issue(tx, caller)
    made.push(issued)
    return { id: issued.apiKey.id, plaintext: issued.plaintext }
  })
  return made[0] ?? showAgain(context, { ...change, permit }, shown)
}

/** The key may have been made to do more since: then the calling key must not get it. */
function showAgain(
  context: GraphContext,
  { action, resourceId, permit }: Pick<IssueChange, 'action' | 'resourceId' | 'permit'>,
  { id, plaintext }: ShownKey,
): Promise<IssuedKey> {
  const owner = requireAccount(context)
  const change = { owner, action, resourceId: resourceId ?? id }
  return recordRefusal(context, change, () =>
    context.database.transaction(async (tx) => {
      const caller = await callingKey(tx, owner)
      permit(caller)
      const apiKey = await getApiKey(tx, owner, id)
      const { scopes, ipAllowlist, expiresAt = null } = apiKey
      requireScopes(caller, scopes)
      requireLimits(caller, { ipAllowlist, expiresAt })
      return { apiKey, plaintext }
    }),
  )
}
