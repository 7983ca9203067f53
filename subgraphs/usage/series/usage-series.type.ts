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
  description: 'The length of an interval. Days are those of UTC.',
  valuesConfig: {
    hour: { description: 'A series has at most 31 days of them.' },
    day: { description: 'A series has at most 400 of them.' },
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
  @Field(() => UsageInterval, {
    defaultValue: UsageInterval.day,
    description: 'The length of an interval.',
  })
  interval!: UsageInterval

  @Field(() => UsageGroup, {
    defaultValue: UsageGroup.service,
    description: 'The property by which the requests of an interval are grouped.',
  })
  groupBy!: UsageGroup

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'The first interval contains this instant and is counted whole. By default it is a day before `to`, or 30 days for longer intervals.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'The last interval contains the instant just before this one and is counted whole. By default it is now.',
  })
  to?: Date | null

  @Field(() => ID, { nullable: true, description: 'Only requests with this API key.' })
  keyId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Only requests with an access token of this app.',
  })
  clientId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Only requests whose key had this external id at that time.',
  })
  externalId?: string | null

  @Field(() => String, { nullable: true, description: 'Only requests to this service group.' })
  service?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'Only requests with a status of this first digit, 1 to 5.',
  })
  statusClass?: number | null
}

@ObjectType({ description: 'The requests of one group in one interval.' })
export class UsagePoint {
  @Field(() => GraphQLISODateTime, { description: 'When the interval began.' })
  start!: Date

  @Field(() => String, {
    nullable: true,
    description:
      'The service, as the usage log names it; null in a series that is grouped by caller.',
  })
  service!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The endpoint, such as `GET /v1/contacts/{contact_id}`; null unless the series is grouped by endpoint.',
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

  @Field(() => GraphQLSafeInt, { description: 'The number of authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits that they cost.' })
  credits!: number

  @Field(() => Float, {
    description:
      'The share of the requests that were answered with a status below 400, from 0 to 1; 1 without requests.',
  })
  successRate!: number

  @Field(() => Int, {
    nullable: true,
    description:
      'The median of the time, at most a tenth off; null if the series is grouped by caller.',
  })
  latencyP50Ms!: number | null

  @Field(() => Int, {
    nullable: true,
    description:
      'The 95th percentile of the time, at most a tenth off; null if the series is grouped by caller.',
  })
  latencyP95Ms!: number | null
}

@ObjectType({
  description: 'Usage over time. Each group that has requests has one item for each interval.',
})
export class UsageSeries {
  @Field(() => UsageInterval, { description: 'The length of an interval.' })
  interval!: UsageInterval

  @Field(() => UsageGroup, {
    description: 'The property by which the requests of an interval are grouped.',
  })
  groupBy!: UsageGroup

  @Field(() => GraphQLISODateTime, { description: 'The beginning of the first interval.' })
  from!: Date

  @Field(() => GraphQLISODateTime, { description: 'The end of the last interval.' })
  to!: Date

  @Field(() => [UsagePoint], { description: 'The items in order of time, then of the groups.' })
  items!: Iterable<UsagePoint> & { readonly length: number }
}
