import { GraphQLSafeInt } from 'graphql-scalars'
import { ArgsType, Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'

const clientDescription =
  'A v4 address, the /64 network of a v6 one, `unknown` where a proxy named none, or `others`: ' +
  'those that came when the hour had its rows.'

@ObjectType({
  description: 'How often callers that nobody knows were refused: of one client, in one hour.',
})
export class AnonymousFailures {
  @Field(() => GraphQLISODateTime, { description: 'When the hour began, UTC.' })
  hour!: Date

  @Field(() => EnvironmentValue, { description: 'By which listener.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: clientDescription })
  client!: string

  @Field(() => String, { description: 'The code of the error, whatever the status was.' })
  result!: string

  @Field(() => GraphQLSafeInt, { description: 'How many.' })
  failures!: number

  @Field(() => GraphQLISODateTime, { description: 'When the first came.' })
  firstAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the last came.' })
  lastAt!: Date

  @Field(() => String, { description: 'The route of the last one, without ids.' })
  lastRoute!: string

  @Field(() => ID, { description: '`req_…` of the last, as in `X-Request-Id`.' })
  lastRequestId!: string
}

@ObjectType({ description: 'A page of refused strangers, newest hour first.' })
export class AnonymousFailuresConnection extends connectionOf(AnonymousFailures) {}

/** A null filter has no effect. */
@ArgsType()
export class AnonymousFailuresFilter {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Hours that began then or later.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Hours that began before.' })
  to?: Date | null

  @Field(() => String, { nullable: true, description: clientDescription })
  client?: string | null
}

@InputType({ description: 'The failures that one process has counted since its last report.' })
export class AnonymousFailuresInput {
  @Field(() => GraphQLISODateTime, { description: 'When the hour began, UTC.' })
  hour!: Date

  @Field(() => EnvironmentValue, { description: 'By which listener.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: clientDescription })
  client!: string

  @Field(() => String, { description: 'The code of an error.' })
  result!: string

  @Field(() => GraphQLSafeInt, { description: 'How many more.' })
  failures!: number

  @Field(() => GraphQLISODateTime, { description: 'When the first came.' })
  firstAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the last came.' })
  lastAt!: Date

  @Field(() => String, { description: 'The route of the last one, without ids.' })
  lastRoute!: string

  @Field(() => ID, { description: '`req_…` of the last.' })
  lastRequestId!: string
}
