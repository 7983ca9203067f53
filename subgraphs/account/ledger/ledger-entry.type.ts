import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'

export enum LedgerEntryKind {
  grant = 'grant',
  purchase = 'purchase',
  allowance = 'allowance',
  charge = 'charge',
  refund = 'refund',
  expiry = 'expiry',
  adjustment = 'adjustment',
  clawback = 'clawback',
  reinstatement = 'reinstatement',
}

registerEnumType(LedgerEntryKind, {
  name: 'LedgerEntryKind',
  description: 'Why credits came or went.',
  valuesConfig: {
    grant: { description: 'Given by hand, or at the start of the account.' },
    purchase: { description: 'A credit package was paid.' },
    allowance: { description: 'Of a period of the subscription.' },
    charge: { description: 'The price of one request.' },
    refund: { description: 'A charge given back.' },
    expiry: { description: 'Credits that were left when they expired.' },
    adjustment: { description: 'A correction by hand, up or down.' },
    clawback: { description: 'Credits of a payment whose money went back.' },
    reinstatement: { description: 'Credits of a clawback, given back with the money.' },
  },
})

@ObjectType({ description: 'An immutable fact: credits came or went.' })
export class LedgerEntry {
  @Field(() => ID, { description: '`led_…`' })
  id!: string

  @Field(() => LedgerEntryKind, { description: 'Why credits came or went.' })
  kind!: LedgerEntryKind

  @Field(() => GraphQLSafeInt, { description: 'Signed: what went out is negative.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The balance once this entry counted.' })
  balanceAfter!: number

  @Field(() => String, { description: 'For people.' })
  description!: string

  @Field(() => ID, { nullable: true, description: 'The request that a charge paid for.' })
  requestId!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When it was entered.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of the ledger, newest first.' })
export class LedgerEntryPage {
  @Field(() => [LedgerEntry], { description: 'The entries of this page.' })
  items!: LedgerEntry[]

  @Field(() => String, { nullable: true, description: 'For the next page; null on the last.' })
  nextCursor!: string | null
}

/** The input that all entries by hand share. */
@InputType()
class PostingInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'Shown in the ledger, 1 to 200 characters.' })
  reason!: string

  @Field(() => String, {
    description: 'Makes a retry harmless: the same key enters once. 1 to 255 characters.',
  })
  idempotencyKey!: string
}

@InputType({ description: 'Credits to give to an account.' })
export class GrantCreditsInput extends PostingInput {
  @Field(() => EnvironmentName, {
    nullable: true,
    description: 'Whose ledger: live unless said, or the play copy.',
  })
  environment?: EnvironmentName | null

  @Field(() => GraphQLSafeInt, { description: 'How many, at least 1.' })
  credits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When what is left of it expires; never, unless said. Such credits burn last.',
  })
  expiresAt?: Date | null

  @Field(() => Int, {
    nullable: true,
    description:
      'Which of the credits that expire burn first: 0 before 100, 50 unless said; among equals the soonest to expire.',
  })
  priority?: number | null
}

@InputType({ description: 'A correction of a balance, up or down.' })
export class AdjustCreditsInput extends PostingInput {
  @Field(() => EnvironmentName, {
    nullable: true,
    description: 'Whose ledger: live unless said, or the play copy.',
  })
  environment?: EnvironmentName | null

  @Field(() => GraphQLSafeInt, { description: 'Signed, not 0; not below what holds leave.' })
  credits!: number

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it may take what is held, and the balance below 0; not unless said.',
  })
  allowNegative?: boolean | null
}

@InputType({ description: 'A live charge to be given back.' })
export class RefundChargeInput extends PostingInput {
  @Field(() => ID, { description: '`req_…`: the request that was charged.' })
  requestId!: string
}
