import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars'
import {
  ArgsType,
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'

export enum AuditActorKind {
  key = 'key',
  oauth_client = 'oauth_client',
  internal = 'internal',
  system = 'system',
  anonymous = 'anonymous',
  session = 'session',
}

registerEnumType(AuditActorKind, {
  name: 'AuditActorKind',
  description: 'The kind of actor that made a change.',
  valuesConfig: {
    key: { description: 'An API key; the actor id is `key_…`.' },
    oauth_client: { description: 'An OAuth app, by an access token; the actor id is its client.' },
    internal: {
      description:
        'An internal tool; the actor id is the name of the operator, or else the `jti` of its token, or `cli` on the command line.',
    },
    system: { description: 'The gateway itself, by a job.' },
    anonymous: {
      description: 'A client without a known credential; the actor id names nobody.',
    },
    session: {
      description:
        'A person that a portal link signed in; the actor id is the name in the link. A session that a key opened counts as the key.',
    },
  },
})

@ObjectType({
  description: 'One change, or the refusal of one: its actor, action, object, time and origin.',
})
export class AuditEvent {
  @Field(() => ID, { description: '`aud_…`' })
  id!: string

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  occurredAt!: Date

  @Field(() => AuditActorKind, { description: 'The kind of actor.' })
  actorKind!: AuditActorKind

  @Field(() => ID, { description: 'The id of the key, token, OAuth client or job.' })
  actorId!: string

  @Field(() => String, { nullable: true, description: 'The role of an internal token.' })
  actorRole!: string | null

  @Field(() => String, { description: 'The action, such as `subscription.cancel`.' })
  action!: string

  @Field(() => ID, { nullable: true, description: 'The object of the action.' })
  resourceId!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The address of the client, as far as trusted proxies report it; null for the gateway itself.',
  })
  address!: string | null

  @Field(() => ID, { nullable: true, description: '`req_…`, as in `X-Request-Id`.' })
  requestId!: string | null

  @Field(() => String, { nullable: true, description: 'The W3C trace id.' })
  traceId!: string | null

  @Field(() => String, { description: '`succeeded`, or the code of the error.' })
  result!: string

  @Field(() => GraphQLJSONObject, { description: 'Further details of the action; no secrets.' })
  details!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When the event reached the audit trail.' })
  recordedAt!: Date

  @Field(() => GraphQLSafeInt, {
    description: 'Its number in the chain of its account and environment: 1, 2, 3.',
  })
  seq!: number

  @Field(() => String, {
    description:
      'SHA-256 over the event, as it is stored, and the hash of the previous event: 64 hexadecimal digits.',
  })
  hash!: string
}

@ObjectType({ description: 'A page of the audit trail, newest first.' })
export class AuditEventConnection extends connectionOf(AuditEvent) {}

@ObjectType({ description: 'A page of the audit trail as its account sees it, newest first.' })
export class AuditEventPage {
  @Field(() => [AuditEvent], {
    description: 'The token and the address of an internal tool are not shown.',
  })
  items!: AuditEvent[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

/** A null filter has no effect. */
@ArgsType()
export class AuditEventFilter {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only what occurred at this instant or later.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only what occurred before this instant.',
  })
  to?: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'The id of an actor; `internal` stands for any internal tool.',
  })
  actor?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of an action, such as `subscription.cancel`.',
  })
  action?: string | null

  @Field(() => String, { nullable: true, description: 'The id of the object of the action.' })
  resourceId?: string | null

  @Field(() => String, { nullable: true, description: '`succeeded`, or the code of an error.' })
  result?: string | null
}

@InputType({ description: 'An event to record. An empty text counts as null.' })
export class AuditEventInput {
  @Field(() => ID, { description: '`aud_…`; an event is recorded once.' })
  id!: string

  @Field(() => ID, {
    nullable: true,
    description: '`acct_…`; null for an event without an account.',
  })
  accountId?: string | null

  @Field(() => EnvironmentValue, { description: 'The environment of the event.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  occurredAt!: Date

  @Field(() => AuditActorKind, { description: 'The kind of actor.' })
  actorKind!: AuditActorKind

  @Field(() => ID, { description: 'The id of the key, token, OAuth client or job.' })
  actorId!: string

  @Field(() => String, {
    nullable: true,
    description: 'The role of the token of an internal tool; other actors have none.',
  })
  actorRole?: string | null

  @Field(() => String, { description: 'Words of a-z and `_`, joined by dots.' })
  action!: string

  @Field(() => ID, { nullable: true, description: 'The object of the action.' })
  resourceId?: string | null

  @Field(() => String, { nullable: true, description: 'The address of the client.' })
  address?: string | null

  @Field(() => ID, { nullable: true, description: '`req_…`' })
  requestId?: string | null

  @Field(() => String, { nullable: true, description: 'The W3C trace id.' })
  traceId?: string | null

  @Field(() => String, { description: '`succeeded`, or the code of the error.' })
  result!: string

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Further details of the action, at most 8 KiB of JSON; no secrets.',
  })
  details?: Record<string, unknown> | null
}
