import { Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { sequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { summarizeUsage } from './usage-summary.service.ts'
import { UsageSummary, UsageTotals } from './usage-summary.type.ts'

@Resolver(() => Account)
export class UsageSummaryResolver {
  @Authorized('account')
  @Query(() => UsageSummary, { description: 'The use of the caller.' })
  usage(@Ctx() context: GraphContext): Promise<UsageSummary> {
    return summarizeUsage(context.database, requireAccount(context))
  }

  @Authorized('account')
  @Query(() => UsageTotals, {
    description: 'The usage of the caller since the month began, in UTC.',
  })
  async usageThisMonth(@Ctx() context: GraphContext): Promise<UsageTotals> {
    return (await summarizeUsage(context.database, requireAccount(context))).monthToDate
  }

  @Authorized('account', 'readonly')
  @FieldResolver(() => UsageSummary, { name: 'usage', description: 'How much the account used.' })
  usageOf(@Root() { id: accountId }: Account, @Ctx() context: GraphContext): Promise<UsageSummary> {
    const owner = { accountId, environment: context.caller.environment }
    return sequentially(context, () => summarizeUsage(context.database, owner))
  }
}
