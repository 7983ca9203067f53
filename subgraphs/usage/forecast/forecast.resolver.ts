import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { readSpentDays } from './spent-days.service.ts'
import { Forecast } from './spent-days.type.ts'

@Resolver()
export class ForecastResolver {
  @Authorized('account')
  @Query(() => Forecast, {
    description:
      "Returns when the caller's credits run out, if they go on being spent as in the last 30 days.",
  })
  async forecast(@Ctx() context: GraphContext): Promise<Forecast> {
    return { spentDays: await readSpentDays(context.database, requireAccount(context)) }
  }
}
