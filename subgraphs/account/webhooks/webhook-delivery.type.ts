import { GraphQLJSONObject } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

export enum WebhookDeliveryStatus {
  pending = 'pending',
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(WebhookDeliveryStatus, {
  name: 'WebhookDeliveryStatus',
  description:
    'The state of a delivery. Attempts are made until the message arrives or the schedule ends.',
  valuesConfig: {
    pending: { description: 'The message has not arrived yet; further attempts follow.' },
    succeeded: { description: 'The receiver answered with 2xx.' },
    failed: { description: 'All attempts of the schedule failed; it can be sent again.' },
  },
})

@ObjectType({ description: 'One attempt to deliver an event.' })
export class WebhookAttempt {
  @Field(() => GraphQLISODateTime, { description: 'When it began.' })
  attemptedAt!: Date

  @Field(() => Int, {
    nullable: true,
    description: 'The HTTP status of the receiver; null: it did not answer.',
  })
  statusCode!: number | null

  @Field(() => Int, { description: 'The duration of the attempt.' })
  latencyMs!: number

  @Field(() => String, {
    nullable: true,
    description:
      'The reason of the failure, such as `http 503` or `timeout`; null: the message arrived.',
  })
  failure!: string | null

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'The headers of the request, without its signature; null: no connection was there to send them on.',
  })
  requestHeaders?: Readonly<Record<string, string>> | null

  @Field(() => String, {
    nullable: true,
    description:
      'The first KiB of the answer as text, without control characters; null: there was none, it came from this machine or more than 7 days ago, or the caller lacks `webhooks:write`.',
  })
  responseText!: string | null
}

@ObjectType({ description: 'The delivery of an event to one endpoint.' })
export class WebhookDelivery {
  @Field(() => ID, { description: '`whd_…`' })
  id!: string

  @Field(() => ID, { description: '`evt_…`: the `webhook-id` of every attempt.' })
  eventId!: string

  @Field(() => String, { description: 'What happened, such as `credits.low`.' })
  eventType!: string

  @Field(() => WebhookDeliveryStatus, { description: 'Whether the message has arrived.' })
  status!: WebhookDeliveryStatus

  @Field(() => Int, { description: 'The number of attempts.' })
  attemptCount!: number

  @Field(() => [WebhookAttempt], { description: 'The newest 20 attempts, newest first.' })
  attempts!: WebhookAttempt[]

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When the next attempt is made; null: none is planned, or the endpoint is disabled.',
  })
  nextAttemptAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When the delivery was queued.' })
  createdAt!: Date

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The body that every attempt sends; null once the event is deleted.',
  })
  payload!: Record<string, unknown> | null
}

@ObjectType({ description: 'A page of deliveries, newest first.' })
export class WebhookDeliveryPage {
  @Field(() => [WebhookDelivery], { description: 'The deliveries of this page.' })
  items!: WebhookDelivery[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'A delivery of an event, without its attempts.' })
export class DeliveryOfEvent {
  @Field(() => ID, { description: '`whd_…`' })
  id!: string

  @Field(() => ID, { description: '`whe_…`' })
  endpointId!: string

  @Field(() => WebhookDeliveryStatus, { description: 'Whether the message has arrived.' })
  status!: WebhookDeliveryStatus
}

@ObjectType({ description: 'Something that happened, and the endpoints that are told of it.' })
export class WebhookEvent {
  @Field(() => ID, { description: '`evt_…`: the `webhook-id` of every attempt.' })
  id!: string

  @Field(() => String, { description: 'What happened, such as `credits.low`.' })
  type!: string

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  createdAt!: Date

  @Field(() => [DeliveryOfEvent], { description: 'At most 20, newest first.' })
  deliveries!: DeliveryOfEvent[]
}

@InputType({ description: 'The deliveries of one endpoint that are sent again.' })
export class ResendWebhookDeliveriesInput {
  @Field(() => ID, { description: '`whe_…`' })
  endpointId!: string

  @Field(() => GraphQLISODateTime, {
    description: 'Only deliveries that were queued at this instant or later.',
  })
  from!: Date

  @Field(() => GraphQLISODateTime, {
    description: 'Only deliveries that were queued before this instant.',
  })
  to!: Date

  @Field(() => WebhookDeliveryStatus, {
    nullable: true,
    description: 'Only deliveries in this state; without it, all.',
  })
  status?: WebhookDeliveryStatus | null
}

@ObjectType({ description: 'The deliveries that are sent again.' })
export class ResentWebhookDeliveries {
  @Field(() => Int, {
    description:
      'The number of deliveries that match at this moment. All of them are sent again, soon after the answer.',
  })
  deliveries!: number
}
