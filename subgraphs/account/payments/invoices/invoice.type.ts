import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from 'type-graphql'

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
