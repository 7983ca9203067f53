import { raw } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { announce, type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import type { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import { detailsOfKey, requireCurrent } from './current-key.ts'
import { issueKey } from './issue-key.service.ts'
import { type IssuedKey, issueOnce } from './issue-once.service.ts'
import { type CallingKey, requireLimits, requireScopes } from './key-lock.service.ts'

interface Rotation {
  /** The seconds for which the old key goes on working, unless it ends before. */
  readonly graceSeconds: number
  readonly once: OnceInput | null
}

const maxGraceSeconds = 7 * 24 * 3600

/**
 * Issues another key in place of this one, like it in all but its secret; both spend from the same budgets.
 * Throws CONFLICT unless the key is current: a key is replaced once. With `once`, a repetition is shown the
 * successor that the first request issued.
 */
export function rotateKey(
  context: GraphContext,
  id: string,
  { graceSeconds, once }: Rotation,
): Promise<IssuedKey> {
  const isPossible = graceSeconds >= 0 && graceSeconds <= maxGraceSeconds
  requireAll([['grace_seconds', isPossible, `must be an integer from 0 to ${maxGraceSeconds}`]])
  // The reference names the rotation: the same idempotency key may have issued a key in another way, before
  // it was free again.
  const attempt = once && {
    reference: `rotate/${id}/${once.reference}`,
    seconds: once.seconds,
  }
  const change = {
    ...{ action: 'key.rotate', resourceId: id, once: attempt, request: { id, graceSeconds } },
    note: ({ apiKey }: IssuedKey) => ({ details: { replaced_by: apiKey.id } }),
    permit(caller: CallingKey) {
      if (id !== caller.keyId) requireUncapped(caller, 'rotate other keys')
    },
  }
  return issueOnce(context, change, async (tx, caller) => {
    const key = await getApiKey(tx, caller, id)
    const details = detailsOfKey(key)
    requireScopes(caller, details.scopes)
    requireLimits(caller, details)
    requireCurrent(key)
    const issued = await issueKey(tx, context, {
      ...{ owner: caller, details },
      spenderId: key.spenderId,
      isCapped: key.isCapped,
      memberId: caller.memberId ?? key.memberId,
      isOfConsole: key.isOfConsole,
    })
    await endAfter(tx, key, { graceSeconds, replacedBy: issued.apiKey.id })
    await announce(tx, [rotatedEvent(caller, key, issued)])
    return issued
  })
}

function rotatedEvent(owner: AccountScope, old: ApiKeyEntity, { apiKey }: IssuedKey): NewEvent {
  const end = old.revokedAt ?? old.expiresAt
  if (!end) throw new Error(`The key ${old.id} was replaced and does not end.`)
  const data = { key_id: old.id, replaced_by: apiKey.id, valid_until: end.toISOString() }
  return newEvent(owner, 'key.rotated', data)
}

async function endAfter(
  tx: Transaction,
  key: ApiKeyEntity,
  { graceSeconds, replacedBy }: { readonly graceSeconds: number; readonly replacedBy: string },
): Promise<void> {
  const end =
    graceSeconds === 0
      ? { revokedAt: raw('now()') }
      : // The least of NULL and an instant is the instant.
        { expiresAt: raw('least(expires_at, now() + make_interval(secs => ?))', [graceSeconds]) }
  tx.assign(key, { replacedBy, ...end })
  await tx.flush()
}
