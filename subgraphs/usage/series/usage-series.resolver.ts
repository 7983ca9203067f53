import { Arg, Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { sequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { readUsageSeries } from './usage-series.service.ts'
import { UsageSeries, UsageSeriesArgs } from './usage-series.type.ts'

@Resolver(() => Account)
export class UsageSeriesResolver {
  @Authorized('account')
  @Query(() => UsageSeries, { description: "Returns the caller's usage over time." })
  usageSummary(
    @Args(() => UsageSeriesArgs) series: UsageSeriesArgs,
    @Ctx() context: GraphContext,
  ): Promise<UsageSeries> {
    return readUsageSeries(context.database, requireAccount(context), series, 'query')
  }

  @Authorized('readonly')
  @FieldResolver(() => UsageSeries, {
    name: 'usageSummary',
    description: "The account's usage over time.",
  })
  usageSummaryOf(
    @Root() { id: accountId }: Account,
    @Args(() => UsageSeriesArgs) series: UsageSeriesArgs,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description: 'Whether live requests are counted or those of the sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() context: GraphContext,
  ): Promise<UsageSeries> {
    const owner = { accountId, environment }
    return sequentially(
      context,
      () => readUsageSeries(context.database, owner, series, 'body'),
      // Only the series itself knows how many endpoints were used.
      ({ items }) => items.length,
    )
  }
}
