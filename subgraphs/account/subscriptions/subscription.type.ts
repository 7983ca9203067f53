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
  description: 'The state of a subscription or an add-on.',
  valuesConfig: {
    active: { description: 'It renews at the end of its period.' },
    scheduled_to_cancel: { description: 'It works until its period ends.' },
    canceled: { description: 'It has ended.' },
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

  @Field(() => GraphQLISODateTime, {
    description: 'When the current period began, or the last one.',
  })
  currentPeriodStart!: Date

  @Field(() => GraphQLISODateTime, {
    description: 'When the period ends; a scheduled cancellation takes effect then, too.',
  })
  currentPeriodEnd!: Date

  @Field(() => Boolean, { description: 'Whether it ends with its period.' })
  cancelAtPeriodEnd!: boolean

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the cancellation was asked for; null while it renews.',
  })
  canceledAt!: Date | null

  @Field(() => GraphQLSafeInt, {
    description: 'The credits of each period. They come with the payment for it.',
  })
  monthlyCredits!: number
}
