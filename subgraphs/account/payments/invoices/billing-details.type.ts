import { Field, InputType, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A postal address.' })
export class BillingAddress {
  @Field(() => String, { description: 'Street and number, or a post-office box.' })
  line1!: string

  @Field(() => String, { nullable: true, description: 'The second line of the address.' })
  line2!: string | null

  @Field(() => String, { description: 'The city.' })
  city!: string

  @Field(() => String, { description: 'The postal code; empty for a country that has none.' })
  postalCode!: string

  @Field(() => String, { nullable: true, description: 'State, province or region.' })
  state!: string | null
}

@ObjectType({ description: 'The recipient of invoices; null until it is given.' })
export class BillingDetails {
  @Field(() => String, { nullable: true, description: 'The name of the company or person.' })
  name!: string | null

  @Field(() => BillingAddress, { nullable: true, description: 'The postal address.' })
  address!: BillingAddress | null

  @Field(() => String, { nullable: true, description: 'The country, by ISO 3166 alpha-2.' })
  country!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The tax id; in the EU a VAT id of the country, without spaces.',
  })
  taxId!: string | null

  @Field(() => String, { nullable: true, description: 'A reference that is printed on invoices.' })
  purchaseOrder!: string | null
}

@InputType({ description: 'A postal address.' })
export class BillingAddressInput {
  @Field(() => String, { description: 'Street and number, or a post-office box.' })
  line1!: string

  @Field(() => String, { nullable: true, description: 'The second line of the address.' })
  line2!: string | null

  @Field(() => String, { description: 'The city.' })
  city!: string

  @Field(() => String, { description: 'The postal code; empty for a country that has none.' })
  postalCode!: string

  @Field(() => String, { nullable: true, description: 'State, province or region.' })
  state!: string | null
}

@InputType({ description: 'The recipient of invoices. It replaces the former one.' })
export class BillingDetailsInput {
  @Field(() => String, { description: 'The name of the company or person.' })
  name!: string

  @Field(() => BillingAddressInput, { description: 'The postal address.' })
  address!: BillingAddressInput

  @Field(() => String, { description: 'The country, by ISO 3166 alpha-2.' })
  country!: string

  @Field(() => String, {
    nullable: true,
    description: 'The tax id; in the EU a VAT id of the country.',
  })
  taxId?: string | null

  @Field(() => String, { nullable: true, description: 'A reference that is printed on invoices.' })
  purchaseOrder?: string | null
}
