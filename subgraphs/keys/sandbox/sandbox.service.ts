import { raw } from '@mikro-orm/core'
import { scopesForKey } from '../../../schema/vocabulary/scopes.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { ApiKeyEntity } from '../api-keys/api-key.entity.ts'
import { ownedBy } from '../api-keys/api-key.service.ts'
import { issueKey } from '../api-keys/issue-key.service.ts'
import { toDetails, unsaid } from '../api-keys/key-details.ts'
import { changeKeys } from '../api-keys/key-lock.service.ts'
import type { SandboxReset, SandboxState } from './sandbox.type.ts'

/** The newest sandbox key that is accepted, on the live and on the sandbox listener. */
export async function getSandbox(context: GraphContext): Promise<SandboxState> {
  const { accountId } = requireAccount(context)
  const isAccepted = {
    ...ownedBy({ accountId, environment: 'sandbox' }),
    revokedAt: null,
    enabled: true,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: raw('now()') } }],
  }
  const key = await context.database.transaction((tx) =>
    tx.findOne(ApiKeyEntity, isAccepted, { orderBy: { id: 'desc' } }),
  )
  return toState(accountId, key)
}

/** The statement locks keys in the order in which their uses are stored, so that no deadlock arises. */
const revokeSandboxKeys: Statement = {
  name: 'revoke-sandbox-keys',
  text: `
    UPDATE keys.api_key SET revoked_at = now() WHERE id = ANY (ARRAY(
      SELECT id FROM keys.api_key
      WHERE account_id = $1 AND environment = 'sandbox' AND revoked_at IS NULL
      ORDER BY id FOR UPDATE
    )) RETURNING id`,
}

/**
 * Revokes every sandbox key of the account and issues one with the scopes and limits of the calling
 * key, as every key gets that is issued without its own. Of simultaneous resets the last one
 * counts. A repetition needs no idempotency key: it revokes the key of an attempt whose answer was
 * lost.
 */
export function resetSandbox(context: GraphContext): Promise<SandboxReset> {
  let revoked: object[] = []
  let keyId = ''
  const note = () => ({ resourceId: keyId, details: { keys_revoked: revoked.length } })
  const named = { action: 'sandbox.reset', note }
  return changeKeys(context, named, async (tx, caller) => {
    requireUncapped(caller, 'issue keys')
    const { accountId, scopes, ipAllowlist, expiresAt } = caller
    revoked = await tx.query(revokeSandboxKeys, [accountId])
    const { apiKey, plaintext } = await issueKey(tx, context, {
      owner: { accountId, environment: 'sandbox' },
      details: toDetails({
        name: 'Sandbox key',
        scopes: scopesForKey(scopes),
        ipAllowlist: [...ipAllowlist],
        expiresAt,
        ...unsaid,
      }),
      memberId: caller.memberId,
    })
    keyId = apiKey.id
    const { prefix, last4 } = apiKey
    const data = { key_id: keyId, key_prefix: prefix, key_last4: last4 }
    // A caller with a live key has webhook endpoints there; users of the sandbox have them in the
    // sandbox.
    const environments = new Set([caller.environment, 'sandbox'] as const)
    const events = [...environments].map((environment) =>
      newEvent({ accountId, environment }, 'sandbox.reset', {
        ...data,
        keys_revoked: revoked.length,
      }),
    )
    await announce(tx, events)
    return { state: toState(accountId, apiKey), plaintext }
  })
}

function toState(accountId: string, key: ApiKeyEntity | null): SandboxState {
  return {
    accountId,
    keyPrefix: key?.prefix ?? null,
    keyLast4: key?.last4 ?? null,
    createdAt: key?.createdAt ?? null,
  }
}
