import { GraphQLSafeInt } from 'graphql-scalars'
import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { publishExpiringCredits } from './expiry-notice.service.ts'
import { lotsOf } from './lot.service.ts'
import { CreditLotPage } from './lot.type.ts'

@Resolver()
export class LotResolver {
  @Authorized('account')
  @Query(() => CreditLotPage, {
    description:
      "The caller's lots that have credits left, in the order in which they are used up.",
  })
  lots(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphContext): Promise<CreditLotPage> {
    return readPage(context, lotsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Publishes once that credits will expire soon; returns whether it did.',
  })
  publishExpiringCredits(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, {
      description: 'The environment: live or sandbox.',
    })
    environment: EnvironmentValue,
    @Arg('lotId', () => ID, { description: '`lot_…`' }) lotId: string,
    @Arg('days', () => GraphQLSafeInt, { description: 'How many days before the expiry.' })
    days: number,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    return database.transaction((tx) => publishExpiringCredits(tx, owner, { lotId, days }))
  }
}
