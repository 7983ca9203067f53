import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql'
import { requireAccount } from '../../shared/graph/context.ts'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import { type PagedList, readConnection } from '../../shared/lists/pagination.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { findAccount, getAccount, listAccounts } from './account.service.ts'
import { Account, AccountConnection } from './account.type.ts'

@Resolver()
export class AccountResolver {
  @Authorized('account')
  @Query(() => Account, { description: 'Returns the account that calls.' })
  me(@Ctx() context: AccountContext): Promise<Account> {
    return getAccount(context, requireAccount(context).accountId)
  }

  @Authorized('readonly', 'service')
  @Query(() => Account, { nullable: true, description: 'One account, by id.' })
  account(
    @Arg('id', () => ID, { description: '`acct_…`' }) id: string,
    @Ctx() { database, caller }: AccountContext,
  ): Promise<Account | null> {
    return findAccount(database, id, caller.environment)
  }

  @Authorized('readonly')
  @Query(() => AccountConnection, { description: 'All accounts, newest first.' })
  accounts(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('search', () => String, {
      nullable: true,
      description: 'A part of the name or email, or an id.',
    })
    search: string | null,
    @Ctx() context: AccountContext,
  ): Promise<AccountConnection> {
    const { database, caller } = context
    const list: PagedList<Account> = {
      name: 'accounts',
      owner: null,
      read: ({ limit, before: afterId }) =>
        listAccounts(database, caller.environment, { limit, afterId, search: search || null }),
      positionOf: ({ id }) => id,
    }
    return readConnection(context, list, page)
  }
}
