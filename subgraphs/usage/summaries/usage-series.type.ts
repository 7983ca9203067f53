import { GraphQLSafeInt } from 'graphql-scalars'
import {
  ArgsType,
  Field,
  Float,
  GraphQLISODateTime,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

export enum UsageInterval {
  hour = 'hour',
  day = 'day',
}

registerEnumType(UsageInterval, {
  name: 'UsageInterval',
  description: 'The steps of a time series. Days are those of UTC.',
  valuesConfig: {
    hour: { description: 'At most 31 days of them.' },
    day: { description: 'At most 400.' },
  },
})

export enum UsageGroup {
  service = 'service',
  endpoint = 'endpoint',
}

registerEnumType(UsageGroup, {
  name: 'UsageGroup',
  description: 'What the requests of an interval are told apart by.',
  valuesConfig: {
    service: { description: 'The service group.' },
    endpoint: { description: 'Method and path, with placeholders instead of ids.' },
  },
})

@ArgsType()
export class UsageSeriesArgs {
  @Field(() => UsageInterval, { defaultValue: UsageInterval.day, description: 'The steps.' })
  interval!: UsageInterval

  @Field(() => UsageGroup, { defaultValue: UsageGroup.service, description: 'The lines.' })
  groupBy!: UsageGroup

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Begins with the interval of this instant; a day or 30 days before the end.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Ends before; now.' })
  to?: Date | null
}

@ObjectType({ description: 'What was asked of one service or endpoint in one interval.' })
export class UsagePoint {
  @Field(() => GraphQLISODateTime, { description: 'When the interval began.' })
  start!: Date

  @Field(() => String, { description: 'The service, as the usage log names it.' })
  service!: string

  @Field(() => String, {
    nullable: true,
    description: 'Such as `GET /v1/contacts/{contact_id}`; null when all of the service are one.',
  })
  endpoint!: string | null

  @Field(() => GraphQLSafeInt, { description: 'Authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'Credits they consumed.' })
  credits!: number

  @Field(() => Float, { description: 'The share answered with a status below 400, from 0 to 1.' })
  successRate!: number

  @Field(() => Int, { description: 'Half of them took no longer; at most a tenth off.' })
  latencyP50Ms!: number

  @Field(() => Int, { description: '95 of 100 took no longer; at most a tenth off.' })
  latencyP95Ms!: number
}

@ObjectType({ description: 'Usage over time. Where nothing was asked, there is no item.' })
export class UsageSeries {
  @Field(() => UsageInterval, { description: 'The steps.' })
  interval!: UsageInterval

  @Field(() => UsageGroup, { description: 'The lines.' })
  groupBy!: UsageGroup

  @Field(() => GraphQLISODateTime, { description: 'Where the first interval begins.' })
  from!: Date

  @Field(() => GraphQLISODateTime, { description: 'No interval begins then or later.' })
  to!: Date

  @Field(() => [UsagePoint], { description: 'In order of time, then of service and endpoint.' })
  items!: UsagePoint[]
}
