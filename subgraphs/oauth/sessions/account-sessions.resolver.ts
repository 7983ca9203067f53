import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { AccountListArgs, ownerOf } from '../accounts/account-list.type.ts'
import { endSessionsOf } from './account-sessions.service.ts'
import { EndedAccountSessions, EndSessionsInput } from './account-sessions.type.ts'
import { SessionConnection } from './session.type.ts'
import { allSessionsOf } from './session-list.service.ts'

/**
 * Shows internal tools the open sessions of any account; the account itself lists its sessions by
 * REST.
 */
@Resolver(() => Account)
export class AccountSessionsResolver {
  @Authorized('readonly')
  @FieldResolver(() => SessionConnection, {
    description:
      'The open sessions of the account. One without `keyName` belongs to a key that is no longer accepted.',
  })
  sessions(
    @Root() account: Account,
    @Args(() => AccountListArgs) page: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<SessionConnection> {
    return listSequentially(context, allSessionsOf(context.database, ownerOf(account, page)), page)
  }

  @Authorized('support')
  @Mutation(() => EndedAccountSessions, {
    description: 'Ends one session of an account, or all of them, in both environments.',
  })
  endSessionsOfAccount(
    @Arg('input', () => EndSessionsInput, { description: 'The sessions.' }) input: EndSessionsInput,
    @Ctx() context: GraphContext,
  ): Promise<EndedAccountSessions> {
    return endSessionsOf(context, input)
  }
}
