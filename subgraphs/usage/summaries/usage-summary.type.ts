import { GraphQLSafeInt } from 'graphql-scalars'
import { Directive, Field, Float, ID, ObjectType } from 'type-graphql'

@ObjectType({ description: 'The requests to one service.' })
export class ServiceUsage {
  @Field(() => String, { description: 'The service, as the usage log names it.' })
  service!: string

  @Field(() => GraphQLSafeInt, { description: 'The number of authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits that they cost.' })
  credits!: number
}

@ObjectType({ description: 'The requests of a span of time.' })
export class UsageTotals {
  @Field(() => GraphQLSafeInt, { description: 'The number of authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits that they cost.' })
  credits!: number

  @Field(() => Float, {
    description:
      'The share of the requests that were answered with a status below 400, from 0 to 1; 1 without requests.',
  })
  successRate!: number

  @Field(() => [ServiceUsage], { description: 'The use of each service, in order of their names.' })
  byService!: ServiceUsage[]
}

@ObjectType({ description: 'The use of the API. Days and months are those of UTC.' })
export class UsageSummary {
  @Field(() => UsageTotals, { description: 'The use since the month began.' })
  monthToDate!: UsageTotals

  @Field(() => UsageTotals, { description: 'The use since the day began.' })
  today!: UsageTotals
}

@Directive('@key(fields: "accountId")')
@ObjectType()
export class SandboxState {
  @Field(() => ID)
  accountId!: string

  @Field(() => GraphQLSafeInt, {
    description: 'The number of authenticated requests since the day began.',
  })
  requestsToday!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The number of authenticated requests since the month began.',
  })
  requestsThisMonth!: number

  @Field(() => Float, {
    description:
      "The share of this month's requests that were answered with a status below 400, from 0 to 1; 1 without requests.",
  })
  successRate!: number
}
