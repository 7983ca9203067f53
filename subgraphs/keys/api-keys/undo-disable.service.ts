import type { Statement } from '../../shared/database/statement.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { ApiKeyEntity } from './api-key.entity.ts'
import { getApiKey } from './api-key.service.ts'
import { detailsOfKey, requireCurrent } from './current-key.ts'
import { changeKeys, requireLimits, requireScopes } from './key-lock.service.ts'

const disabledJustNow: Statement = {
  name: 'key-disabled-just-now',
  text: `SELECT FROM keys.api_key WHERE id = $1 AND disabled_at >= now() - interval '60 s'`,
}

/**
 * Enables a key again for the session that has disabled it within the last 60 seconds; that takes back a
 * slip, so it needs no fresh proof. Throws FORBIDDEN for every other caller, CONFLICT for an enabled key, a
 * key that is not current, and after these 60 seconds.
 */
export function undoDisable(context: GraphContext, id: string): Promise<ApiKeyEntity> {
  const change = { action: 'key.undo_disable', resourceId: id, note: () => ({}) }
  return changeKeys(context, change, async (tx, caller) => {
    const key = await getApiKey(tx, caller, id)
    requireScopes(caller, key.scopes)
    requireLimits(caller, detailsOfKey(key))
    requireCurrent(key)
    if (key.enabled) throw new DomainError('CONFLICT', 'This API key is enabled.')
    if (!caller.session || caller.session.id !== key.disabledBy) {
      throw new DomainError('FORBIDDEN', 'Only the session that disabled the key can undo that.')
    }
    if ((await tx.query(disabledJustNow, [id])).length === 0) {
      throw new DomainError(
        'CONFLICT',
        'The key was disabled more than 60 seconds ago. Change `enabled` to enable it.',
      )
    }
    tx.assign(key, { enabled: true, disabledAt: null, disabledBy: null })
    await tx.flush()
    return key
  })
}
