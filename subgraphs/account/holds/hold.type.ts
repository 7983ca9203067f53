import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { BudgetRefusal } from '../budgets/budget-refusal.type.ts'

@InputType({ description: 'A claim on an idempotency key of the account.' })
export class IdempotencyClaimInput {
  @Field(() => String, { description: 'Hexadecimal SHA-256 of the key.' })
  keyHash!: string

  @Field(() => String, { description: 'Hexadecimal SHA-256 of method, path and body.' })
  requestHash!: string

  @Field(() => Int, { description: 'How long an answer is kept for a retry.' })
  ttlSeconds!: number
}

@InputType({ description: 'The most that one request can cost, to be set aside before it runs.' })
export class ReserveCreditsInput {
  @Field(() => ID, { description: '`req_…`; a request holds once.' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Whose balance: live, or the play copy.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Credits, at least 0.' })
  credits!: number

  @Field(() => Int, { description: 'After this many seconds the hold counts for nothing.' })
  ttlSeconds!: number

  @Field(() => GraphQLJSONObject, {
    description: 'All that a usage-log entry needs, should the process die before writing one.',
  })
  request!: Record<string, unknown>

  @Field(() => IdempotencyClaimInput, {
    nullable: true,
    description: 'Claimed in the same transaction; only its first use is accepted.',
  })
  idempotency?: IdempotencyClaimInput | null

  @Field(() => [String], {
    nullable: true,
    description: 'The ids of whatever budgets count for the request; null without one.',
  })
  spenders?: string[] | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The credits that it counts in its budgets; left out: its own. The sandbox costs nothing.',
  })
  counted?: number | null
}

export enum ReservationVerdict {
  accepted = 'accepted',
  insufficient = 'insufficient',
  exhausted = 'exhausted',
  replay = 'replay',
  running = 'running',
  mismatch = 'mismatch',
  locked = 'locked',
}

registerEnumType(ReservationVerdict, {
  name: 'ReservationVerdict',
  description: 'The verdict on a reservation; only an accepted one holds credits.',
  valuesConfig: {
    accepted: { description: 'The credits are set aside, and the key, if any, is claimed.' },
    insufficient: { description: 'The balance less open holds does not cover it.' },
    exhausted: { description: 'A budget does not cover it: see `refusing`.' },
    replay: { description: 'The key was used for the same request, which has an answer.' },
    running: { description: 'The first use of the key may still be running.' },
    mismatch: { description: 'The key was used for another request.' },
    locked: { description: 'Another transaction has the balance. Nothing was done: ask again.' },
  },
})

@ObjectType({ description: 'The result of a reservation.' })
export class Reservation {
  @Field(() => ReservationVerdict, { description: 'Whether it holds credits, or why not.' })
  verdict!: ReservationVerdict

  @Field(() => GraphQLSafeInt, { description: 'Balance less open holds, after the batch.' })
  available!: number

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Of a replay: the stored status and headers, and whether the body is sealed.',
  })
  answer?: Record<string, unknown> | null

  @Field(() => String, { nullable: true, description: 'Of a replay: the stored body.' })
  body?: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "With budgets: since when it counts in them, by the database's clock.",
  })
  reservedAt?: Date | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The rest of the tightest budget, after the request; null without one.',
  })
  budgetRemaining?: number | null

  @Field(() => [BudgetRefusal], {
    nullable: true,
    description: 'All budgets that do not cover the request.',
  })
  refusing?: BudgetRefusal[] | null
}

@InputType({ description: 'How a hold ends.' })
export class SettleHoldInput {
  @Field(() => ID, { description: 'The `requestId` of the reservation.' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'As reserved.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, {
    description: 'The credits to charge, at most those that are held; 0 or less voids the hold.',
  })
  credits!: number

  @Field(() => String, { nullable: true, description: 'The `keyHash` that was claimed.' })
  keyHash?: string | null

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'To be kept for a retry; without one, the key is free for a new attempt.',
  })
  answer?: Record<string, unknown> | null

  @Field(() => String, { nullable: true, description: 'Goes with `answer`.' })
  body?: string | null
}

@InputType({ description: 'An answer that is kept for a retry, and now sealed for its account.' })
export class SealStoredAnswerInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'As reserved.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'As claimed.' })
  keyHash!: string

  @Field(() => String, { description: 'The sealed body.' })
  body!: string
}

export enum SettlementOutcome {
  captured = 'captured',
  voided = 'voided',
  expired = 'expired',
}

registerEnumType(SettlementOutcome, {
  name: 'SettlementOutcome',
  description: 'expired: the hold had ended before, and nothing was charged.',
  valuesConfig: {
    captured: { description: 'Charged: there is an entry in the ledger.' },
    voided: { description: 'Ended without a charge.' },
    expired: { description: 'The hold had ended before, and nothing was charged.' },
  },
})

@ObjectType({ description: 'How a hold ended. Asking again gives the same outcome.' })
export class Settlement {
  @Field(() => SettlementOutcome, { description: 'How the hold ended.' })
  outcome!: SettlementOutcome

  @Field(() => GraphQLSafeInt, { description: 'Credits that were charged.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'Balance less open holds, afterwards.' })
  available!: number
}

@ObjectType({ description: 'A hold that nobody settled in time; nothing was charged.' })
export class ExpiredHold {
  @Field(() => ID, { description: 'The `requestId` of the reservation.' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'As reserved.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLJSONObject, { description: 'The `request` of the reservation.' })
  request!: Record<string, unknown>
}
