import { ArgsType, Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'

@ArgsType()
export class UsageErrorsFilter {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only requests at this instant or later; by default 7 days before the end.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only requests before this instant; by default now.',
  })
  to?: Date | null

  @Field(() => String, { nullable: true, description: 'Only requests to this service group.' })
  service?: string | null

  @Field(() => Int, { nullable: true, description: 'Only statuses with this first digit: 4 or 5.' })
  statusClass?: number | null

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

  @Field(() => String, { nullable: true, description: 'Only requests that failed with this code.' })
  errorCode?: string | null

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether requests with different codes are in different groups.',
  })
  isExtended!: boolean
}

@ObjectType({ description: 'Failed requests to one endpoint with one status.' })
export class UsageErrorGroup {
  @Field(() => String, { description: 'The service group.' })
  service!: string

  @Field(() => String, {
    description:
      'Method and path, with placeholders instead of ids: `GET /v1/contacts/{contact_id}`.',
  })
  endpoint!: string

  @Field(() => Int, { description: 'HTTP status.' })
  status!: number

  @Field(() => String, {
    nullable: true,
    description:
      'The code of their error; null for status 499, and where codes are not told apart.',
  })
  errorCode!: string | null

  @Field(() => Int, { description: 'The number of requests.' })
  requests!: number

  @Field(() => GraphQLISODateTime, { description: 'When the oldest of them arrived.' })
  firstAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the newest of them arrived.' })
  lastAt!: Date

  @Field(() => ID, { description: '`req_…` of the newest.' })
  lastRequestId!: string
}

@ObjectType({ description: 'The failed requests of a span of time, in groups.' })
export class UsageErrors {
  @Field(() => GraphQLISODateTime, { description: 'The span of time begins at this instant.' })
  from!: Date

  @Field(() => GraphQLISODateTime, { description: 'The span of time ends before this instant.' })
  to!: Date

  @Field(() => Boolean, {
    description: 'Whether all requests were counted; if not, only the newest 10,000 were.',
  })
  isComplete!: boolean

  @Field(() => [UsageErrorGroup], { description: 'The groups, the largest first.' })
  items!: UsageErrorGroup[]
}
