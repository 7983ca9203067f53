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
  description: 'Where an add-on stands.',
  valuesConfig: {
    active: { description: 'Renews at the end of its period.' },
    scheduled_to_cancel: { description: 'In force until its period ends.' },
    canceled: { description: 'Over.' },
    inactive: { description: 'The account never had it.' },
  },
})

@ObjectType({ description: 'The Mass Mail add-on.' })
export class MassMail {
  @Field(() => Boolean, { description: 'Whether it is in force.' })
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

  @Field(() => GraphQLSafeInt, { description: 'Recipients that a period includes.' })
  monthlyQuota!: number

  @Field(() => GraphQLSafeInt, {
    description: 'Recipients that Promote was charged for in the current period.',
  })
  usedThisPeriod!: number
}

@ObjectType({ description: 'The Rank Tracking add-on.' })
export class RankTracking {
  @Field(() => Boolean, { description: 'Whether it is in force.' })
  active!: boolean

  @Field(() => AddonStatus, { description: 'Where it stands.' })
  status!: AddonStatus

  @Field(() => Int, { description: 'How many keywords can be tracked.' })
  keywordLimit!: number

  @Field(() => Int, { description: 'How many are.' })
  keywordsUsed!: number
}

@ObjectType({ description: 'Extras beside the credits.' })
export class Addons {
  @Field(() => MassMail, { description: 'Sending to many recipients.' })
  massMail!: MassMail

  @Field(() => RankTracking, { description: 'Watching where a domain ranks.' })
  rankTracking!: RankTracking
}
