import { Field, InputType, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A postal address.' })
export class BillingAddress {
  @Field(() => String, { description: 'Street and number, or a box.' })
  line1!: string

  @Field(() => String, { nullable: true, description: 'The second line of the address.' })
  line2!: string | null

  @Field(() => String, { description: 'The city.' })
  city!: string

  @Field(() => String, { description: 'Empty where the country has none.' })
  postalCode!: string

  @Field(() => String, { nullable: true, description: 'State, province or region.' })
  state!: string | null
}

@ObjectType({ description: 'The recipient of invoices. Null: not given yet.' })
export class BillingDetails {
  @Field(() => String, { nullable: true, description: 'The company or person.' })
  name!: string | null

  @Field(() => BillingAddress, { nullable: true, description: 'Where they are.' })
  address!: BillingAddress | null

  @Field(() => String, { nullable: true, description: 'ISO 3166 alpha-2.' })
  country!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'In the EU a VAT id of the country, without spaces.',
  })
  taxId!: string | null

  @Field(() => String, { nullable: true, description: 'Printed on invoices.' })
  purchaseOrder!: string | null
}

@InputType({ description: 'A postal address.' })
export class BillingAddressInput {
  @Field(() => String, { description: 'Street and number, or a box.' })
  line1!: string

  @Field(() => String, { nullable: true, description: 'The second line of the address.' })
  line2!: string | null

  @Field(() => String, { description: 'The city.' })
  city!: string

  @Field(() => String, { description: 'Empty where the country has none.' })
  postalCode!: string

  @Field(() => String, { nullable: true, description: 'State, province or region.' })
  state!: string | null
}

@InputType({ description: 'The recipient of invoices, in place of the former one.' })
export class BillingDetailsInput {
  @Field(() => String, { description: 'The company or person.' })
  name!: string

  @Field(() => BillingAddressInput, { description: 'Where they are.' })
  address!: BillingAddressInput

  @Field(() => String, { description: 'ISO 3166 alpha-2.' })
  country!: string

  @Field(() => String, { nullable: true, description: 'In the EU a VAT id of the country.' })
  taxId?: string | null

  @Field(() => String, { nullable: true, description: 'Printed on invoices.' })
  purchaseOrder?: string | null
}
