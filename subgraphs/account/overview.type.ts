import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { Account } from './account.type.ts'
import { Addons } from './addon.type.ts'
import { Subscription } from './subscription.type.ts'

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

@Directive('@key(fields: "accountId")')
@ObjectType({ description: 'Everything about an account at one glance.' })
export class Overview {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => Account, { description: 'The account.' })
  account!: Account

  @Field(() => Subscription, {
    nullable: true,
    description: 'Its subscription, if ever it had one.',
  })
  subscription!: Subscription | null

  @Field(() => Addons, { description: 'Its add-ons.' })
  addons!: Addons

  @Field(() => WebhookSummary, { description: 'Its webhooks.' })
  webhooks!: WebhookSummary
}
