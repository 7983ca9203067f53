import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from 'type-graphql'
import { CheckoutStatus } from '../checkouts/checkout.type.ts'

export enum PaymentSource {
  checkout = 'checkout',
  recharge = 'recharge',
  renewal = 'renewal',
  plan = 'plan',
}

registerEnumType(PaymentSource, {
  name: 'PaymentSource',
  description: 'What a payment is for.',
  valuesConfig: {
    checkout: { description: 'A package that somebody has bought.' },
    recharge: { description: 'A package that automatic recharging has bought.' },
    renewal: { description: 'A period of the subscription.' },
    plan: { description: 'The start of a subscription, or a higher plan.' },
  },
})

@ObjectType({ description: 'The card that has paid, as people know it.' })
export class PaidCard {
  @Field(() => String, { description: 'The brand, such as `visa`.' })
  brand!: string

  @Field(() => String, { description: 'The last four digits.' })
  last4!: string
}

@ObjectType({ description: 'A payment of the account, whatever it is for.' })
export class PastPayment {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => PaymentSource, { description: 'What it is for.' })
  source!: PaymentSource

  @Field(() => CheckoutStatus, { description: 'Where it stands.' })
  status!: CheckoutStatus

  @Field(() => String, { description: 'What was bought, for people.' })
  description!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits that come with it.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The price without tax, in cents of the currency.' })
  priceCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The tax, in cents of the currency.' })
  taxCents!: number

  @Field(() => GraphQLSafeInt, { description: 'Price and tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The money that was paid back, in cents of the currency.',
  })
  refundedCents!: number

  @Field(() => Boolean, {
    description: 'Whether the bank of the payer asks for the money, and has not decided yet.',
  })
  isDisputed!: boolean

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => PaidCard, {
    nullable: true,
    description: 'The card that has paid; null: nobody has paid, or the card is not known.',
  })
  card!: PaidCard | null

  @Field(() => String, {
    nullable: true,
    description: 'The page of the provider where the payer pays or confirms.',
  })
  actionUrl!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The reason why the payment failed, as a sentence for people.',
  })
  failureReason!: string | null

  @Field(() => ID, { nullable: true, description: '`inv_…`, once there is an invoice.' })
  invoiceId!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When it was asked for.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was decided; null: it is not yet.',
  })
  settledAt!: Date | null
}

@ObjectType({ description: 'A page of payments, newest first.' })
export class PastPaymentPage {
  @Field(() => [PastPayment], { description: 'The payments of this page.' })
  items!: PastPayment[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}
