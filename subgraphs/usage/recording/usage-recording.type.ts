import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, InputType, Int } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@InputType({
  description:
    'Usage-log entries in columns: lists of equal length, one item for each entry. Values that many ' +
    'entries have in common are there once, in five lists of another length. `operations` points at them.',
})
export class UsageBatchInput {
  @Field(() => [EnvironmentValue], { description: 'In common: which of the two logs.' })
  environments!: EnvironmentValue[]

  @Field(() => [String], { description: 'In common: the HTTP methods.' })
  methods!: string[]

  @Field(() => [String], {
    description:
      'In common: the routes, with their placeholders, as the API has them; `*` for others.',
  })
  routes!: string[]

  @Field(() => [String], { description: 'In common: the service groups.' })
  services!: string[]

  @Field(() => [String], { description: 'In common: the backend modules that handled requests.' })
  backendModules!: string[]

  @Field(() => [Int], {
    description: 'For each entry its place in the lists of what entries have in common, from 0.',
  })
  operations!: number[]

  @Field(() => [ID], { description: '`acct_…`' })
  accountIds!: string[]

  @Field(() => [ID], { description: '`req_…`; an entry is recorded once.' })
  requestIds!: string[]

  @Field(() => [GraphQLSafeInt], {
    description: 'When the request arrived: milliseconds since 1970.',
  })
  arrivedAtMs!: number[]

  @Field(() => [String], {
    nullable: 'items',
    description: 'Request path, without its query; null if it equals the route.',
  })
  endpoints!: (string | null)[]

  @Field(() => [Int], {
    description: 'HTTP statuses; 499: the client hung up before anything was done for it.',
  })
  statuses!: number[]

  @Field(() => [GraphQLSafeInt], { description: 'The credits that were charged.' })
  credits!: number[]

  @Field(() => [Int], { description: 'The time from the arrival of the request to its answer.' })
  latenciesMs!: number[]

  @Field(() => [String], { description: 'W3C trace ids.' })
  traceIds!: string[]

  @Field(() => [ID], { nullable: 'items', description: 'The keys that were used.' })
  keyIds!: (string | null)[]

  @Field(() => [ID], {
    nullable: 'itemsAndList',
    description: 'The apps whose tokens were used; null when no request had one.',
  })
  clientIds?: (string | null)[] | null

  @Field(() => [ID], {
    nullable: 'itemsAndList',
    description: 'The external ids of keys and apps; null when no request had one.',
  })
  externalIds?: (string | null)[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'The end users that requests named; null when no request named one.',
  })
  endUsers?: (string | null)[] | null

  @Field(() => [Boolean], {
    nullable: true,
    description: 'Whether a request came from the session of a browser; null when none did.',
  })
  isSession?: boolean[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'The codes of the failures; null when no request failed.',
  })
  errorCodes?: (string | null)[] | null

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'What is kept of failures beside their codes, as JSON; null when nothing is.',
  })
  errorDetails?: (string | null)[] | null
}
