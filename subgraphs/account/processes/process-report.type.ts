import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars'
import { Field, Float, GraphQLISODateTime, ID, InputType, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A live backend module, as one process sees it.' })
export class ModuleState {
  @Field(() => String, { description: 'The name of the module.' })
  name!: string

  @Field(() => Boolean, { description: 'Whether its breaker is open: calls of it are refused.' })
  isBreakerOpen!: boolean

  @Field(() => GraphQLSafeInt, {
    description: 'The calls since the report before, 15 seconds ago.',
  })
  calls!: number

  @Field(() => GraphQLSafeInt, {
    description: 'Those of them that failed, timed out, or were not sent.',
  })
  failures!: number

  @Field(() => Float, {
    nullable: true,
    description: 'The mean time of those that were sent, in milliseconds; null without any.',
  })
  meanMs!: number | null
}

@ObjectType({ description: 'A queue that has something due.' })
export class QueueState {
  @Field(() => String, { description: 'The operation of the jobs, or `webhooks` or `mails`.' })
  name!: string

  @Field(() => GraphQLSafeInt, { description: 'How many are due and not taken up.' })
  waiting!: number

  @Field(() => Float, { description: 'For how many seconds the oldest of them has been due.' })
  oldestSeconds!: number
}

@ObjectType({ description: 'The books, as a process found them.' })
export class BooksState {
  @Field(() => GraphQLSafeInt, {
    description: 'Balances and charges that differ; anything but 0 is an alarm.',
  })
  drifts!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When they were last compared; null: not by this process yet.',
  })
  comparedAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When this process last found a digest of the day in its place; null: not yet, or digests have no place.',
  })
  digestAt!: Date | null

  @Field(() => Float, {
    description: 'For how many seconds the digest of the day has been missing.',
  })
  digestOverdueSeconds!: number
}

@ObjectType({ description: 'A process of the gateway, by its last report.' })
export class GatewayProcess {
  @Field(() => ID, { description: '`proc_…`' })
  id!: string

  @Field(() => String, { description: 'Its role.' })
  role!: string

  @Field(() => String, { description: 'The version of the gateway that it runs.' })
  version!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was started.' })
  startedAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it last reported.' })
  seenAt!: Date

  @Field(() => GraphQLSafeInt, {
    description: 'The requests that it refused for overload since the report before.',
  })
  overloadRefusals!: number

  @Field(() => [ModuleState], { description: 'The live modules that it calls.' })
  modules!: ModuleState[]

  @Field(() => [QueueState], { description: 'What is due, of all processes; workers alone know.' })
  queues!: QueueState[]

  @Field(() => Int, {
    nullable: true,
    description: 'Jobs that failed too often, of all processes; null: the process runs no jobs.',
  })
  deadJobs!: number | null

  @Field(() => BooksState, { nullable: true, description: 'Null: the process compares no books.' })
  books!: BooksState | null
}

@InputType({ description: 'What a process knows of itself.' })
export class ProcessReportInput {
  @Field(() => ID, { description: '`proc_…`' })
  id!: string

  @Field(() => String, { description: 'Its role.' })
  role!: string

  @Field(() => String, { description: 'The version of the gateway that it runs.' })
  version!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was started.' })
  startedAt!: Date

  @Field(() => GraphQLJSONObject, { description: 'The other members of a `GatewayProcess`.' })
  report!: object
}
