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
    invoice: { description: 'An invoice, which says what is to be paid.' },
    credit_note: {
      description: 'A credit note, which says what was returned. Its amounts are positive.',
    },
  },
})

export enum InvoiceStatus {
  paid = 'paid',
  open = 'open',
  void = 'void',
}

registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'The state of an invoice.',
  valuesConfig: {
    paid: { description: 'The money has been collected.' },
    open: { description: 'The money has not been collected yet.' },
    void: { description: 'The money will not be collected.' },
  },
})

@ObjectType({ description: 'An item of an invoice or a credit note.' })
export class Invoice {
  @Field(() => ID, { description: '`inv_…`' })
  id!: string

  @Field(() => String, {
    description:
      'The printed number: 8 characters that identify the account, the year (UTC) and a number that counts up without gaps. Credit notes have `CN-` in front, those of the sandbox `TEST-`. Older numbers are `INV-` and a number.',
  })
  number!: string

  @Field(() => InvoiceType, { description: 'An invoice, or a credit note that corrects one.' })
  type!: InvoiceType

  @Field(() => InvoiceStatus, { description: 'Where it stands.' })
  status!: InvoiceStatus

  @Field(() => GraphQLSafeInt, { description: 'The amount with tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The tax that the amount includes, in cents of the currency.',
  })
  taxCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => GraphQLSafeInt, {
    description:
      'The credits that the invoice is for; of a credit note, the credits of the refund.',
  })
  credits!: number

  @Field(() => String, { description: 'A short text for people.' })
  description!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The invoice that a credit note corrects: `inv_…`.',
  })
  originalInvoiceId!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When the invoice was issued.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of invoices, newest first.' })
export class InvoicePage {
  @Field(() => [Invoice], { description: 'The invoices of this page.' })
  items!: Invoice[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'An invoice as it is printed.' })
export class InvoicePdf {
  @Field(() => String, { description: 'Its number.' })
  number!: string

  @Field(() => InvoiceStatus, { description: 'The state of the invoice when the PDF was made.' })
  status!: InvoiceStatus

  @Field(() => String, { description: 'The PDF, in base64.' })
  content!: string
}
