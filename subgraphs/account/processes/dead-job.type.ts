import { GraphQLJSONObject } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from 'type-graphql'
import { ActInput } from '../../shared/changes/act.ts'

@ObjectType({ description: 'A job that failed too often and waits for an operator.' })
export class DeadJob {
  @Field(() => ID, { description: 'The id of the job.' })
  id!: string

  @Field(() => String, { description: 'The operation that it runs.' })
  operation!: string

  @Field(() => GraphQLJSONObject, {
    description: 'The ids and instants among its variables; nothing else of them.',
  })
  subject!: object

  @Field(() => String, { description: 'Why its last attempt failed.' })
  reason!: string

  @Field(() => GraphQLISODateTime, { description: 'When its last attempt failed.' })
  failedAt!: Date
}

@InputType({ description: 'Jobs that failed too often; all of them unless something is named.' })
export class RetryJobsInput extends ActInput {
  @Field(() => ID, { nullable: true, description: 'Only this job.' })
  id?: string | null

  @Field(() => String, { nullable: true, description: 'Only jobs of this operation.' })
  operation?: string | null
}

@ObjectType({ description: 'How many jobs are tried again.' })
export class RetriedJobs {
  @Field(() => Int, { description: 'The number of jobs that are tried again.' })
  retried!: number

  @Field(() => Int, { description: 'The number of dead jobs before, of all operations.' })
  deadBefore!: number

  @Field(() => Int, { description: 'The number of dead jobs after.' })
  deadAfter!: number
}
