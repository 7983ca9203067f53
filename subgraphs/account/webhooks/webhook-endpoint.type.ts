import {
  Field,
  Float,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

export enum WebhookEndpointStatus {
  enabled = 'enabled',
  disabled = 'disabled',
}

registerEnumType(WebhookEndpointStatus, {
  name: 'WebhookEndpointStatus',
  description: 'Whether events are sent to an endpoint.',
  valuesConfig: {
    enabled: { description: 'Events are sent.' },
    disabled: { description: 'Nothing is sent, and nothing is kept to be sent later.' },
  },
})

@ObjectType({ description: 'The deliveries of an endpoint that were queued on one day.' })
export class WebhookDay {
  @Field(() => String, { description: 'The day in UTC: `2026-11-29`.' })
  day!: string

  @Field(() => Int, { description: 'The number of deliveries that were tried.' })
  tried!: number

  @Field(() => Int, { description: 'The number of them that arrived, with any attempt.' })
  arrived!: number
}

@ObjectType({ description: 'An endpoint that events are sent to.' })
export class WebhookEndpoint {
  @Field(() => ID, { description: '`whe_…`' })
  id!: string

  @Field(() => String, { description: 'The URL that messages are sent to.' })
  url!: string

  @Field(() => [String], {
    description: 'The types of events that are sent; all types if none is named.',
  })
  events!: string[]

  @Field(() => String, { nullable: true, description: 'A description by the owner.' })
  description!: string | null

  @Field(() => WebhookEndpointStatus, { description: 'Whether messages are sent to the endpoint.' })
  status!: WebhookEndpointStatus

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'The time of the first failure since the last message that arrived; null if the last attempt succeeded.',
  })
  failingSince!: Date | null

  @Field(() => [WebhookDay], {
    description:
      'Its deliveries of today and the six days before, in UTC, oldest first; days without any are missing.',
  })
  deliveryDays!: WebhookDay[]

  @Field(() => Float, {
    nullable: true,
    description:
      'The share of these deliveries that arrived, with any attempt, from 0 to 1; null: nothing was tried.',
  })
  deliveryRate!: number | null

  @Field(() => GraphQLISODateTime, { description: 'When it was created.' })
  createdAt!: Date
}

@ObjectType({ description: 'A new endpoint, with its secret, which is shown only here.' })
export class CreatedWebhookEndpoint extends WebhookEndpoint {
  @Field(() => String, { description: '`whsec_…`: the secret that signs the messages.' })
  secret!: string
}

@ObjectType({ description: 'An endpoint, with its new secret, which is shown only here.' })
export class RotatedWebhookEndpoint extends CreatedWebhookEndpoint {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'Until when messages are also signed with the previous secret; null: only the new secret signs.',
  })
  previousSecretExpiresAt!: Date | null
}

@ObjectType({ description: 'A page of webhook endpoints, newest first.' })
export class WebhookEndpointPage {
  @Field(() => [WebhookEndpoint], { description: 'The endpoints of this page.' })
  items!: WebhookEndpoint[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@InputType({
  description: "A new endpoint of the caller's account, in the environment of the call.",
})
export class CreateWebhookEndpointInput {
  @Field(() => String, {
    description: 'The URL that messages are sent to: https; a trial may take http on loopback.',
  })
  url!: string

  @Field(() => [String], {
    description: 'The types of events that are sent; all types if none is named.',
  })
  events!: string[]

  @Field(() => String, { nullable: true, description: 'At most 200 characters.' })
  description?: string | null
}

@InputType({ description: 'The changes of an endpoint; members left out stay as they are.' })
export class ChangeWebhookEndpointInput {
  @Field(() => String, {
    nullable: true,
    description: 'The URL that messages are sent to: https; a trial may take http on loopback.',
  })
  url?: string | null

  @Field(() => [String], {
    nullable: true,
    description: 'The types of events that are sent; all types if none is named.',
  })
  events?: string[] | null

  @Field(() => String, { nullable: true, description: 'At most 200 characters; null: none.' })
  description?: string | null

  @Field(() => WebhookEndpointStatus, {
    nullable: true,
    description:
      'Whether messages are sent. An endpoint that is enabled again counts as one that never failed.',
  })
  status?: WebhookEndpointStatus | null
}
