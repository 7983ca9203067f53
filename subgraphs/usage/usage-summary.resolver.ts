import { Authorized, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../shared/context.ts'
import { Account } from './account.resolver.ts'
import { summarizeUsage } from './usage-summary.service.ts'
import { BillingSnapshot, Overview, UsageSummary, UsageTotals } from './usage-summary.type.ts'

function summaryOf({ database, caller }: GraphContext, accountId: string): Promise<UsageSummary> {
  return summarizeUsage(database, { accountId, environment: caller.environment })
}

@Resolver(() => Account)
export class AccountUsageResolver {
  @Authorized('account', 'readonly')
  @FieldResolver(() => UsageSummary, { description: 'How much the account used.' })
  usage(@Root() { id }: Account, @Ctx() context: GraphContext): Promise<UsageSummary> {
    return summaryOf(context, id)
  }
}

@Resolver(() => Overview)
export class OverviewUsageResolver {
  @Authorized('account')
  @FieldResolver(() => UsageSummary, { description: 'How much the account used.' })
  usage(@Root() { accountId }: Overview, @Ctx() context: GraphContext): Promise<UsageSummary> {
    return summaryOf(context, accountId)
  }
}

@Resolver(() => BillingSnapshot)
export class BillingUsageResolver {
  @Authorized('account')
  @FieldResolver(() => UsageTotals, { description: 'Used since the month began, in UTC.' })
  async monthToDate(
    @Root() { accountId }: BillingSnapshot,
    @Ctx() context: GraphContext,
  ): Promise<UsageTotals> {
    return (await summaryOf(context, accountId)).monthToDate
  }
}
