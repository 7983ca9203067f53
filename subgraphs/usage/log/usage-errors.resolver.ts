import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { groupUsageErrors } from './usage-errors.service.ts'
import { UsageErrors, UsageErrorsFilter } from './usage-errors.type.ts'

@Resolver()
export class UsageErrorsResolver {
  @Authorized('account')
  @Query(() => UsageErrors, { description: "The caller's failed requests, in groups." })
  usageErrors(
    @Args(() => UsageErrorsFilter) filter: UsageErrorsFilter,
    @Ctx() context: GraphContext,
  ): Promise<UsageErrors> {
    return groupUsageErrors(context.database, requireAccount(context), filter)
  }
}
