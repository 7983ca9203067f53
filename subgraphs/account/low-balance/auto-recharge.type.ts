import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

export enum AutoRechargeState {
  idle = 'idle',
  pending = 'pending',
  action_required = 'action_required',
  suspended = 'suspended',
}

registerEnumType(AutoRechargeState, {
  name: 'AutoRechargeState',
  description: 'The state of recharging.',
  valuesConfig: {
    idle: { description: 'Nothing is under way.' },
    pending: { description: 'A payment is under way.' },
    action_required: { description: 'A payment waits until the holder of the card confirms it.' },
    suspended: { description: 'Given up, as `failureReason` says, until it is configured again.' },
  },
})

@ObjectType({ description: 'Buys a package whenever credits run low.' })
export class AutoRecharge {
  @Field(() => Boolean, { description: 'Whether it does.' })
  enabled!: boolean

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Fires when fewer credits than this are available.',
  })
  thresholdCredits!: number | null

  @Field(() => ID, { nullable: true, description: 'The package that is bought: `pack_…`' })
  packageId!: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The most that it spends in a calendar month (UTC), in cents; null: no limit.',
  })
  monthlyCapCents!: number | null

  @Field(() => AutoRechargeState, { description: 'Its state.' })
  state!: AutoRechargeState

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it last succeeded.' })
  lastRechargeAt!: Date | null

  @Field(() => String, { nullable: true, description: 'Why it last did not, for people.' })
  failureReason!: string | null
}

@InputType({ description: 'The changes; members left out stay as they are.' })
export class AutoRechargeInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether it does.' })
  enabled?: boolean | null

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'At least 1, at most the package.' })
  thresholdCredits?: number | null

  @Field(() => ID, { nullable: true, description: '`pack_…`' })
  packageId?: string | null

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'At least the package’s price.' })
  monthlyCapCents?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'Internal tools must have one: the same key changes once. Others send the header.',
  })
  idempotencyKey?: string | null
}
