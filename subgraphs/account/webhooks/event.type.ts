import { GraphQLJSONObject } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from 'type-graphql'
import {
  isWebhookEventType,
  webhookEvents,
  webhookEventTypes,
  webhookPayloadExample,
} from '../../../schema/vocabulary/webhook-events.ts'
import type { NewEvent } from '../../shared/changes/events.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'

@ObjectType({ description: "An event that webhooks announce to an account's software." })
export class AccountEvent {
  @Field(() => ID, { description: '`evt_…`' })
  id!: string

  @Field(() => String, { description: 'What happened, such as `credits.low`.' })
  type!: string

  @Field(() => GraphQLJSONObject, { description: 'The message as receivers see it.' })
  data!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  createdAt!: Date
}

@ObjectType({ description: 'A type of event that webhooks send.' })
export class WebhookEventTypeDescription {
  @Field(() => String, { description: 'Its name, such as `credits.low`.' })
  type!: string

  @Field(() => String, { description: 'The occasion on which it is sent.' })
  description!: string

  @Field(() => Int, { description: 'The version of `data`.' })
  version!: number

  @Field(() => GraphQLJSONObject, { description: 'A complete message, as a receiver gets it.' })
  examplePayload!: Record<string, unknown>
}

@ObjectType({ description: 'All types of events that webhooks send.' })
export class WebhookEventTypeList {
  @Field(() => [WebhookEventTypeDescription], {
    description: 'The types, in the order of the documentation.',
  })
  items!: WebhookEventTypeDescription[]
}

/** The types of events from the vocabulary: the same for every account. */
export function describeEventTypes(): WebhookEventTypeList {
  const items = webhookEventTypes.map((type) => {
    const { description, version } = webhookEvents[type]
    return { type, description, version, examplePayload: webhookPayloadExample(type) }
  })
  return { items }
}

@InputType({ description: 'An event of an account, from another subgraph.' })
export class NewEventInput {
  @Field(() => ID, { description: '`evt_…`: an event is published once.' })
  id!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the account.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'What happened, such as `key.created`.' })
  type!: string

  @Field(() => GraphQLJSONObject, { description: 'The message as receivers see it.' })
  data!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  createdAt!: Date

  @Field(() => Boolean, {
    defaultValue: true,
    description: 'Whether people who chose its kind of notification get a mail.',
  })
  isMailed!: boolean
}

/** Throws INVALID_REQUEST for an unknown type of event. */
export function toNewEvent({ type, createdAt, ...event }: NewEventInput): NewEvent {
  if (isWebhookEventType(type)) return { ...event, type, createdAt: createdAt.toISOString() }
  throw invalidRequest([{ field: 'type', in: 'body', message: 'is no type of event' }])
}
