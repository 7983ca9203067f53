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
  description: 'Tried until it has arrived or the schedule is over.',
  valuesConfig: {
    pending: { description: 'Not arrived yet; it is tried again.' },
    succeeded: { description: 'The receiver answered 2xx.' },
    failed: { description: 'No attempt of the schedule succeeded; it can be sent again.' },
  },
})

@ObjectType({ description: 'One attempt to deliver an event.' })
export class WebhookAttempt {
  @Field(() => GraphQLISODateTime, { description: 'When it began.' })
  attemptedAt!: Date

  @Field(() => Int, { nullable: true, description: "The receiver's; null: it did not answer." })
  statusCode!: number | null

  @Field(() => Int, { description: 'How long it took.' })
  latencyMs!: number

  @Field(() => String, {
    nullable: true,
    description: 'Such as `http 503` or `timeout`; null: it has arrived.',
  })
  failure!: string | null
}

@ObjectType({ description: 'An event on its way to one endpoint.' })
export class WebhookDelivery {
  @Field(() => ID, { description: '`whd_…`' })
  id!: string

  @Field(() => ID, { description: '`evt_…`: `webhook-id` of every attempt.' })
  eventId!: string

  @Field(() => String, { description: 'What happened, such as `credits.low`.' })
  eventType!: string

  @Field(() => WebhookDeliveryStatus, { description: 'Whether it has arrived.' })
  status!: WebhookDeliveryStatus

  @Field(() => Int, { description: 'How many attempts there were.' })
  attemptCount!: number

  @Field(() => [WebhookAttempt], { description: 'The newest 20 attempts, newest first.' })
  attempts!: WebhookAttempt[]

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When it is tried next; null: not any more, or not while the endpoint is disabled.',
  })
  nextAttemptAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it was queued.' })
  createdAt!: Date

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The body of every attempt; null once the event is deleted.',
  })
  payload!: Record<string, unknown> | null
}

@ObjectType({ description: 'A page of deliveries, newest first.' })
export class WebhookDeliveryPage {
  @Field(() => [WebhookDelivery], { description: 'The deliveries of this page.' })
  items!: WebhookDelivery[]

  @Field(() => String, { nullable: true, description: 'Null at the end.' })
  nextCursor!: string | null
}

@InputType({ description: 'Which deliveries to one endpoint are sent again.' })
export class ResendWebhookDeliveriesInput {
  @Field(() => ID, { description: '`whe_…`' })
  endpointId!: string

  @Field(() => GraphQLISODateTime, { description: 'Queued then or later.' })
  from!: Date

  @Field(() => GraphQLISODateTime, { description: 'Queued before.' })
  to!: Date

  @Field(() => WebhookDeliveryStatus, {
    nullable: true,
    description: 'Only deliveries of this status; all without it.',
  })
  status?: WebhookDeliveryStatus | null
}

@ObjectType({ description: 'The deliveries that are sent again.' })
export class ResentWebhookDeliveries {
  @Field(() => Int, { description: 'How many deliveries: all that fit.' })
  deliveries!: number
}
