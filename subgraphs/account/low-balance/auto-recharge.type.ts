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
  description: 'The state of automatic recharging.',
  valuesConfig: {
    idle: { description: 'No payment is in progress.' },
    pending: { description: 'A payment is in progress.' },
    action_required: { description: 'A payment waits until the holder of the card confirms it.' },
    suspended: {
      description:
        'Recharging has stopped, for the reason in `failureReason`, until it is configured again.',
    },
  },
})

export enum AutoRechargeNeed {
  threshold_credits = 'threshold_credits',
  package_id = 'package_id',
  payment_method = 'payment_method',
}

registerEnumType(AutoRechargeNeed, {
  name: 'AutoRechargeNeed',
  description: 'Something without which nothing can be bought automatically.',
  valuesConfig: {
    threshold_credits: { description: 'The threshold.' },
    package_id: { description: 'The package.' },
    payment_method: {
      description: 'A stored payment method that is the default; a paid checkout stores one.',
    },
  },
})

@ObjectType({ description: 'Buys a package whenever the account runs low on credits.' })
export class AutoRecharge {
  @Field(() => Boolean, { description: 'Whether automatic recharging is on.' })
  enabled!: boolean

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'A package is bought when fewer credits than this are available.',
  })
  thresholdCredits!: number | null

  @Field(() => ID, { nullable: true, description: 'The package that is bought: `pack_…`' })
  packageId!: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The most that it spends in a calendar month (UTC), in cents; null: there is no limit.',
  })
  monthlyCapCents!: number | null

  @Field(() => AutoRechargeState, { description: 'The state of automatic recharging.' })
  state!: AutoRechargeState

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When a recharge last succeeded.',
  })
  lastRechargeAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'The reason why the last recharge failed, as a sentence for people.',
  })
  failureReason!: string | null

  @Field(() => [AutoRechargeNeed], {
    description:
      'What is missing before something can be bought; without it, recharging cannot be turned on. Empty: nothing is missing.',
  })
  missing!: AutoRechargeNeed[]
}

export enum RechargeObstacle {
  off = 'off',
  under_way = 'under_way',
  suspended = 'suspended',
  negative_balance = 'negative_balance',
  payment_method = 'payment_method',
  package_id = 'package_id',
  monthly_cap = 'monthly_cap',
}

registerEnumType(RechargeObstacle, {
  name: 'RechargeObstacle',
  description: 'The reason why recharging would buy nothing now.',
  valuesConfig: {
    off: { description: 'It is turned off.' },
    under_way: { description: 'A payment is in progress.' },
    suspended: { description: 'It has stopped until it is configured again.' },
    negative_balance: {
      description:
        'The balance is negative, because credits were taken back: nothing is bought until credits come otherwise.',
    },
    payment_method: { description: 'No stored payment method is the default.' },
    package_id: { description: 'The package is not on sale any more.' },
    monthly_cap: { description: 'The price would exceed the cap of this month.' },
  },
})

@ObjectType({ description: 'What automatic recharging would do next.' })
export class NextRecharge {
  @Field(() => RechargeObstacle, {
    nullable: true,
    description: 'Why nothing would be bought; null: a package would be bought.',
  })
  obstacle!: RechargeObstacle | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The package is bought when fewer credits than this are available.',
  })
  belowCredits!: number | null

  @Field(() => ID, { nullable: true, description: 'The package: `pack_…`' })
  packageId!: string | null

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'The credits of the package.' })
  credits!: number | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Its price without tax, in cents of the currency.',
  })
  priceCents!: number | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The tax, in cents of the currency.',
  })
  taxCents!: number | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Price and tax, in cents of the currency.',
  })
  totalCents!: number | null

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => GraphQLSafeInt, {
    description:
      'What recharging has spent in this calendar month (UTC), in cents of the currency.',
  })
  spentCents!: number

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The most that it spends in a month, in cents; null: there is no limit.',
  })
  monthlyCapCents!: number | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'Nothing is bought before this time, after a decline or at the cap; null: at once.',
  })
  earliestAt!: Date | null
}

@InputType({ description: 'The changes; members left out stay as they are.' })
export class AutoRechargeInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether automatic recharging is on.' })
  enabled?: boolean | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The limit, at least 1 and at most the credits of the package.',
  })
  thresholdCredits?: number | null

  @Field(() => ID, { nullable: true, description: '`pack_…`' })
  packageId?: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The limit, at least the price of the package with its tax.',
  })
  monthlyCapCents?: number | null

  @Field(() => String, {
    nullable: true,
    description:
      'The idempotency key, which internal tools must send: the same key changes once. Other callers send the header.',
  })
  idempotencyKey?: string | null
}
