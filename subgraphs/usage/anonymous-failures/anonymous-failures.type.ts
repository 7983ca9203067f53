import { GraphQLSafeInt } from 'graphql-scalars'
import { ArgsType, Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'

const clientDescription =
  'A v4 address; the /64 network of a v6 address; `unknown` if a proxy named no client; or `others`, ' +
  'once the hour has all its rows.'

@ObjectType({
  description: 'The refusals of unknown callers: those of one client in one hour.',
})
export class AnonymousFailures {
  @Field(() => GraphQLISODateTime, { description: 'When the hour began, UTC.' })
  hour!: Date

  @Field(() => EnvironmentValue, { description: 'The listener that refused them.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: clientDescription })
  client!: string

  @Field(() => String, { description: 'The code of the error, whatever the status was.' })
  result!: string

  @Field(() => GraphQLSafeInt, { description: 'The number of refusals.' })
  failures!: number

  @Field(() => GraphQLISODateTime, { description: 'When the first request arrived.' })
  firstAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the last request arrived.' })
  lastAt!: Date

  @Field(() => String, { description: 'The route of the last request, without ids.' })
  lastRoute!: string

  @Field(() => ID, { description: '`req_…` of the last request, as in `X-Request-Id`.' })
  lastRequestId!: string
}

@ObjectType({ description: 'A page of refused unknown callers, newest hour first.' })
export class AnonymousFailuresConnection extends connectionOf(AnonymousFailures) {}

/** A null filter has no effect. */
@ArgsType()
export class AnonymousFailuresFilter {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only hours that began at this instant or later.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only hours that began before this instant.',
  })
  to?: Date | null

  @Field(() => String, { nullable: true, description: clientDescription })
  client?: string | null
}

@InputType({ description: 'The refusals that one process has counted since its last report.' })
export class AnonymousFailuresInput {
  @Field(() => GraphQLISODateTime, { description: 'When the hour began, UTC.' })
  hour!: Date

  @Field(() => EnvironmentValue, { description: 'The listener that refused them.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: clientDescription })
  client!: string

  @Field(() => String, { description: 'The code of an error.' })
  result!: string

  @Field(() => GraphQLSafeInt, { description: 'The number of further refusals.' })
  failures!: number

  @Field(() => GraphQLISODateTime, { description: 'When the first request arrived.' })
  firstAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the last request arrived.' })
  lastAt!: Date

  @Field(() => String, { description: 'The route of the last request, without ids.' })
  lastRoute!: string

  @Field(() => ID, { description: '`req_…` of the last request.' })
  lastRequestId!: string
}
