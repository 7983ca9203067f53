import { Authorized, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { sequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { usageLogOf } from '../log/usage-log.service.ts'
import { AccountActivity } from './account-activity.type.ts'
import { summarizeUsage } from './usage-summary.service.ts'

@Resolver(() => Account)
export class AccountActivityResolver {
  @Authorized('readonly')
  @FieldResolver(() => AccountActivity, {
    description: 'What the account has spent of late, and when it called last.',
  })
  activity(@Root() { id }: Account, @Ctx() context: GraphContext): Promise<AccountActivity> {
    const { database, caller } = context
    const owner = { accountId: id, environment: caller.environment }
    return sequentially(context, async () => {
      const { monthToDate } = await summarizeUsage(database, owner)
      const [last] = await usageLogOf(database, owner).read({ limit: 1, before: null })
      return { creditsThisMonth: monthToDate.credits, lastCallAt: last?.ts ?? null }
    })
  }
}
