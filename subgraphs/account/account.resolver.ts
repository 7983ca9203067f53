import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { invalidRequest } from '../shared/errors.ts'
import { cursorCodec, defaultPageSize, maxPageSize, toPage } from '../shared/pagination.ts'
import { CreateAccountInput, CreateAccountPayload, UpdateAccountInput } from './account.input.ts'
import {
  createAccount,
  findAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from './account.service.ts'
import { Account, AccountConnection } from './account.type.ts'

@Resolver(() => Account)
export class AccountResolver {
  @Authorized('account')
  @Query(() => Account, { description: 'The account that calls.' })
  me(@Ctx() context: GraphContext): Promise<Account> {
    return getAccount(context, requireAccount(context).accountId)
  }

  @Authorized('readonly')
  @Query(() => Account, { nullable: true, description: 'One account, by id.' })
  account(
    @Arg('id', () => ID, { description: '`acct_…`' }) id: string,
    @Ctx() { database, caller }: GraphContext,
  ): Promise<Account | null> {
    return findAccount(database, id, caller.environment)
  }

  @Authorized('readonly')
  @Query(() => AccountConnection, { description: 'All accounts, newest first.' })
  async accounts(
    @Arg('first', () => Int, {
      defaultValue: defaultPageSize,
      description: `Page size, 1 to ${maxPageSize}.`,
    })
    first: number,
    @Arg('after', () => String, { nullable: true, description: '`endCursor` of the page before.' })
    after: string | null,
    @Arg('search', () => String, {
      nullable: true,
      description: 'A part of the name or email, or an id.',
    })
    search: string | null,
    @Ctx() { database, cursorKey, caller }: GraphContext,
  ): Promise<AccountConnection> {
    if (first < 1 || first > maxPageSize) {
      throw invalidRequest([{ field: 'first', in: 'body', message: `must be 1 to ${maxPageSize}` }])
    }
    const cursors = cursorCodec(cursorKey, 'accounts', caller.kind, {
      field: 'after',
      in: 'body',
    })
    const accounts = await listAccounts(database, caller.environment, {
      limit: first + 1,
      afterId: after ? cursors.decode(after) : null,
      search: search || null,
    })
    const page = toPage(accounts, first, ({ id }) => cursors.encode(id))
    return {
      nodes: page.items,
      pageInfo: { hasNextPage: page.nextCursor !== null, endCursor: page.nextCursor },
    }
  }

  @Authorized('admin')
  @Mutation(() => CreateAccountPayload, {
    description: 'Opens an account, in both environments, with its first credits.',
  })
  async createAccount(
    @Arg('input', () => CreateAccountInput, { description: 'The new account.' })
    input: CreateAccountInput,
    @Ctx() context: GraphContext,
  ): Promise<CreateAccountPayload> {
    const accountId = await createAccount(context.em, input)
    return { accountId, account: await getAccount(context, accountId) }
  }

  @Authorized('admin')
  @Mutation(() => Account, { description: 'Changes tier, subscription tier or status.' })
  async updateAccount(
    @Arg('input', () => UpdateAccountInput, { description: 'What to change.' })
    input: UpdateAccountInput,
    @Ctx() context: GraphContext,
  ): Promise<Account> {
    await updateAccount(context.em, input)
    context.invalidate({ accountId: input.id })
    return getAccount(context, input.id)
  }
}
