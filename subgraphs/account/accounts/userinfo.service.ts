import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { getAccount } from './account.service.ts'
import type { Account } from './account.type.ts'
import type { Userinfo, UserinfoReference } from './userinfo.type.ts'

/**
 * The claims that the scopes cover (OpenID Connect Core §5.4). Throws NOT_FOUND for another
 * account.
 */
export async function getUserinfo(
  context: GraphContext,
  { sub, scope }: UserinfoReference,
): Promise<Userinfo> {
  requireAccount(context)
  const account = await getAccount(context, sub)
  const scopes = scope.split(' ')
  return {
    sub,
    scope,
    ...(scopes.includes('profile') && profileOf(account)),
    ...(scopes.includes('email') && emailOf(account)),
    ...(scopes.includes('account:read') && plansOf(account)),
  }
}

/** The name of an account never changes, so its creation is the last update. */
function profileOf({ name, createdAt }: Account) {
  return { name, updatedAt: Math.floor(createdAt.getTime() / 1000) }
}

/** The gateway does not verify email addresses. */
function emailOf({ email }: Account) {
  return { email, emailVerified: false }
}

function plansOf({ id: accountId, tier, subscriptionTier }: Account) {
  return { accountId, tier, subscriptionTier }
}
