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
    nullable: 'itemsAndList',
    description:
      'Hexadecimal SHA-256 of the idempotency keys; null for a request without one, or when no request has one.',
  })
  keyHashes?: (string | null)[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'Hexadecimal SHA-256 of method, path and body; given together with `keyHashes`.',
  })
  requestHashes?: (string | null)[] | null

  @Field(() => Int, {
    nullable: true,
    description:
      'How long answers are kept for a retry, in seconds; given together with `keyHashes`.',
  })
  keyTtlSeconds?: number | null

  @Field(() => [[String]], {
    nullable: true,
    description:
      'The ids of the spenders whose budgets count for each request: empty for a request without budgets; null when no request has one.',
  })
  spenders?: string[][] | null

  @Field(() => [GraphQLSafeInt], {
    nullable: true,
    description:
      'The credits that the budgets count for each request; given together with `spenders`.',
  })
  counts?: number[] | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to judge each request by itself. Other batches hold what they can hold at once, and answer the rest with `again`.',
  })
  isApart?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to try balances too that another transaction had locked a moment ago. Other batches answer these with `locked` at once, because they would wait for them.',
  })
  isPatient?: boolean | null
}

export enum ReservationVerdict {
  accepted = 'accepted',
  insufficient = 'insufficient',
  exhausted = 'exhausted',
  replay = 'replay',
  running = 'running',
  mismatch = 'mismatch',
  again = 'again',
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
    again: { description: 'Nothing was done: ask again with `isApart`.' },
    locked: {
      description:
        'Nothing was done, because another transaction has locked the balance. Ask again with `isPatient`.',
    },
  },
})

@ObjectType({
  description:
    'The results of a batch of reservations, in order. The lists that may be null are given with `isApart`.',
})
export class ReservationBatch {
  @Field(() => [ReservationVerdict], {
    description: 'For each request, whether its credits are held, or the reason why not.',
  })
  verdicts!: ReservationVerdict[]

  @Field(() => [GraphQLSafeInt], {
    description:
      'The credits that a new request can spend, after the batch; 0 for a request for which nothing was done.',
  })
  available!: number[]

  @Field(() => [GraphQLJSONObject], {
    nullable: 'itemsAndList',
    description:
      'For a replay: the status and headers of the stored answer, and whether its body is sealed.',
  })
  answers?: (Record<string, unknown> | null)[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'For a replay: the body of the stored answer.',
  })
  bodies?: (string | null)[] | null

  @Field(() => [GraphQLISODateTime], {
    nullable: 'itemsAndList',
    description:
      'With budgets: the time by which the budgets count the request, by the clock of the database.',
  })
  reservedAts?: (Date | null)[] | null

  @Field(() => [GraphQLSafeInt], {
    nullable: 'itemsAndList',
    description:
      'The credits that are left in the tightest budget after the request; null without a budget.',
  })
  budgetRemaining?: (number | null)[] | null

  @Field(() => [[BudgetRefusal]], {
    nullable: true,
    description: 'For each request, all budgets that do not cover it.',
  })
  refusing?: BudgetRefusal[][] | null
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
    nullable: 'itemsAndList',
    description:
      'The `keyHashes` that were claimed; null for a request without one, or when no request has one.',
  })
  keyHashes?: (string | null)[] | null

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

  @Field(() => Int, {
    nullable: true,
    description:
      'For how long the oldest request of the batch has waited for its outcome. After half an hour a request whose hold is gone is no longer charged.',
  })
  waitedSeconds?: number | null
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
      'The credits that a new request can spend, afterwards; 0 for a request for which nothing was done.',
  })
  available!: number[]

  @Field(() => [GraphQLSafeInt], {
    nullable: 'itemsAndList',
    description:
      'The credits that are left in the tightest budgets; null for a request without a budget.',
  })
  budgetRemaining?: (number | null)[] | null
}
