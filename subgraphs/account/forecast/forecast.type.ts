import { GraphQLSafeInt } from 'graphql-scalars'
import { Directive, Field, Float, GraphQLISODateTime, Int, ObjectType } from 'type-graphql'

@ObjectType({
  description:
    'When the credits run out: in a tenth, in half and in nine tenths of 1,000 futures they have run out by then.',
})
export class RunOut {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The early end of the range; null: not within 365 days.',
  })
  earlyAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The middle of the range; null: not within 365 days.',
  })
  likelyAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The late end of the range; null: not within 365 days.',
  })
  lateAt!: Date | null
}

@ObjectType({ description: 'The credits that are left at one time of the 1,000 futures.' })
export class BurnDownPoint {
  @Field(() => GraphQLISODateTime, {
    description: 'The end of a day in UTC; the first one is now.',
  })
  endsAt!: Date

  @Field(() => GraphQLSafeInt, { description: 'A tenth of the futures have at most this.' })
  low!: number

  @Field(() => GraphQLSafeInt, { description: 'Half of the futures have at most this.' })
  likely!: number

  @Field(() => GraphQLSafeInt, { description: 'Nine tenths of the futures have at most this.' })
  high!: number
}

@ObjectType({ description: 'Credits that come or expire.' })
export class ForecastCredits {
  @Field(() => GraphQLISODateTime, { description: 'When they come or expire.' })
  changesAt!: Date

  @Field(() => GraphQLSafeInt, { description: 'How many credits these are.' })
  credits!: number
}

@ObjectType({ description: 'How automatic recharging acts in a forecast.' })
export class ForecastRecharge {
  @Field(() => GraphQLSafeInt, {
    description: 'A package is bought when fewer credits than this are left.',
  })
  thresholdCredits!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits of the package.' })
  credits!: number

  @Field(() => Int, {
    nullable: true,
    description:
      'How many packages the monthly cap still permits this month; null: there is no cap.',
  })
  leftThisMonth!: number | null
}

@ObjectType({ description: 'What a forecast was made from.' })
export class ForecastDrivers {
  @Field(() => Int, { description: 'The number of whole days that were looked at, at most 30.' })
  days!: number

  @Field(() => Float, { description: 'The mean of the credits that these days cost.' })
  creditsPerDay!: number

  @Field(() => Float, {
    description:
      'How far the day of the week decides about the use: from 0, not at all, to 1; 0 below two weeks.',
  })
  weekdayStrength!: number

  @Field(() => [Float], {
    description:
      'The credits that are expected of the next seven days in UTC, today first, as whole days; none without a history.',
  })
  weekAhead!: number[]

  @Field(() => [ForecastCredits], {
    description: 'Credits that expire within 365 days, at most 10, the first ones first.',
  })
  expiring!: ForecastCredits[]

  @Field(() => ForecastCredits, {
    nullable: true,
    description:
      'The next allowance of the subscription, which the forecast expects to be renewed; null: none comes.',
  })
  renewal!: ForecastCredits | null

  @Field(() => ForecastRecharge, {
    nullable: true,
    description: 'Automatic recharging, if it works; always null without `billing:read`.',
  })
  autoRecharge!: ForecastRecharge | null
}

@Directive('@key(fields: "spentDays")')
@ObjectType({ description: 'When the credits of an account run out.' })
export class Forecast {
  @Field(() => String, { description: 'The days that the usage subgraph has counted.' })
  spentDays!: string

  @Field(() => GraphQLISODateTime, {
    description: 'When the forecast was made. It is kept for ten minutes.',
  })
  asOf!: Date

  @Field(() => GraphQLSafeInt, { description: 'The credits that calls could spend then.' })
  available!: number

  @Field(() => RunOut, {
    nullable: true,
    description:
      'When the credits run out; null: not within 365 days, or the account is not a day old yet.',
  })
  runOut!: RunOut | null

  @Field(() => [BurnDownPoint], {
    description:
      'The credits that are left from now on, at most 32 points; none while the account is not a day old.',
  })
  burnDown!: BurnDownPoint[]

  @Field(() => ForecastDrivers, { description: 'What the forecast was made from.' })
  drivers!: ForecastDrivers
}
