import { Field, Float, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'How webhooks are doing.' })
export class WebhookSummary {
  @Field(() => Int, { description: 'Registered endpoints.' })
  endpoints!: number

  @Field(() => Float, {
    nullable: true,
    description: 'The share of deliveries that arrived, from 0 to 1; null without deliveries.',
  })
  deliveryRate!: number | null
}
