import { GraphQLSafeInt } from 'graphql-scalars'
import { Directive, Field, Float, ID, ObjectType } from 'type-graphql'

@ObjectType({ description: 'The requests to one service.' })
export class ServiceUsage {
  @Field(() => String, { description: 'The service, as the usage log names it.' })
  service!: string

  @Field(() => GraphQLSafeInt, { description: 'Authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'Credits they consumed.' })
  credits!: number
}

@ObjectType({ description: 'Requests of a span of time.' })
export class UsageTotals {
  @Field(() => GraphQLSafeInt, { description: 'Authenticated requests.' })
  requests!: number

  @Field(() => GraphQLSafeInt, { description: 'Credits they consumed.' })
  credits!: number

  @Field(() => Float, {
    description: 'The share answered with a status below 400, from 0 to 1; 1 without requests.',
  })
  successRate!: number

  @Field(() => [ServiceUsage], { description: 'The same by service, in order of their names.' })
  byService!: ServiceUsage[]
}

@ObjectType({ description: 'How much was used. Days and months are those of UTC.' })
export class UsageSummary {
  @Field(() => UsageTotals, { description: 'Since the month began.' })
  monthToDate!: UsageTotals

  @Field(() => UsageTotals, { description: 'Since the day began.' })
  today!: UsageTotals
}

@Directive('@key(fields: "accountId")')
@ObjectType()
export class SandboxState {
  @Field(() => ID)
  accountId!: string

  @Field(() => GraphQLSafeInt, { description: 'Authenticated requests since the day began.' })
  requestsToday!: number

  @Field(() => GraphQLSafeInt, { description: 'Authenticated requests since the month began.' })
  requestsThisMonth!: number

  @Field(() => Float, {
    description:
      'The share of this month answered with a status below 400, from 0 to 1; 1 without requests.',
  })
  successRate!: number
}
