import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql'
import { requireAccount } from '../../shared/graph/context.ts'
import { readConnection } from '../../shared/lists/pagination.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { findAccount, getAccount } from './account.service.ts'
import { Account, AccountConnection } from './account.type.ts'
import { AccountsArgs } from './account-list.input.ts'
import { accountList, accountsOfHolder } from './account-list.service.ts'

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
  @Query(() => AccountConnection, {
    description: 'All accounts, or those that a filter lets through.',
  })
  accounts(
    @Args(() => AccountsArgs) { first, after, ...wanted }: AccountsArgs,
    @Ctx() context: AccountContext,
  ): Promise<AccountConnection> {
    const { database, caller } = context
    return readConnection(context, accountList(database, caller.environment, wanted), {
      first,
      after,
    })
  }

  @Authorized('readonly')
  @Query(() => [Account], {
    description: 'The newest 50 accounts whose holder has exactly this mail address, in any case.',
  })
  accountsOfHolder(
    @Arg('email', () => String, { description: 'The whole mail address.' }) email: string,
    @Ctx() { database, caller }: AccountContext,
  ): Promise<Account[]> {
    return accountsOfHolder(database, caller.environment, email)
  }
}
