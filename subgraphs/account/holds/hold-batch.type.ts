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
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

/**
 * A batch is written in columns: a list for each member, all of the same length and in the order of the
 * items. Every charged call passes here, and lists of scalars cost a fraction of lists of objects.
 */
@InputType({ description: 'The most that each request of a batch can cost, in columns.' })
export class ReserveBatchInput {
  @Field(() => [ID], { description: '`req_…`; each request can hold credits once.' })
  requestIds!: string[]

  @Field(() => [ID], { description: '`acct_…`' })
  accountIds!: string[]

  @Field(() => [EnvironmentValue], { description: 'The environment of the balance.' })
  environments!: EnvironmentValue[]

  @Field(() => [GraphQLSafeInt], { description: 'Credits, at least 0.' })
  credits!: number[]

  @Field(() => [String], { description: 'The paths of the requests, without their queries.' })
  endpoints!: string[]

  @Field(() => [String], {
    description:
      'Further facts for the usage log: JSON of [processId, ts, method, route, service, traceId, backendModule, keyId], perhaps followed by clientId, externalId, endUser.',
  })
  calls!: string[]

  @Field(() => Int, { description: 'The holds expire after so many seconds.' })
  ttlSeconds!: number

  @Field(() => [String], {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the idempotency keys; null when the requests have none.',
  })
  keyHashes?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Hexadecimal SHA-256 of method, path and body; given together with `keyHashes`.',
  })
  requestHashes?: string[] | null

  @Field(() => Int, {
    nullable: true,
    description:
      'How long answers are kept for a retry, in seconds; given together with `keyHashes`.',
  })
  keyTtlSeconds?: number | null

  @Field(() => [[String]], {
    nullable: true,
    description:
      'The ids of the spenders whose budgets count for each request; null when no request has one.',
  })
  spenders?: string[][] | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The instant by which budgets count the requests; given together with `spenders`.',
  })
  reservedAt?: Date | null
}

export enum BatchVerdict {
  accepted = 'accepted',
  again = 'again',
  locked = 'locked',
}

registerEnumType(BatchVerdict, {
  name: 'BatchVerdict',
  description: 'The verdict on a reservation in a batch.',
  valuesConfig: {
    accepted: { description: 'The credits are set aside, and the key, if any, is claimed.' },
    again: { description: 'Nothing was done: `reserveCredits` must decide about the request.' },
    locked: {
      description:
        'Nothing was done, because another transaction has locked the balance. Ask again.',
    },
  },
})

@ObjectType({ description: 'The results of a batch of reservations, in order.' })
export class ReservationBatch {
  @Field(() => [BatchVerdict], { description: 'For each request, whether its credits are held.' })
  verdicts!: BatchVerdict[]

  @Field(() => [GraphQLSafeInt], {
    description:
      'The available credits (balance - held), after the batch; 0 for a request for which nothing was done.',
  })
  available!: number[]
}

@InputType({ description: 'How the holds of a batch end, in columns.' })
export class SettleBatchInput {
  @Field(() => [ID], { description: 'The `requestIds` of the reservations.' })
  requestIds!: string[]

  @Field(() => [ID], { description: '`acct_…`' })
  accountIds!: string[]

  @Field(() => [EnvironmentValue], { description: 'As given to the reservation.' })
  environments!: EnvironmentValue[]

  @Field(() => [GraphQLSafeInt], {
    description:
      'The credits to charge, at most those that are held. If the hold was lost, all of them; 0 releases the hold.',
  })
  credits!: number[]

  @Field(() => [String], { description: 'As given to the reservation.' })
  endpoints!: string[]

  @Field(() => [String], { description: 'As given to the reservation.' })
  calls!: string[]

  @Field(() => [String], {
    nullable: true,
    description: 'The `keyHashes` that were claimed; null when the requests have none.',
  })
  keyHashes?: string[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      'The answers to keep for a retry, as JSON. Without an answer the key can be used anew. Given together with `keyHashes`.',
  })
  answers?: (string | null)[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'The bodies of the answers; given together with `answers`.',
  })
  bodies?: (string | null)[] | null

  @Field(() => [[String]], {
    nullable: true,
    description:
      'The spenders of the reservation: empty for a request without budgets; null when no request has one.',
  })
  spenders?: string[][] | null

  @Field(() => [GraphQLISODateTime], {
    nullable: 'itemsAndList',
    description: 'The `reservedAt` of the reservations; given together with `spenders`.',
  })
  reservedAts?: (Date | null)[] | null

  @Field(() => [GraphQLSafeInt], {
    nullable: true,
    description:
      'The credits that the budgets count for each request, 0 for a failure; given together with `spenders`.',
  })
  counts?: number[] | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to wait, up to a second, for a balance that another transaction has locked.',
  })
  isPatient?: boolean | null
}

export enum BatchOutcome {
  captured = 'captured',
  voided = 'voided',
  expired = 'expired',
  locked = 'locked',
}

registerEnumType(BatchOutcome, {
  name: 'BatchOutcome',
  description: 'The outcome of a hold in a batch.',
  valuesConfig: {
    captured: { description: 'Credits were charged.' },
    voided: { description: 'The hold is released; nothing was charged.' },
    expired: { description: 'The hold had expired; nothing was charged.' },
    locked: {
      description:
        'Nothing was done, because another transaction has locked the balance. Ask again with `isPatient`.',
    },
  },
})

@ObjectType({ description: 'How the holds of a batch ended, in order.' })
export class SettlementBatch {
  @Field(() => [BatchOutcome], { description: 'How each hold ended.' })
  outcomes!: BatchOutcome[]

  @Field(() => [GraphQLSafeInt], { description: 'Credits that were charged.' })
  credits!: number[]

  @Field(() => [GraphQLSafeInt], {
    description:
      'The available credits (balance - held), afterwards; 0 for a request for which nothing was done.',
  })
  available!: number[]

  @Field(() => [GraphQLSafeInt], {
    nullable: 'itemsAndList',
    description:
      'The credits that are left in the tightest budgets; null for a request without a budget.',
  })
  budgetRemaining?: (number | null)[] | null
}
