import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../../shared/graph/environment.type.ts'
import { connectionOf } from '../../../shared/lists/page.type.ts'

@ObjectType({
  description: 'A notification of a provider that contradicts a payment of this gateway.',
})
export class UnmatchedPaymentNotification {
  @Field(() => ID, { description: '`unm_…`' })
  id!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The account of the payment; null if the payment is unknown.',
  })
  accountId!: string | null

  @Field(() => EnvironmentValue, {
    description: 'The environment in which the notification arrived.',
  })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The payment provider that sent it.' })
  provider!: string

  @Field(() => String, { description: '`refund` or `dispute`.' })
  kind!: string

  @Field(() => String, { description: "The provider's id of the refund or dispute." })
  reference!: string

  @Field(() => ID, { nullable: true, description: '`pay_…`, as the provider reports it.' })
  paymentId!: string | null

  @Field(() => String, { nullable: true, description: "The provider's id of the payment." })
  paymentReference!: string | null

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'In cents of the currency.' })
  amountCents!: number | null

  @Field(() => String, { nullable: true, description: 'The currency, by ISO 4217.' })
  currency!: string | null

  @Field(() => String, { description: 'The contradiction, as a sentence for operators.' })
  reason!: string

  @Field(() => Int, { description: 'How often the notification arrived.' })
  timesSeen!: number

  @Field(() => GraphQLISODateTime, { description: 'When it first arrived.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it last arrived.' })
  lastSeenAt!: Date
}

@ObjectType({ description: 'A page of unmatched notifications, newest first.' })
export class UnmatchedPaymentNotificationConnection extends connectionOf(
  UnmatchedPaymentNotification,
) {}
