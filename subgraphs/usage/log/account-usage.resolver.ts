import { Arg, Authorized, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { defaultPageSize, maxPageSize, requirePageSize } from '../../shared/lists/pagination.ts'
import { sequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { usageLogOf } from './usage-log.service.ts'
import { UsageLogEntry } from './usage-log.type.ts'

@Resolver(() => Account)
export class AccountUsageResolver {
  @Authorized('account', 'readonly')
  @FieldResolver(() => [UsageLogEntry], { description: 'The newest requests of the account.' })
  recentUsage(
    @Root() { id }: Account,
    @Arg('first', () => Int, {
      defaultValue: defaultPageSize,
      description: `The number of requests, 1 to ${maxPageSize}.`,
    })
    first: number,
    @Ctx() context: GraphContext,
  ): Promise<UsageLogEntry[]> {
    requirePageSize(first)
    const { database, caller } = context
    const log = usageLogOf(database, { accountId: id, environment: caller.environment })
    return sequentially(context, () => log.read({ limit: first, before: null }), first)
  }
}
