import type { Owner } from '../shared/change.ts'
import type { GraphContext } from '../shared/context.ts'
import { DomainError, invalidRequest } from '../shared/errors.ts'
import { findAccount } from './account.service.ts'

/** Of an argument that `ownerOf` takes. */
export const whoseAccount = '`acct_…`: for internal tools. An account changes only what is its own.'

/**
 * Whose state a change is about: an account's own, or, for an internal tool, that of the one it names,
 * live. Throws NOT_FOUND when there is none.
 */
export async function ownerOf(
  { caller, database }: GraphContext,
  accountId: string | null | undefined,
): Promise<Owner> {
  const { environment } = caller
  if (caller.kind === 'account') {
    if (!accountId) return { accountId: caller.accountId, environment }
    throw new DomainError('FORBIDDEN', 'An account cannot name another.')
  }
  if (!accountId) {
    throw invalidRequest([{ field: 'accountId', in: 'body', message: 'is needed' }])
  }
  if (await findAccount(database, accountId, environment)) return { accountId, environment }
  throw new DomainError('NOT_FOUND', 'No account has this id.')
}
