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

  @Field(() => Int, { description: 'How long an answer is kept for a retry, in seconds.' })
  ttlSeconds!: number
}

@InputType({
  description: 'The most that one request can cost. These credits are held before it runs.',
})
export class ReserveCreditsInput {
  @Field(() => ID, { description: '`req_…`; each request can hold credits once.' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the balance.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Credits, at least 0.' })
  credits!: number

  @Field(() => Int, { description: 'The hold expires after so many seconds.' })
  ttlSeconds!: number

  @Field(() => GraphQLJSONObject, {
    description: 'The facts for the usage log, in case the process dies before it writes an entry.',
  })
  request!: Record<string, unknown>

  @Field(() => IdempotencyClaimInput, {
    nullable: true,
    description:
      'The claim of an idempotency key, in the same transaction; only the first claim is accepted.',
  })
  idempotency?: IdempotencyClaimInput | null

  @Field(() => [String], {
    nullable: true,
    description: 'The ids of the spenders whose budgets count for the request; null without one.',
  })
  spenders?: string[] | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The credits that its budgets count, if they differ from its own: the sandbox charges nothing.',
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
  description: 'The decision about a reservation; only an accepted one holds credits.',
  valuesConfig: {
    accepted: { description: 'The credits are set aside, and the key, if any, is claimed.' },
    insufficient: {
      description: 'The balance without the credits that are held does not cover it.',
    },
    exhausted: { description: 'A budget does not cover it; `refusing` names the budgets.' },
    replay: {
      description: 'The idempotency key was used for the same request, whose answer is stored.',
    },
    running: { description: 'The first request with the idempotency key may still be running.' },
    mismatch: { description: 'The idempotency key was used for another request.' },
    locked: {
      description: 'Another transaction has locked the balance. Nothing was done: ask again.',
    },
  },
})

@ObjectType({ description: 'The result of a reservation.' })
export class Reservation {
  @Field(() => ReservationVerdict, {
    description: 'Whether credits are held, or the reason why not.',
  })
  verdict!: ReservationVerdict

  @Field(() => GraphQLSafeInt, {
    description: 'The available credits (balance - held), after the batch.',
  })
  available!: number

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'For a replay: the status and headers of the stored answer, and whether its body is sealed.',
  })
  answer?: Record<string, unknown> | null

  @Field(() => String, {
    nullable: true,
    description: 'For a replay: the body of the stored answer.',
  })
  body?: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'With budgets: the time by which the budgets count the request, by the clock of the database.',
  })
  reservedAt?: Date | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The credits that are left in the tightest budget after the request; null without a budget.',
  })
  budgetRemaining?: number | null

  @Field(() => [BudgetRefusal], {
    nullable: true,
    description: 'All budgets that do not cover the request.',
  })
  refusing?: BudgetRefusal[] | null
}

@ObjectType({ description: 'A hold that was not settled in time, so nothing was charged.' })
export class ExpiredHold {
  @Field(() => ID, { description: 'The `requestId` of the reservation.' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'As given to the reservation.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLJSONObject, { description: 'The `request` of the reservation.' })
  request!: Record<string, unknown>
}
