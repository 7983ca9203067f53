import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
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
    disabled: { description: 'Nothing is sent, nor kept for it.' },
  },
})

@ObjectType({ description: 'Where events are sent.' })
export class WebhookEndpoint {
  @Field(() => ID, { description: '`whe_…`' })
  id!: string

  @Field(() => String, { description: 'Where to.' })
  url!: string

  @Field(() => [String], { description: 'Which types of events; none named means all.' })
  events!: string[]

  @Field(() => String, { nullable: true, description: 'In the words of its owner.' })
  description!: string | null

  @Field(() => WebhookEndpointStatus, { description: 'Whether anything is sent.' })
  status!: WebhookEndpointStatus

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The first failure since something has arrived; null: the last attempt did.',
  })
  failingSince!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it was created.' })
  createdAt!: Date
}

@ObjectType({ description: 'A new endpoint, and the only sight of its secret.' })
export class CreatedWebhookEndpoint extends WebhookEndpoint {
  @Field(() => String, { description: '`whsec_…`: what its messages are signed with.' })
  secret!: string
}

@ObjectType({ description: 'An endpoint, and the only sight of its new secret.' })
export class RotatedWebhookEndpoint extends CreatedWebhookEndpoint {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Until then messages are signed with the secret before too; null: not any more.',
  })
  previousSecretExpiresAt!: Date | null
}

@ObjectType({ description: 'A page of webhook endpoints, newest first.' })
export class WebhookEndpointPage {
  @Field(() => [WebhookEndpoint], { description: 'The endpoints of this page.' })
  items!: WebhookEndpoint[]

  @Field(() => String, { nullable: true, description: 'Null at the end.' })
  nextCursor!: string | null
}

@InputType({
  description: "A new endpoint of the caller's account, in the environment of the call.",
})
export class CreateWebhookEndpointInput {
  @Field(() => String, { description: 'Where to: https.' })
  url!: string

  @Field(() => [String], { description: 'Which types of events; none named means all.' })
  events!: string[]

  @Field(() => String, { nullable: true, description: 'At most 200 characters.' })
  description?: string | null
}

@InputType({ description: 'The changes of an endpoint; members left out stay as they are.' })
export class ChangeWebhookEndpointInput {
  @Field(() => String, { nullable: true, description: 'Where to: https.' })
  url?: string | null

  @Field(() => [String], {
    nullable: true,
    description: 'Which types of events; none named means all.',
  })
  events?: string[] | null

  @Field(() => String, { nullable: true, description: 'At most 200 characters; null: none.' })
  description?: string | null

  @Field(() => WebhookEndpointStatus, {
    nullable: true,
    description: 'Whether anything is sent. Enabled anew, it starts as one that never failed.',
  })
  status?: WebhookEndpointStatus | null
}
