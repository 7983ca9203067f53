import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, Int, ObjectType, registerEnumType } from 'type-graphql'

export enum Addon {
  MASS_MAIL = 'MASS_MAIL',
  RANK_TRACKING = 'RANK_TRACKING',
}

registerEnumType(Addon, {
  name: 'Addon',
  description: 'An extra that an account can hold.',
  valuesConfig: {
    MASS_MAIL: { description: 'Mass Mail.' },
    RANK_TRACKING: { description: 'Rank Tracking.' },
  },
})

export enum AddonStatus {
  active = 'active',
  scheduled_to_cancel = 'scheduled_to_cancel',
  canceled = 'canceled',
  inactive = 'inactive',
}

registerEnumType(AddonStatus, {
  name: 'AddonStatus',
  description: 'The state of an add-on.',
  valuesConfig: {
    active: { description: 'It renews at the end of its period.' },
    scheduled_to_cancel: { description: 'It works until its period ends.' },
    canceled: { description: 'It has ended.' },
    inactive: { description: 'The account never had the add-on.' },
  },
})

@ObjectType({ description: 'The Mass Mail add-on.' })
export class MassMail {
  @Field(() => Boolean, { description: 'Whether the add-on works at present.' })
  active!: boolean

  @Field(() => AddonStatus, { description: 'Where it stands.' })
  status!: AddonStatus

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When its period ends; null without the add-on.',
  })
  currentPeriodEnd!: Date | null

  @Field(() => Boolean, { description: 'Whether it ends with its period.' })
  cancelAtPeriodEnd!: boolean

  @Field(() => GraphQLSafeInt, {
    description:
      'The recipients that a period is meant for, for comparison with the use. Nothing is refused beyond it, and each recipient costs its credit.',
  })
  monthlyQuota!: number

  @Field(() => GraphQLSafeInt, {
    description:
      'The recipients that Promote has charged for in the current period, without refunded charges.',
  })
  usedThisPeriod!: number
}

@ObjectType({ description: 'The Rank Tracking add-on.' })
export class RankTracking {
  @Field(() => Boolean, { description: 'Whether the add-on works at present.' })
  active!: boolean

  @Field(() => AddonStatus, { description: 'Where it stands.' })
  status!: AddonStatus

  @Field(() => Int, { description: 'How many keywords may be tracked.' })
  keywordLimit!: number

  @Field(() => Int, { description: 'How many keywords are tracked.' })
  keywordsUsed!: number
}

@ObjectType({ description: 'Further features of an account, beside its credits.' })
export class Addons {
  @Field(() => MassMail, { description: 'The feature to send mails to many recipients.' })
  massMail!: MassMail

  @Field(() => RankTracking, { description: 'The feature to watch the rank of a domain.' })
  rankTracking!: RankTracking
}
