import { ArgsType, Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'

@ArgsType()
export class UsageErrorsFilter {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Not before this instant; 7 days before the end.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Before this instant; now.' })
  to?: Date | null

  @Field(() => String, { nullable: true, description: 'Only this service group.' })
  service?: string | null

  @Field(() => Int, { nullable: true, description: 'Only statuses with this first digit: 4 or 5.' })
  statusClass?: number | null

  @Field(() => ID, { nullable: true, description: 'Only requests with this key.' })
  keyId?: string | null

  @Field(() => ID, { nullable: true, description: 'Only requests with a token of this app.' })
  clientId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Only requests whose key had this external id at the time.',
  })
  externalId?: string | null
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

  @Field(() => Int, { description: 'How many there were.' })
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
  @Field(() => GraphQLISODateTime, { description: 'Not before this instant.' })
  from!: Date

  @Field(() => GraphQLISODateTime, { description: 'Before this instant.' })
  to!: Date

  @Field(() => Boolean, {
    description: 'Whether all were counted; otherwise the newest 10,000.',
  })
  isComplete!: boolean

  @Field(() => [UsageErrorGroup], { description: 'The largest first.' })
  items!: UsageErrorGroup[]
}
