import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { makeChange } from '../shared/change.ts'
import { requireAccount } from '../shared/context.ts'
import { ConnectionArgs } from '../shared/page.type.ts'
import { type PagedList, readConnection } from '../shared/pagination.ts'
import { CreateAccountInput, CreateAccountPayload, UpdateAccountInput } from './account.input.ts'
import {
  createAccount,
  findAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from './account.service.ts'
import { Account, AccountConnection } from './account.type.ts'
import type { AccountContext } from './settings/account-settings.ts'

@Resolver(() => Account)
export class AccountResolver {
  @Authorized('account')
  @Query(() => Account, { description: 'The account that calls.' })
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

  @Authorized('admin')
  @Mutation(() => CreateAccountPayload, {
    description: 'Opens an account, in both environments, with its first credits.',
  })
  async createAccount(
    @Arg('input', () => CreateAccountInput, { description: 'The new account.' })
    input: CreateAccountInput,
    @Ctx() context: AccountContext,
  ): Promise<CreateAccountPayload> {
    const accountId = await makeChange(
      context,
      {
        owner: null,
        action: 'account.create',
        note: (id: string) => ({ owner: { accountId: id, environment: 'live' }, resourceId: id }),
      },
      (tx) => createAccount(tx, input, context.billing),
    )
    return { accountId, account: await getAccount(context, accountId) }
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Changes tier, subscription tier or status.' })
  async updateAccount(
    @Arg('input', () => UpdateAccountInput, { description: 'What to change.' })
    input: UpdateAccountInput,
    @Ctx() context: AccountContext,
  ): Promise<Account> {
    const { id, ...wanted } = input
    const change = {
      owner: { accountId: id, environment: 'live' },
      action: 'account.update',
      note: () => ({ resourceId: id, details: wanted }),
    } as const
    await makeChange(context, change, (tx) => updateAccount(tx, input, context.billing.period))
    context.invalidate({ accountId: input.id })
    return getAccount(context, input.id)
  }
}
