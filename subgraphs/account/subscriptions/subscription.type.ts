import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ObjectType, registerEnumType } from 'type-graphql'
import { SubscriptionTier } from '../prices/tiers.ts'

/** The states of a subscription or an add-on; the README has the diagram. */
export enum EntitlementStatus {
  active = 'active',
  scheduled_to_cancel = 'scheduled_to_cancel',
  canceled = 'canceled',
}

registerEnumType(EntitlementStatus, {
  name: 'EntitlementStatus',
  description: 'Where a subscription or an add-on stands.',
  valuesConfig: {
    active: { description: 'Renews at the end of its period.' },
    scheduled_to_cancel: { description: 'In force until its period ends.' },
    canceled: { description: 'Over.' },
  },
})

// A type with the name Subscription would be the root of GraphQL subscriptions.
@ObjectType('AccountSubscription', {
  description: 'A hybrid subscription: a rate limit and a monthly allowance.',
})
export class Subscription {
  @Field(() => SubscriptionTier, { description: 'The tier that was subscribed to.' })
  tier!: SubscriptionTier

  @Field(() => EntitlementStatus, { description: 'Whether it renews, ends or has ended.' })
  status!: EntitlementStatus

  @Field(() => GraphQLISODateTime, { description: 'When the current or last period began.' })
  currentPeriodStart!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it ends; a scheduled cancellation too.' })
  currentPeriodEnd!: Date

  @Field(() => Boolean, { description: 'Whether it ends with its period.' })
  cancelAtPeriodEnd!: boolean

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the cancellation was asked for; null while it renews.',
  })
  canceledAt!: Date | null

  @Field(() => GraphQLSafeInt, {
    description: 'Credits of each period: they come with its payment.',
  })
  monthlyCredits!: number
}
