import { Directive, Field, ID, ObjectType, registerEnumType } from 'type-graphql'

export enum AttentionKind {
  payment_disputed = 'payment_disputed',
  payment_unconfirmed = 'payment_unconfirmed',
  auto_recharge_failed = 'auto_recharge_failed',
  auto_recharge_without_card = 'auto_recharge_without_card',
  credits_low = 'credits_low',
  webhook_failing = 'webhook_failing',
  budget_nearly_used = 'budget_nearly_used',
  key_expiring = 'key_expiring',
  card_expiring = 'card_expiring',
  app_suspended = 'app_suspended',
}

registerEnumType(AttentionKind, {
  name: 'AttentionKind',
  description: 'What needs the attention of the account holder.',
  valuesConfig: {
    payment_disputed: { description: 'The holder of a card disputes a payment.' },
    payment_unconfirmed: { description: 'A payment waits until its payer confirms it.' },
    auto_recharge_failed: {
      description: 'Automatic recharging is on, and its last payment failed.',
    },
    auto_recharge_without_card: {
      description: 'Automatic recharging is on, and there is no card that it could charge.',
    },
    credits_low: { description: 'The credits are below a threshold of this gateway.' },
    webhook_failing: { description: 'Deliveries to a webhook endpoint fail.' },
    budget_nearly_used: { description: 'At least 80 % of a budget are used.' },
    key_expiring: { description: 'An API key expires within 7 days.' },
    card_expiring: { description: 'A card has expired, or expires by the end of next month.' },
    app_suspended: { description: 'The operator has suspended an app in the last 30 days.' },
  },
})

export enum AttentionSeverity {
  critical = 'critical',
  warning = 'warning',
}

registerEnumType(AttentionSeverity, {
  name: 'AttentionSeverity',
  description: 'How urgent it is.',
  valuesConfig: {
    critical: { description: 'Something does not work already.' },
    warning: { description: 'Something will not work soon.' },
  },
})

@Directive('@shareable')
@ObjectType({ description: 'What the account holder can do about it.' })
export class AttentionAction {
  @Field(() => String, { description: 'The text of a button.' })
  label!: string

  @Field(() => String, {
    nullable: true,
    description: 'The page of the console for it; null: this gateway has no console.',
  })
  url!: string | null
}

@Directive('@shareable')
@ObjectType({ description: 'Something that needs the attention of the account holder.' })
export class AttentionItem {
  @Field(() => AttentionKind, { description: 'What it is.' })
  kind!: AttentionKind

  @Field(() => AttentionSeverity, { description: 'How urgent it is.' })
  severity!: AttentionSeverity

  @Field(() => String, { description: 'A sentence for people.' })
  title!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The key, card, payment, webhook endpoint, app or external id; null: the account.',
  })
  resourceId!: string | null

  @Field(() => AttentionAction, { description: 'What the account holder can do about it.' })
  action!: AttentionAction
}
