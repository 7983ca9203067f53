import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { connectionOf } from '../../../shared/lists/page.type.ts'
import { PaymentRefund } from './refund.type.ts'

@ObjectType({ description: 'A demand of the bank of a buyer for the money of a payment.' })
export class PaymentDispute {
  @Field(() => ID, { description: '`dsp_…`' })
  id!: string

  @Field(() => String, { description: "The provider's id." })
  reference!: string

  @Field(() => GraphQLSafeInt, { description: 'In cents of the currency of the payment.' })
  amountCents!: number

  @Field(() => String, { description: '`inquiry`, `open`, `lost` or `won`.' })
  status!: string

  @Field(() => Boolean, { description: 'Whether the provider has taken the money now.' })
  hasFunds!: boolean
}

@ObjectType({ description: 'A payment as operators see it.' })
export class AccountPayment {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => String, { description: '`checkout`, `auto_recharge` or `subscription`.' })
  kind!: string

  @Field(() => String, { description: 'Where it stands, as it is stored.' })
  status!: string

  @Field(() => String, { nullable: true, description: 'The provider that collects it.' })
  provider!: string | null

  @Field(() => String, { nullable: true, description: "The provider's id of it." })
  providerReference!: string | null

  @Field(() => ID, { description: 'The purchase: `pack_…`, or the tier of a subscription.' })
  packageId!: string

  @Field(() => GraphQLSafeInt, { description: 'Credits that came with it.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'In cents, tax included.' })
  totalCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The money that refunds have returned, in cents.' })
  refundedCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string

  @Field(() => String, { nullable: true, description: 'Of a failed one, for people.' })
  failureReason!: string | null

  @Field(() => [PaymentRefund], { description: 'The newest 50 of its refunds.' })
  refunds!: PaymentRefund[]

  @Field(() => [PaymentDispute], { description: 'The newest 50 of its disputes.' })
  disputes!: PaymentDispute[]

  @Field(() => GraphQLISODateTime, { description: 'When it was asked for.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of payments, newest first.' })
export class AccountPaymentConnection extends connectionOf(AccountPayment) {}
