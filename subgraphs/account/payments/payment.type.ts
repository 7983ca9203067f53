import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { Tier } from '../prices/tiers.ts'

@ObjectType({ description: 'Credits for sale.' })
export class CreditPackage {
  @Field(() => ID, { description: '`pack_…`' })
  id!: string

  @Field(() => Tier, { description: 'The tier that buying it raises an account to.' })
  tier!: Tier

  @Field(() => String, { description: 'For people.' })
  name!: string

  @Field(() => GraphQLSafeInt, { description: 'How many; they do not expire.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The price, in cents of the currency.' })
  priceCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string
}

/** The purpose of a payment. */
export type PaymentKind = 'checkout' | 'auto_recharge' | 'subscription'

export enum PaymentStatus {
  pending = 'pending',
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(PaymentStatus, {
  name: 'PaymentStatus',
  description: 'Whether the provider has collected the money.',
  valuesConfig: {
    pending: { description: 'The provider has not said yet.' },
    succeeded: { description: 'Collected: the credits are in the ledger.' },
    failed: { description: 'Refused or given up: no credits.' },
  },
})

@ObjectType({ description: 'A credit package being bought.' })
export class Payment {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => PaymentStatus, {
    description: 'A pending one is settled once the provider says so.',
  })
  status!: PaymentStatus

  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => GraphQLSafeInt, { description: 'Credits that come when it succeeds.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The price, in cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string

  @Field(() => ID, { nullable: true, description: '`inv_…`, once it succeeded.' })
  invoiceId!: string | null

  @Field(() => String, { nullable: true, description: 'Of a failed one, for people.' })
  failureReason!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When it was asked for.' })
  createdAt!: Date
}

@ObjectType({ description: 'That a notification came from its provider, and was taken note of.' })
export class PaymentNotificationReceipt {
  @Field(() => Boolean, { description: 'Always true.' })
  received!: boolean
}

@InputType({ description: 'A package to buy.' })
export class CheckoutInput {
  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => String, {
    nullable: true,
    description: 'As the provider knows it; unless said, the one that has worked last.',
  })
  paymentMethod?: string | null
}
