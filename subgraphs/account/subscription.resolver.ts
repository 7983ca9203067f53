import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import {
  cancelSubscription,
  findSubscription,
  resumeSubscription,
  turnSubscriptions,
} from './subscription.service.ts'
import { Subscription } from './subscription.type.ts'

@Resolver()
export class SubscriptionResolver {
  @Authorized('account')
  @Query(() => Subscription, {
    nullable: true,
    description: "The caller's subscription; null when there never was one.",
  })
  subscription(@Ctx() context: GraphContext): Promise<Subscription | null> {
    return findSubscription(context.database, requireAccount(context))
  }

  @Authorized('account')
  @Mutation(() => Subscription, {
    description: "Cancels the caller's subscription at the end of its period.",
  })
  cancelSubscription(@Ctx() context: GraphContext): Promise<Subscription> {
    return cancelSubscription(context, requireAccount(context))
  }

  @Authorized('account')
  @Mutation(() => Subscription, { description: 'Takes a scheduled cancellation back.' })
  resumeSubscription(@Ctx() context: GraphContext): Promise<Subscription> {
    return resumeSubscription(context.database, requireAccount(context))
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Ends or renews subscriptions whose period is over; how many.',
  })
  turnSubscriptions(
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { em }: GraphContext,
  ): Promise<number> {
    return turnSubscriptions(em, limit)
  }
}
