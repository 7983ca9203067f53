import { GraphQLSafeInt } from 'graphql-scalars'
import {
  ArgsType,
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'

export enum UsageSource {
  key = 'key',
  token = 'token',
  session = 'session',
}

registerEnumType(UsageSource, {
  name: 'UsageSource',
  description: 'How a caller authenticated.',
  valuesConfig: {
    key: { description: 'By an API key.' },
    token: { description: 'By an access token of an app.' },
    session: {
      description:
        'By the session of a browser, for calls that are no product calls. Product calls of a session count as calls of a key.',
    },
  },
})

@ObjectType({ description: 'A field that a request failed by, without any word of the request.' })
export class UsageErrorField {
  @Field(() => String, {
    description:
      'Its name in the schema of the operation, with dots between levels; `?` if the schema has no such name.',
  })
  name!: string

  @Field(() => String, {
    description:
      'The keyword of JSON Schema that it failed by, such as `required`; `custom` for any other rule.',
  })
  rule!: string
}

@ObjectType({
  description:
    'What the log keeps of a failure beside its code: no value, and no text of a service.',
})
export class UsageErrorDetails {
  @Field(() => String, {
    nullable: true,
    description:
      'Who refused: `balance`, the layer of a budget (`key`, `consent`, `external_id` or `account`), `max_credits` of the call of a tool, or `module`; null where the code says it.',
  })
  layer!: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The limit of the budget that refused, or `max_credits`, in credits.',
  })
  limit!: number | null

  @Field(() => String, { nullable: true, description: 'The scope that the caller lacked.' })
  scope!: string | null

  @Field(() => [UsageErrorField], {
    description: 'The fields that did not fit, as many as there is room for.',
  })
  fields!: UsageErrorField[]
}

@ObjectType({ description: 'One authenticated request.' })
export class UsageLogEntry {
  @Field(() => ID, { description: '`req_…`, as in `X-Request-Id`.' })
  requestId!: string

  @Field(() => GraphQLISODateTime, { description: 'When the request arrived.' })
  ts!: Date

  @Field(() => String, { description: 'HTTP method.' })
  method!: string

  @Field(() => String, { description: 'Request path, without its query.' })
  endpoint!: string

  @Field(() => String, { description: 'Service group, such as `contacts` or `account`.' })
  service!: string

  @Field(() => Int, {
    description: 'The HTTP status; 499: the client hung up before anything was done for it.',
  })
  status!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits that were charged.' })
  credits!: number

  @Field(() => Int, { description: 'The time from the arrival of the request to its answer.' })
  latencyMs!: number

  @Field(() => String, { description: 'The W3C trace id.' })
  traceId!: string

  @Field(() => String, {
    description: 'What handled the request: a service, or a part of the gateway.',
  })
  backendModule!: string

  @Field(() => ID, {
    nullable: true,
    description:
      '`key_…`: the key that was used, or that has opened the session; null for an app and a person.',
  })
  keyId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: '`app_…`: the app whose access token was used; null for a key.',
  })
  clientId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The external id of the key at the time of the request; null without one.',
  })
  externalId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The `X-End-User` of the request; null without one.',
  })
  endUser!: string | null

  @Field(() => UsageSource, { description: 'How the caller authenticated.' })
  source!: UsageSource

  @Field(() => String, {
    nullable: true,
    description: 'The code of the error; null for a success, and for status 499.',
  })
  errorCode!: string | null

  @Field(() => UsageErrorDetails, {
    nullable: true,
    description: 'What is known of the failure beside its code; null where that is nothing.',
  })
  errorDetails!: UsageErrorDetails | null
}

@ObjectType({ description: 'A page of the usage log, newest first.' })
export class UsageLogPage {
  @Field(() => [UsageLogEntry], { description: 'The entries of this page.' })
  items!: UsageLogEntry[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page, an opaque text; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'A page of the usage log as internal tools see it, newest first.' })
export class UsageLogConnection extends connectionOf(UsageLogEntry) {}

@ArgsType()
export class UsageLogFilter {
  @Field(() => String, { nullable: true, description: 'Only requests to this service group.' })
  service?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'Only requests with a status of this first digit, 1 to 5.',
  })
  statusClass?: number | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The span of time begins at this instant.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The span of time ends before this instant.',
  })
  to?: Date | null

  @Field(() => ID, { nullable: true, description: 'Only this request.' })
  requestId?: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Only requests that cost at least so many credits.',
  })
  minCredits?: number | null

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

  @Field(() => String, {
    nullable: true,
    description: 'Only requests that sent this in `X-End-User`.',
  })
  endUser?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Only requests to this method and route, such as `POST /v1/contacts/search`.',
  })
  endpoint?: string | null

  @Field(() => String, { nullable: true, description: 'Only requests that failed with this code.' })
  errorCode?: string | null

  @Field(() => [UsageSource], {
    nullable: true,
    description: 'Only requests of these sources; without it, those of all sources.',
  })
  sources?: UsageSource[] | null
}

/** Requests of paths without a template are counted together. */
export const unknownRoute = '*'

@InputType({ description: 'A usage-log entry to record.' })
export class UsageLogEntryInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the log.' })
  environment!: EnvironmentValue

  @Field(() => ID, { description: '`req_…`; an entry is recorded once.' })
  requestId!: string

  @Field(() => GraphQLISODateTime, { description: 'When the request arrived.' })
  ts!: Date

  @Field(() => String, { description: 'HTTP method.' })
  method!: string

  @Field(() => String, { description: 'Request path, without its query.' })
  endpoint!: string

  @Field(() => String, {
    nullable: true,
    description: 'The route, with its placeholders: one of those of the API.',
  })
  route?: string | null

  @Field(() => String, { description: 'The service group.' })
  service!: string

  @Field(() => Int, {
    description: 'The HTTP status; 499: the client hung up before anything was done for it.',
  })
  status!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits that were charged.' })
  credits!: number

  @Field(() => Int, { description: 'The time from the arrival of the request to its answer.' })
  latencyMs!: number

  @Field(() => String, { description: 'The W3C trace id.' })
  traceId!: string

  @Field(() => String, {
    description: 'What handled the request: a service, or a part of the gateway.',
  })
  backendModule!: string

  @Field(() => ID, { nullable: true, description: 'The key that was used.' })
  keyId?: string | null

  @Field(() => ID, { nullable: true, description: 'The app whose token was used.' })
  clientId?: string | null

  @Field(() => ID, { nullable: true, description: 'The external id of the key at that time.' })
  externalId?: string | null

  @Field(() => String, { nullable: true, description: 'The end user that the request named.' })
  endUser?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the request came from the session of a browser.',
  })
  isSession?: boolean | null

  @Field(() => String, { nullable: true, description: 'The code of the failure.' })
  errorCode?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'What is kept of the failure beside its code, as JSON.',
  })
  errorDetails?: string | null
}
