import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../../shared/graph/environment.type.ts'
import { connectionOf } from '../../../shared/lists/page.type.ts'

@ObjectType({
  description:
    'A notification of a provider about a payment of this gateway that contradicts the payment.',
})
export class UnmatchedPaymentNotification {
  @Field(() => ID, { description: '`unm_…`' })
  id!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The owner of the payment; null if the payment is unknown.',
  })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'Where the notification arrived.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The payment provider that sent it.' })
  provider!: string

  @Field(() => String, { description: '`refund` or `dispute`.' })
  kind!: string

  @Field(() => String, { description: "The provider's id of the refund or dispute." })
  reference!: string

  @Field(() => ID, { nullable: true, description: '`pay_…`, as the provider says.' })
  paymentId!: string | null

  @Field(() => String, { nullable: true, description: "The provider's id of the payment." })
  paymentReference!: string | null

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'In cents of the currency.' })
  amountCents!: number | null

  @Field(() => String, { nullable: true, description: 'ISO 4217.' })
  currency!: string | null

  @Field(() => String, { description: 'The contradiction, for operators.' })
  reason!: string

  @Field(() => Int, { description: 'How often it came.' })
  timesSeen!: number

  @Field(() => GraphQLISODateTime, { description: 'When it first came.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it last came.' })
  lastSeenAt!: Date
}

@ObjectType({ description: 'A page of unmatched notifications, newest first.' })
export class UnmatchedPaymentNotificationConnection extends connectionOf(
  UnmatchedPaymentNotification,
) {}
