import { Arg, Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { isText, requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { MemberConnection } from './member.type.ts'
import { membersOfAccount } from './members.service.ts'
import { accountsOfAddress } from './membership.store.ts'

/** Shows internal tools the members of any account, and finds accounts by a member. */
@Resolver(() => Account)
export class AccountMembersResolver {
  @Authorized('readonly')
  @FieldResolver(() => MemberConnection, {
    description: 'The members of the account and its open invitations.',
  })
  members(
    @Root() { id }: Account,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: GraphContext,
  ): Promise<MemberConnection> {
    return listSequentially(context, membersOfAccount(context.database, id), page)
  }

  @Authorized('readonly')
  @Query(() => [Account], {
    description:
      'The newest 50 accounts with a member, or an invitation, of exactly this mail address, in any case.',
  })
  accountsOfMember(
    @Arg('email', () => String, { description: 'The whole mail address.' }) email: string,
    @Ctx() { database }: GraphContext,
  ): Promise<Account[]> {
    requireAll([['email', isText(email, 254), 'must have 1 to 254 characters']])
    return accountsOfAddress(database, email.toLowerCase())
  }
}
