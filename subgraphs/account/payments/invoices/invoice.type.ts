import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from 'type-graphql'

export enum InvoiceType {
  invoice = 'invoice',
  credit_note = 'credit_note',
}

registerEnumType(InvoiceType, {
  name: 'InvoiceType',
  description: 'The kind of the document.',
  valuesConfig: {
    invoice: { description: 'It says what is to be paid.' },
    credit_note: { description: 'It says what was given back. Its amounts are positive.' },
  },
})

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

@ObjectType({ description: 'An item that was paid for, or given back.' })
export class Invoice {
  @Field(() => ID, { description: '`inv_…`' })
  id!: string

  @Field(() => String, {
    description:
      "As it is printed: 8 characters of the account's own, the year (UTC), and a number that counts up without gaps; in front, credit notes have `CN-`, and the sandbox `TEST-`. Older ones are `INV-` and a number.",
  })
  number!: string

  @Field(() => InvoiceType, { description: 'An invoice, or the correction of one.' })
  type!: InvoiceType

  @Field(() => InvoiceStatus, { description: 'Where it stands.' })
  status!: InvoiceStatus

  @Field(() => GraphQLSafeInt, { description: 'With tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The tax in it, in cents of the currency.' })
  taxCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string

  @Field(() => GraphQLSafeInt, {
    description: 'Credits that came with it; of a credit note, those that the refund is for.',
  })
  credits!: number

  @Field(() => String, { description: 'For people.' })
  description!: string

  @Field(() => ID, { nullable: true, description: 'Of a credit note: the invoice, `inv_…`.' })
  originalInvoiceId!: string | null

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

@ObjectType({ description: 'An invoice as it is printed.' })
export class InvoicePdf {
  @Field(() => String, { description: 'Its number.' })
  number!: string

  @Field(() => InvoiceStatus, { description: 'Where it stood when this was rendered.' })
  status!: InvoiceStatus

  @Field(() => String, { description: 'The PDF in base64.' })
  content!: string
}
