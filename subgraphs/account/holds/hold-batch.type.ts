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
  @Field(() => [ID], { description: '`req_…`; a request holds once.' })
  requestIds!: string[]

  @Field(() => [ID], { description: '`acct_…`' })
  accountIds!: string[]

  @Field(() => [EnvironmentValue], { description: 'Whose balance: live, or the play copy.' })
  environments!: EnvironmentValue[]

  @Field(() => [GraphQLSafeInt], { description: 'Credits, at least 0.' })
  credits!: number[]

  @Field(() => [String], { description: 'Paths of the requests, without their queries.' })
  endpoints!: string[]

  @Field(() => [String], {
    description:
      'Further values of a usage-log entry: JSON of [processId, ts, method, route, service, traceId, backendModule, keyId], perhaps with clientId, externalId, endUser behind.',
  })
  calls!: string[]

  @Field(() => Int, { description: 'After this many seconds the holds count for nothing.' })
  ttlSeconds!: number

  @Field(() => [String], {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the idempotency keys; null when no request has one.',
  })
  keyHashes?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Hexadecimal SHA-256 of method, path and body; goes with `keyHashes`.',
  })
  requestHashes?: string[] | null

  @Field(() => Int, {
    nullable: true,
    description: 'How long answers are kept for a retry; goes with `keyHashes`.',
  })
  keyTtlSeconds?: number | null

  @Field(() => [[String]], {
    nullable: true,
    description: 'The ids of whatever budgets count for each request; null when none has one.',
  })
  spenders?: string[][] | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The instant by which budgets are counted; goes with `spenders`.',
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
    again: { description: 'Nothing was done: `reserveCredits` must judge the request by itself.' },
    locked: {
      description: 'Nothing was done, because another transaction has the balance: try again.',
    },
  },
})

@ObjectType({ description: 'The results of a batch of reservations, in order.' })
export class ReservationBatch {
  @Field(() => [BatchVerdict], { description: 'Whether each request holds credits.' })
  verdicts!: BatchVerdict[]

  @Field(() => [GraphQLSafeInt], {
    description: 'Balances less open holds, after the batch; 0 where nothing was done.',
  })
  available!: number[]
}

@InputType({ description: 'How the holds of a batch end, in columns.' })
export class SettleBatchInput {
  @Field(() => [ID], { description: 'The `requestIds` of the reservations.' })
  requestIds!: string[]

  @Field(() => [ID], { description: '`acct_…`' })
  accountIds!: string[]

  @Field(() => [EnvironmentValue], { description: 'As reserved.' })
  environments!: EnvironmentValue[]

  @Field(() => [GraphQLSafeInt], {
    description:
      'The credits to charge, at most those that are held; all of them where the hold was lost; 0 voids.',
  })
  credits!: number[]

  @Field(() => [String], { description: 'As reserved.' })
  endpoints!: string[]

  @Field(() => [String], { description: 'As reserved.' })
  calls!: string[]

  @Field(() => [String], {
    nullable: true,
    description: 'The `keyHashes` that were claimed; null when no request has one.',
  })
  keyHashes?: string[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      'JSON to be kept for a retry; without one, the key is free for a new attempt. Goes with `keyHashes`.',
  })
  answers?: (string | null)[] | null

  @Field(() => [String], { nullable: 'itemsAndList', description: 'Go with `answers`.' })
  bodies?: (string | null)[] | null

  @Field(() => [[String]], {
    nullable: true,
    description: 'As reserved: empty for a request without budgets; null when none has one.',
  })
  spenders?: string[][] | null

  @Field(() => [GraphQLISODateTime], {
    nullable: 'itemsAndList',
    description: 'The `reservedAt` of the reservations; goes with `spenders`.',
  })
  reservedAts?: (Date | null)[] | null

  @Field(() => [GraphQLSafeInt], {
    nullable: true,
    description:
      'The credits that each request counts in its budgets, 0 for a failure; goes with `spenders`.',
  })
  counts?: number[] | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a balance that another transaction has is waited for, up to a second.',
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
    expired: { description: 'The hold had ended by itself; nothing was charged.' },
    locked: {
      description: 'Nothing was done, because another transaction has the balance: ask patiently.',
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
    description: 'Balances less open holds, afterwards; 0 where nothing was done.',
  })
  available!: number[]

  @Field(() => [GraphQLSafeInt], {
    nullable: 'itemsAndList',
    description: 'The rest of the tightest budgets; null where a request has none.',
  })
  budgetRemaining?: (number | null)[] | null
}
