import { GraphQLJSONObject } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { isWebhookEventType } from '../../../schema/vocabulary/webhook-events.ts'
import type { NewEvent } from '../../shared/changes/events.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'

@ObjectType({ description: "What an account's software is told of." })
export class AccountEvent {
  @Field(() => ID, { description: '`evt_…`' })
  id!: string

  @Field(() => String, { description: 'What happened, such as `credits.low`.' })
  type!: string

  @Field(() => GraphQLJSONObject, { description: 'As its receivers see it.' })
  data!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  createdAt!: Date
}

@InputType({ description: 'What happened to an account in another subgraph.' })
export class NewEventInput {
  @Field(() => ID, { description: '`evt_…`: it counts once.' })
  id!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'In which of its two states.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'What happened, such as `key.created`.' })
  type!: string

  @Field(() => GraphQLJSONObject, { description: 'As its receivers see it.' })
  data!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  createdAt!: Date
}

/** Throws INVALID_REQUEST for an unknown type of event. */
export function toNewEvent({ type, createdAt, ...event }: NewEventInput): NewEvent {
  if (isWebhookEventType(type)) return { ...event, type, createdAt: createdAt.toISOString() }
  throw invalidRequest([{ field: 'type', in: 'body', message: 'is no type of event' }])
}
