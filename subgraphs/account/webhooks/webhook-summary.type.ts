import { Field, Float, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'How webhooks are doing.' })
export class WebhookSummary {
  @Field(() => Int, { description: 'Registered endpoints.' })
  endpoints!: number

  @Field(() => Int, { description: 'Of those, the disabled ones: they get nothing.' })
  disabled!: number

  @Field(() => Float, {
    nullable: true,
    description:
      'Of what was tried to deliver in the last seven days, the share that has arrived, from 0 to 1; null: nothing was.',
  })
  deliveryRate!: number | null
}

@ObjectType({ description: 'Due deliveries of all accounts that no process has taken up.' })
export class WebhookQueue {
  @Field(() => Int, { description: 'Deliveries.' })
  waiting!: number

  @Field(() => Float, {
    description:
      'For how many seconds the oldest of them has been due whose endpoint works; 0: none has.',
  })
  oldestSeconds!: number
}
