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
    grant: { description: 'A grant by an operator, or the starting balance.' },
    purchase: { description: 'A credit package was paid.' },
    allowance: { description: 'The allowance of a period of the subscription.' },
    charge: { description: 'The price of a request.' },
    refund: { description: 'A refund of a charge.' },
    expiry: { description: 'The credits that were left when they expired.' },
    adjustment: { description: 'A correction by an operator, up or down.' },
    clawback: { description: 'The credits of a payment whose money was returned.' },
    reinstatement: {
      description: 'Credits of a clawback that were returned together with the money.',
    },
  },
})

@ObjectType({ description: 'One change of a balance. It is never changed afterwards.' })
export class LedgerEntry {
  @Field(() => ID, { description: '`led_…`' })
  id!: string

  @Field(() => LedgerEntryKind, { description: 'Why credits came or went.' })
  kind!: LedgerEntryKind

  @Field(() => GraphQLSafeInt, {
    description: 'The change in credits; what was taken is negative.',
  })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The balance after this entry.' })
  balanceAfter!: number

  @Field(() => String, { description: 'A short text for people.' })
  description!: string

  @Field(() => ID, { nullable: true, description: 'The request that was charged.' })
  requestId!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When the entry was made.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of the ledger, newest first.' })
export class LedgerEntryPage {
  @Field(() => [LedgerEntry], { description: 'The entries of this page.' })
  items!: LedgerEntry[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

/** The input that all entries by hand share. */
@InputType()
class PostingInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The text in the ledger, 1 to 200 characters.' })
  reason!: string

  @Field(() => String, {
    description: 'The idempotency key, 1 to 255 characters: the same key is entered once.',
  })
  idempotencyKey!: string
}

@InputType({ description: 'Credits to give to an account.' })
export class GrantCreditsInput extends PostingInput {
  @Field(() => EnvironmentName, {
    nullable: true,
    description: 'The environment of the ledger; live by default.',
  })
  environment?: EnvironmentName | null

  @Field(() => GraphQLSafeInt, { description: 'How many credits, at least 1.' })
  credits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When the remaining credits expire; by default never. Credits without an expiry are used up last.',
  })
  expiresAt?: Date | null

  @Field(() => Int, {
    nullable: true,
    description:
      'The order in which credits that expire are used up: 0 before 100, by default 50. Of equal ones, those that expire first.',
  })
  priority?: number | null
}

@InputType({ description: 'A correction of a balance, up or down.' })
export class AdjustCreditsInput extends PostingInput {
  @Field(() => EnvironmentName, {
    nullable: true,
    description: 'The environment of the ledger; live by default.',
  })
  environment?: EnvironmentName | null

  @Field(() => GraphQLSafeInt, {
    description:
      'The change in credits, not 0. The balance cannot fall below the credits that are held.',
  })
  credits!: number

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the correction may take credits that are held, and leave a balance below 0; false by default.',
  })
  allowNegative?: boolean | null
}

@InputType({ description: 'A live charge that is to be refunded.' })
export class RefundChargeInput extends PostingInput {
  @Field(() => ID, { description: '`req_…`: the request that was charged.' })
  requestId!: string
}
