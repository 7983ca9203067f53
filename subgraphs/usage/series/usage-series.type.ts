import { GraphQLSafeInt } from 'graphql-scalars'
import {
  ArgsType,
  Field,
  Float,
  GraphQLISODateTime,
  ID,
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
  key = 'key',
  client = 'client',
  external_id = 'external_id',
}

registerEnumType(UsageGroup, {
  name: 'UsageGroup',
  description: 'The property by which the requests of an interval are grouped.',
  valuesConfig: {
    service: { description: 'The service group.' },
    endpoint: { description: 'Method and path, with placeholders instead of ids.' },
    key: { description: 'The API key.' },
    client: { description: 'The app whose access token was used.' },
    external_id: { description: 'The external id that the key had at the time.' },
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

  @Field(() => ID, { nullable: true, description: 'Only requests with this key.' })
  keyId?: string | null

  @Field(() => ID, { nullable: true, description: 'Only requests with a token of this app.' })
  clientId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Only requests whose key had this external id at the time.',
  })
  externalId?: string | null

  @Field(() => String, { nullable: true, description: 'Only this service group.' })
  service?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'Only statuses with this first digit, 1 to 5.',
  })
  statusClass?: number | null
}

@ObjectType({ description: 'The requests of one group in one interval.' })
export class UsagePoint {
  @Field(() => GraphQLISODateTime, { description: 'When the interval began.' })
  start!: Date

  @Field(() => String, {
    nullable: true,
    description: 'The service, as the usage log names it; null when all services are one.',
  })
  service!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Such as `GET /v1/contacts/{contact_id}`; null when all of the service are one.',
  })
  endpoint!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'By key: `key_…`; null without one; `other` for all but the 50 largest.',
  })
  keyId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'By client: `app_…`; null without one; `other` for all but the 50 largest.',
  })
  clientId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'By external id: null without one; `other` for all but the 50 largest.',
  })
  externalId!: string | null

  @Field(() => GraphQLSafeInt, { description: 'Authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'Credits they consumed.' })
  credits!: number

  @Field(() => Float, {
    description: 'The share answered with a status below 400, from 0 to 1; 1 without requests.',
  })
  successRate!: number

  @Field(() => Int, {
    nullable: true,
    description: 'Half took no longer; at most a tenth off. Null if callers are told apart.',
  })
  latencyP50Ms!: number | null

  @Field(() => Int, {
    nullable: true,
    description: '95 of 100 took no longer; at most a tenth off. Null if callers are told apart.',
  })
  latencyP95Ms!: number | null
}

@ObjectType({
  description: 'Usage over time: each group that has requests has an item for each interval.',
})
export class UsageSeries {
  @Field(() => UsageInterval, { description: 'The steps.' })
  interval!: UsageInterval

  @Field(() => UsageGroup, { description: 'The lines.' })
  groupBy!: UsageGroup

  @Field(() => GraphQLISODateTime, { description: 'Where the first interval begins.' })
  from!: Date

  @Field(() => GraphQLISODateTime, { description: 'No interval begins then or later.' })
  to!: Date

  @Field(() => [UsagePoint], { description: 'In order of time, then of the groups.' })
  items!: UsagePoint[]
}
