import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

export enum CheckoutStatus {
  requires_action = 'requires_action',
  pending = 'pending',
  paid = 'paid',
  failed = 'failed',
  expired = 'expired',
}

registerEnumType(CheckoutStatus, {
  name: 'CheckoutStatus',
  description: 'Where a payment stands.',
  valuesConfig: {
    requires_action: { description: 'The payer has to go to `actionUrl`.' },
    pending: { description: 'The provider has not decided yet.' },
    paid: { description: 'Collected: the credits are in the ledger.' },
    failed: { description: 'Refused or given up: no credits.' },
    expired: { description: 'The page was closed before it was paid: no credits.' },
  },
})

@ObjectType({ description: 'A credit package being bought.' })
export class Checkout {
  @Field(() => ID, { description: '`pay_…`: also the id of the payment.' })
  id!: string

  @Field(() => CheckoutStatus, {
    description: 'Only the payment provider makes it paid: coming back from its page does not.',
  })
  status!: CheckoutStatus

  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => GraphQLSafeInt, { description: 'Credits that come when it is paid.' })
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

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string

  @Field(() => String, {
    nullable: true,
    description: 'The page of the provider where the payer pays or confirms.',
  })
  actionUrl!: string | null

  @Field(() => ID, { nullable: true, description: '`inv_…`, once it is paid.' })
  invoiceId!: string | null

  @Field(() => String, { nullable: true, description: 'Of a failed one, for people.' })
  failureReason!: string | null

  @Field(() => String, { nullable: true, description: "The caller's own name for it." })
  clientReferenceId!: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When its page is closed; null without a page.',
  })
  expiresAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it was asked for.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of checkouts, newest first.' })
export class CheckoutPage {
  @Field(() => [Checkout], { description: 'The checkouts of this page.' })
  items!: Checkout[]

  @Field(() => String, { nullable: true, description: 'Null at the end.' })
  nextCursor!: string | null
}

@InputType({ description: 'A package to buy.' })
export class CheckoutInput {
  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => String, {
    nullable: true,
    description: 'The id of a stored one; without it, the payer chooses on a page of the provider.',
  })
  paymentMethod?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Where the payer comes back to, with `checkout_id`; our own page unless said.',
  })
  returnUrl?: string | null

  @Field(() => String, { nullable: true, description: "The caller's own name for it." })
  clientReferenceId?: string | null
}

@ObjectType({ description: 'The state of a payment, and nothing else of it.' })
export class ReturnStatus {
  @Field(() => CheckoutStatus, { description: 'Where it stands.' })
  status!: CheckoutStatus
}
