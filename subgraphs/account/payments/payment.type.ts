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

  @Field(() => String, {
    description:
      '`taken`: about a payment of this gateway; `ignored`: of another system, or of an unknown type; `unmatched`: it contradicts a payment, and operators look at it.',
  })
  outcome!: string
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

export enum InvoiceStatus {
  paid = 'paid',
  open = 'open',
  void = 'void',
}

registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'Where an invoice stands.',
  valuesConfig: {
    paid: { description: 'The money has been collected.' },
    open: { description: 'Not collected yet.' },
    void: { description: 'Not to be collected any more.' },
  },
})

@ObjectType({ description: 'What was paid for.' })
export class Invoice {
  @Field(() => ID, { description: '`inv_…`' })
  id!: string

  @Field(() => String, {
    description:
      "As it is printed: 8 characters of the account's own, the year (UTC), and a number that counts up without gaps; in the sandbox `TEST-` stands in front. Older ones are `INV-` and a number.",
  })
  number!: string

  @Field(() => InvoiceStatus, { description: 'Where it stands.' })
  status!: InvoiceStatus

  @Field(() => GraphQLSafeInt, { description: 'In cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string

  @Field(() => GraphQLSafeInt, { description: 'Credits that came with it.' })
  credits!: number

  @Field(() => String, { description: 'For people.' })
  description!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was made out.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of invoices, newest first.' })
export class InvoicePage {
  @Field(() => [Invoice], { description: 'The invoices of this page.' })
  items!: Invoice[]

  @Field(() => String, { nullable: true, description: 'Null at the end.' })
  nextCursor!: string | null
}
