import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { connectionOf } from '../../../shared/lists/page.type.ts'
import { PaymentRefund } from './refund.type.ts'

@ObjectType({ description: 'A dispute: the bank of the buyer demands the money of a payment.' })
export class PaymentDispute {
  @Field(() => ID, { description: '`dsp_…`' })
  id!: string

  @Field(() => String, { description: "The provider's id." })
  reference!: string

  @Field(() => GraphQLSafeInt, {
    description: 'The amount in cents of the currency of the payment.',
  })
  amountCents!: number

  @Field(() => String, { description: '`inquiry`, `open`, `lost` or `won`.' })
  status!: string

  @Field(() => Boolean, {
    description: 'Whether the provider has taken the money back at present.',
  })
  hasFunds!: boolean
}

@ObjectType({ description: 'A payment, as operators see it.' })
export class AccountPayment {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => String, { description: '`checkout`, `auto_recharge` or `subscription`.' })
  kind!: string

  @Field(() => String, {
    description: '`requires_action`, `pending`, `paid`, `failed` or `expired`.',
  })
  status!: string

  @Field(() => String, { nullable: true, description: 'The provider that collects the payment.' })
  provider!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The id that the provider gave the payment.',
  })
  providerReference!: string | null

  @Field(() => ID, { description: 'The purchase: `pack_…`, or the tier of a subscription.' })
  packageId!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits that the payment bought.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The amount in cents, tax included.' })
  totalCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The money that refunds have returned, in cents.' })
  refundedCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => String, {
    nullable: true,
    description: 'The reason why the payment failed, as a sentence for people.',
  })
  failureReason!: string | null

  @Field(() => [PaymentRefund], { description: 'The newest 50 of its refunds.' })
  refunds!: PaymentRefund[]

  @Field(() => [PaymentDispute], { description: 'The newest 50 of its disputes.' })
  disputes!: PaymentDispute[]

  @Field(() => GraphQLISODateTime, { description: 'When it was requested.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of payments, newest first.' })
export class AccountPaymentConnection extends connectionOf(AccountPayment) {}
