import { raw } from '@mikro-orm/core'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { ApiKeyEntity } from '../api-keys/api-key.entity.ts'
import { ownedBy } from '../api-keys/api-key.service.ts'
import { issueKey } from '../api-keys/issue-key.service.ts'
import { toDetails } from '../api-keys/key-details.ts'
import { changeKeys } from '../api-keys/key-lock.service.ts'
import type { SandboxReset, SandboxState } from './sandbox.type.ts'

/** The newest sandbox key that is accepted, whichever listener asks. */
export async function getSandbox(context: GraphContext): Promise<SandboxState> {
  const { accountId } = requireAccount(context)
  const isAccepted = {
    ...ownedBy({ accountId, environment: 'sandbox' }),
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: raw('now()') } }],
  }
  const key = await context.database.transaction((tx) =>
    tx.findOne(ApiKeyEntity, isAccepted, { orderBy: { id: 'desc' } }),
  )
  return toState(accountId, key)
}

/**
 * Revokes every sandbox key of the account and issues one with the scopes and limits of the calling
 * key, as for any key that is issued without. Of resets at the same time the last one counts.
 * An attempt that nobody was answered needs no reference: the next one revokes what it left.
 */
export function resetSandbox(context: GraphContext): Promise<SandboxReset> {
  let revoked: object[] = []
  let keyId = ''
  const note = () => ({ resourceId: keyId, details: { keys_revoked: revoked.length } })
  const named = { action: 'sandbox.reset', note }
  return changeKeys(context, named, async (tx, caller) => {
    const { accountId, scopes, ipAllowlist, expiresAt } = caller
    revoked = await tx.execute<object[]>(
      // In the order in which uses are noted: neither waits for the other.
      `UPDATE keys.api_key SET revoked_at = now() WHERE id IN (
         SELECT id FROM keys.api_key
         WHERE account_id = ? AND environment = 'sandbox' AND revoked_at IS NULL
         ORDER BY id FOR UPDATE
       ) RETURNING 1`,
      [accountId],
    )
    const { apiKey, plaintext } = await issueKey(tx, context.keyPrefix, {
      owner: { accountId, environment: 'sandbox' },
      details: toDetails({
        name: 'Sandbox key',
        scopes: [...scopes],
        ipAllowlist: [...ipAllowlist],
        expiresAt,
      }),
    })
    keyId = apiKey.id
    const { prefix, last4 } = apiKey
    const data = { key_id: keyId, key_prefix: prefix, key_last4: last4 }
    // Whoever resets with a live key has endpoints there; those who use the sandbox, in it.
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
