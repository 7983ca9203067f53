import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { SubscriptionTier } from '../../prices/tiers.ts'
import { Subscription } from '../subscription.type.ts'

export enum PlanChangeKind {
  start = 'start',
  upgrade = 'upgrade',
  downgrade = 'downgrade',
  keep = 'keep',
}

registerEnumType(PlanChangeKind, {
  name: 'PlanChangeKind',
  description: 'What a change does to the plan.',
  valuesConfig: {
    start: { description: 'A subscription begins.' },
    upgrade: { description: 'A higher plan begins now, for the rest of the period.' },
    downgrade: { description: 'A lower plan begins with the next period.' },
    keep: { description: 'The plan stays: a change for the next period is withdrawn.' },
  },
})

export enum PlanChangeTime {
  now = 'now',
  period_end = 'period_end',
}

registerEnumType(PlanChangeTime, {
  name: 'PlanChangeTime',
  description: 'When a change of the plan takes effect.',
  valuesConfig: {
    now: { description: 'At once, or once it is paid.' },
    period_end: { description: 'With the next period.' },
  },
})

export enum PlanChangeStatus {
  applied = 'applied',
  scheduled = 'scheduled',
  pending_payment = 'pending_payment',
}

registerEnumType(PlanChangeStatus, {
  name: 'PlanChangeStatus',
  description: 'Where a change of the plan stands.',
  valuesConfig: {
    applied: { description: 'The new plan has begun.' },
    scheduled: { description: 'It takes effect with the next period.' },
    pending_payment: { description: 'It takes effect once its payment is settled.' },
  },
})

@ObjectType({ description: 'A plan that an account can subscribe to.' })
export class Plan {
  @Field(() => SubscriptionTier, { description: 'The tier that the plan gives.' })
  tier!: SubscriptionTier

  @Field(() => String, { description: 'A short text for people.' })
  name!: string

  @Field(() => GraphQLSafeInt, {
    description: 'The price of a period without tax, in cents of the currency.',
  })
  priceCents!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The credits of a period; they expire with the period.',
  })
  monthlyCredits!: number

  @Field(() => Int, { description: 'Requests per second.' })
  rateLimitRps!: number
}

@ObjectType({ description: 'A change of the plan that has not taken effect yet.' })
export class PendingPlanChange {
  @Field(() => PlanChangeStatus, { description: 'What it waits for.' })
  status!: PlanChangeStatus

  @Field(() => SubscriptionTier, { description: 'The tier that it leads to.' })
  tier!: SubscriptionTier

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it takes effect; null: once it is paid.',
  })
  effectiveAt!: Date | null

  @Field(() => ID, { nullable: true, description: '`pay_…`, if it waits for a payment.' })
  paymentId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The page of the provider where the payer pays or confirms.',
  })
  actionUrl!: string | null
}

@ObjectType({ description: 'The plans on sale, and the plan of the caller.' })
export class PlanList {
  @Field(() => String, { description: 'The currency of all prices, by ISO 4217.' })
  currency!: string

  @Field(() => [Plan], { description: 'The plans, the cheapest first.' })
  plans!: Plan[]

  @Field(() => Subscription, {
    nullable: true,
    description: "The caller's subscription; null when there never was one.",
  })
  subscription!: Subscription | null

  @Field(() => PendingPlanChange, {
    nullable: true,
    description: 'The change that has not taken effect yet; null: there is none.',
  })
  pendingChange!: PendingPlanChange | null

  @Field(() => String, {
    nullable: true,
    description: 'Where to ask for another plan; null: plans are changed here.',
  })
  contactUrl!: string | null
}

@ObjectType({ description: 'What a change of the plan would do, and cost.' })
export class PlanPreview {
  @Field(() => PlanChangeKind, { description: 'What the change does.' })
  kind!: PlanChangeKind

  @Field(() => SubscriptionTier, { description: 'The tier that it leads to.' })
  tier!: SubscriptionTier

  @Field(() => SubscriptionTier, {
    nullable: true,
    description: 'The tier of the present plan; null: there is none.',
  })
  fromTier!: SubscriptionTier | null

  @Field(() => PlanChangeTime, { description: 'When it takes effect.' })
  when!: PlanChangeTime

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'The instant at which it takes effect: now, if there is nothing to pay; null: once it is paid.',
  })
  effectiveAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    description: 'The instant for which the amounts are computed: a whole second.',
  })
  asOf!: Date

  @Field(() => GraphQLSafeInt, { description: 'The whole seconds that are left of the period.' })
  secondsLeft!: number

  @Field(() => GraphQLSafeInt, { description: 'The whole seconds of the period.' })
  periodSeconds!: number

  @Field(() => GraphQLSafeInt, {
    description:
      'What is due now without tax, in cents of the currency. 0 if it is less than the payment provider collects: then nothing is granted either, until the next period.',
  })
  dueCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The tax on it, in cents of the currency.' })
  taxCents!: number

  @Field(() => GraphQLSafeInt, { description: 'What is due with tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => GraphQLSafeInt, {
    description: 'The credits that come with the payment; they expire with the period.',
  })
  grantedCredits!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The price of the next period without tax, in cents of the currency.',
  })
  renewalCents!: number

  @Field(() => GraphQLISODateTime, { description: 'When the next period begins.' })
  renewsAt!: Date

  @Field(() => GraphQLSafeInt, { description: 'The credits of each period.' })
  monthlyCredits!: number

  @Field(() => Int, { description: 'Requests per second of the plan.' })
  rateLimitRps!: number

  @Field(() => ID, {
    nullable: true,
    description:
      'Send it with the change: for ten minutes it has these amounts. Null: the change needs none.',
  })
  quoteId!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the quote ends.' })
  quoteExpiresAt!: Date | null
}

@ObjectType({ description: 'A change of the plan, and where it stands.' })
export class PlanChange {
  @Field(() => PlanChangeStatus, { description: 'Where it stands.' })
  status!: PlanChangeStatus

  @Field(() => PlanChangeKind, { description: 'What it does.' })
  kind!: PlanChangeKind

  @Field(() => SubscriptionTier, { description: 'The tier that it leads to.' })
  tier!: SubscriptionTier

  @Field(() => SubscriptionTier, {
    nullable: true,
    description: 'The tier before; null: there was none.',
  })
  fromTier!: SubscriptionTier | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it takes effect; null: once it is paid.',
  })
  effectiveAt!: Date | null

  @Field(() => ID, { nullable: true, description: '`pay_…`; null: nothing is paid.' })
  paymentId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The page of the provider where the payer pays or confirms.',
  })
  actionUrl!: string | null

  @Field(() => GraphQLSafeInt, { description: 'The price without tax, in cents of the currency.' })
  dueCents!: number

  @Field(() => GraphQLSafeInt, { description: 'The tax, in cents of the currency.' })
  taxCents!: number

  @Field(() => GraphQLSafeInt, { description: 'Price and tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits that come with the payment.' })
  grantedCredits!: number

  @Field(() => Subscription, {
    nullable: true,
    description: 'The subscription as it is now; null while the first one waits for its payment.',
  })
  subscription!: Subscription | null
}
