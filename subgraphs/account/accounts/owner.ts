import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import { recordRefusal } from '../../shared/changes/change.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError, invalidRequest } from '../../shared/graph/errors.ts'
import { findAccount } from './account.service.ts'

/** Describes the argument that `ownerOf` takes. */
export const accountIdDescription =
  '`acct_…`: for internal tools. An account can only change its own state.'

/**
 * The state that a change is about: an account changes its own, an internal tool changes the live
 * state of the account that it names. Throws NOT_FOUND for an unknown account; this refused change
 * has a line in the audit trail.
 */
export function ownerOf(
  context: GraphContext,
  accountId: string | null | undefined,
  action: string,
): Promise<AccountScope> {
  const { caller, database } = context
  const { environment } = caller
  const own = caller.kind === 'account' ? { accountId: caller.accountId, environment } : null
  const named = accountId ? { accountId, environment } : null
  return recordRefusal(context, { owner: own ?? named, action }, async () => {
    if (own && named) throw new DomainError('FORBIDDEN', 'An account cannot name another.')
    if (own) return own
    if (!named) throw invalidRequest([{ field: 'accountId', in: 'body', message: 'is required' }])
    const isThere =
      isId('acct', named.accountId) && (await findAccount(database, named.accountId, environment))
    if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
    return named
  })
}
