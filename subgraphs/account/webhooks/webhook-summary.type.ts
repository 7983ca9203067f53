import { Field, Float, Int, ObjectType } from 'type-graphql'

/** Today in UTC, and the six days before. */
export const summaryDays = 7

@ObjectType({ description: 'Figures about webhooks.' })
export class WebhookSummary {
  @Field(() => Int, { description: 'The number of registered endpoints.' })
  endpoints!: number

  @Field(() => Int, { description: 'The number of disabled endpoints; nothing is sent to them.' })
  disabled!: number

  @Field(() => Float, {
    nullable: true,
    description:
      'The share of the deliveries of the last seven days that arrived, from 0 to 1; null without deliveries.',
  })
  deliveryRate!: number | null
}

@ObjectType({
  description: 'The deliveries of all accounts that are due and that no process is sending.',
})
export class WebhookQueue {
  @Field(() => Int, { description: 'The number of deliveries.' })
  waiting!: number

  @Field(() => Float, {
    description:
      'For how many seconds the oldest of them has been due. Those to failing endpoints do not count; 0 if there is none.',
  })
  oldestSeconds!: number
}
