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
  description: 'The state of a payment.',
  valuesConfig: {
    requires_action: { description: 'The payer has to open `actionUrl`.' },
    pending: { description: 'The provider has not decided yet.' },
    paid: { description: 'The money is collected, and the credits are in the ledger.' },
    failed: { description: 'The payment was refused or given up; there are no credits.' },
    expired: { description: 'The page was closed before the payment; there are no credits.' },
  },
})

@ObjectType({ description: 'A purchase of a credit package.' })
export class Checkout {
  @Field(() => ID, { description: '`pay_…`: also the id of the payment.' })
  id!: string

  @Field(() => CheckoutStatus, {
    description:
      'The state of the purchase. Only the payment provider can make it paid; a payer who returns from its page does not.',
  })
  status!: CheckoutStatus

  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits that are entered when it is paid.' })
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

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => String, {
    nullable: true,
    description: 'The page of the provider where the payer pays or confirms.',
  })
  actionUrl!: string | null

  @Field(() => ID, { nullable: true, description: '`inv_…`, from the payment on.' })
  invoiceId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The reason why the payment failed, as a sentence for people.',
  })
  failureReason!: string | null

  @Field(() => String, { nullable: true, description: 'A name that the caller gave the purchase.' })
  clientReferenceId!: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the page of the provider is closed; null without a page.',
  })
  expiresAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it was requested.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of checkouts, newest first.' })
export class CheckoutPage {
  @Field(() => [Checkout], { description: 'The checkouts of this page.' })
  items!: Checkout[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'What a package costs the caller now.' })
export class CheckoutPreview {
  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => String, { description: 'The name of the package.' })
  name!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits of the package.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The price without tax, in cents of the currency.' })
  priceCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The tax, in cents of the currency.' })
  taxCents!: number

  @Field(() => GraphQLSafeInt, { description: 'Price and tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string
}

@InputType({ description: 'A package to buy.' })
export class CheckoutInput {
  @Field(() => ID, { description: '`pack_…`' })
  packageId!: string

  @Field(() => String, {
    nullable: true,
    description:
      'The id of a stored payment method; without it, the payer chooses on a page of the provider.',
  })
  paymentMethod?: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The address that the payer returns to, with `checkout_id`; by default a page of this gateway.',
  })
  returnUrl?: string | null

  @Field(() => String, { nullable: true, description: 'A name that the caller gave the purchase.' })
  clientReferenceId?: string | null
}

@ObjectType({ description: 'The state of a payment, without its other details.' })
export class ReturnStatus {
  @Field(() => CheckoutStatus, { description: 'Where it stands.' })
  status!: CheckoutStatus
}
