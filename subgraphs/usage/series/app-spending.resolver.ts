import { Arg, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { spendingThrough } from './app-spending.service.ts'
import { AppSpending } from './app-spending.type.ts'

@Resolver()
export class AppSpendingResolver {
  @Authorized('service')
  @Query(() => [AppSpending], {
    description:
      'What accounts have spent through an app in the last 30 days; those that have not are missing.',
  })
  appSpending(
    @Arg('clientId', () => ID, { description: '`app_…`' }) clientId: string,
    @Arg('accountIds', () => [ID], { description: 'At most 200.' }) accountIds: string[],
    @Ctx() { database, caller: { environment } }: GraphContext,
  ): Promise<AppSpending[]> {
    return spendingThrough(database, { clientId, accountIds, environment })
  }
}
