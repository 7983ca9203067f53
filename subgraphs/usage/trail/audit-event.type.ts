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
        'An internal tool; the actor id is the `jti` of its token, or `cli` on the command line.',
    },
    system: { description: 'The gateway itself, by a job.' },
    anonymous: {
      description: 'A client that sent no known credential; the actor id says no more.',
    },
    session: {
      description:
        'A person whom a portal link has signed in; the actor id is what the link says. A session that a key has opened counts as the key.',
    },
  },
})

@ObjectType({ description: 'One change, or the refusal of one: who, what, when, from where.' })
export class AuditEvent {
  @Field(() => ID, { description: '`aud_…`' })
  id!: string

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  occurredAt!: Date

  @Field(() => AuditActorKind, { description: 'The kind of actor.' })
  actorKind!: AuditActorKind

  @Field(() => ID, { description: 'The key, token, OAuth client or job.' })
  actorId!: string

  @Field(() => String, { nullable: true, description: 'The role of an internal token.' })
  actorRole!: string | null

  @Field(() => String, { description: 'The action, such as `subscription.cancel`.' })
  action!: string

  @Field(() => ID, { nullable: true, description: 'The object of the action.' })
  resourceId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Of the client, as far as trusted proxies tell; null for the gateway itself.',
  })
  address!: string | null

  @Field(() => ID, { nullable: true, description: '`req_…`, as in `X-Request-Id`.' })
  requestId!: string | null

  @Field(() => String, { nullable: true, description: 'W3C trace id.' })
  traceId!: string | null

  @Field(() => String, { description: '`succeeded`, or the code of the error.' })
  result!: string

  @Field(() => GraphQLJSONObject, { description: 'Further details of the action; no secrets.' })
  details!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When it reached the audit trail.' })
  recordedAt!: Date

  @Field(() => GraphQLSafeInt, {
    description: 'Its number in the chain of its account and environment: 1, 2, 3.',
  })
  seq!: number

  @Field(() => String, {
    description:
      'SHA-256 over the event and the hash before, as it is stored: 64 hexadecimal digits.',
  })
  hash!: string
}

@ObjectType({ description: 'A page of the audit trail, newest first.' })
export class AuditEventConnection extends connectionOf(AuditEvent) {}

@ObjectType({ description: 'A page of the audit trail as its account sees it, newest first.' })
export class AuditEventPage {
  @Field(() => [AuditEvent], {
    description: 'Of internal tools neither the token nor the address is shown.',
  })
  items!: AuditEvent[]

  @Field(() => String, { nullable: true, description: 'Null on the last page.' })
  nextCursor!: string | null
}

/** A null filter has no effect. */
@ArgsType()
export class AuditEventFilter {
  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Occurred then or later.' })
  from?: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Occurred before.' })
  to?: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'The id of an actor; `internal`: any internal tool.',
  })
  actor?: string | null

  @Field(() => String, { nullable: true, description: 'Such as `subscription.cancel`.' })
  action?: string | null

  @Field(() => String, { nullable: true, description: 'The id of what it was done to.' })
  resourceId?: string | null

  @Field(() => String, { nullable: true, description: '`succeeded`, or the code of an error.' })
  result?: string | null
}

@InputType({ description: 'An event to record; an empty text is taken for null.' })
export class AuditEventInput {
  @Field(() => ID, { description: '`aud_…`; an event is recorded once.' })
  id!: string

  @Field(() => ID, { nullable: true, description: '`acct_…`; null when it is about none.' })
  accountId?: string | null

  @Field(() => EnvironmentValue, { description: 'Whose state: live, or the play copy.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  occurredAt!: Date

  @Field(() => AuditActorKind, { description: 'The kind of actor.' })
  actorKind!: AuditActorKind

  @Field(() => ID, { description: 'The key, token, OAuth client or job.' })
  actorId!: string

  @Field(() => String, {
    nullable: true,
    description: 'The role of the token of an internal actor; others have none.',
  })
  actorRole?: string | null

  @Field(() => String, { description: 'Words of a-z and `_`, joined by dots.' })
  action!: string

  @Field(() => ID, { nullable: true, description: 'The object of the action.' })
  resourceId?: string | null

  @Field(() => String, { nullable: true, description: 'Of the client.' })
  address?: string | null

  @Field(() => ID, { nullable: true, description: '`req_…`' })
  requestId?: string | null

  @Field(() => String, { nullable: true, description: 'W3C trace id.' })
  traceId?: string | null

  @Field(() => String, { description: '`succeeded`, or the code of the error.' })
  result!: string

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Further details of the action, at most 8 KiB of JSON; no secrets.',
  })
  details?: Record<string, unknown> | null
}
