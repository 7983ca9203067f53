import { makeChange } from '../../shared/changes/change.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { actingPerson } from './member-rules.ts'
import { requireLive } from './members.service.ts'
import { lockMembersOf } from './membership.store.ts'
import type { SignInSetting } from './passkey.type.ts'
import {
  readPasskeyOnly,
  requireOwnersWithPasskeys,
  setPasskeyOnly,
} from './sign-in-setting.store.ts'

/** How members may sign in. Throws CONFLICT on the sandbox. */
export async function signInSettingOf(context: OAuthContext): Promise<SignInSetting> {
  const { accountId } = requireLive(requireAccount(context))
  return { isPasskeyOnly: await readPasskeyOnly(context.database, accountId) }
}

/**
 * Lets members sign in by passkey alone, or by mail too. Throws FORBIDDEN unless an OWNER calls, and CONFLICT with too
 * few OWNERs who have passkeys.
 */
export function changeSignInSetting(
  context: OAuthContext,
  isPasskeyOnly: boolean,
): Promise<SignInSetting> {
  const owner = requireLive(requireAccount(context))
  const { accountId } = owner
  const note = () => ({ details: { passkey_only: isPasskeyOnly } })
  return makeChange(context, { owner, action: 'sign_in.update', note }, async (tx) => {
    await lockMembersOf(tx, accountId)
    const { role } = await actingPerson(tx, owner)
    if (role !== 'OWNER') {
      throw new DomainError('FORBIDDEN', 'Only an OWNER decides how members sign in.')
    }
    await setPasskeyOnly(tx, accountId, isPasskeyOnly)
    await requireOwnersWithPasskeys(tx, context, [accountId])
    return { isPasskeyOnly }
  })
}
