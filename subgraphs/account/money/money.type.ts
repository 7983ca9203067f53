import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { connectionOf } from '../../shared/lists/page.type.ts'

/** The members of a row that belongs to some account. */
@ObjectType()
abstract class OfSomeAccount {
  @Field(() => ID, { description: 'The account: `acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The display name of the account.' })
  accountName!: string
}

@ObjectType({ description: 'A payment whose outcome is not known yet.' })
export class PaymentInDoubt extends OfSomeAccount {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => String, { description: '`checkout`, `auto_recharge`, `subscription` or `plan`.' })
  kind!: string

  @Field(() => String, { nullable: true, description: 'The provider that collects the payment.' })
  provider!: string | null

  @Field(() => GraphQLSafeInt, { description: 'The amount in cents, tax included.' })
  totalCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was requested.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the provider is asked next.' })
  askAt!: Date
}

@ObjectType({ description: 'A dispute that is not decided.' })
export class OpenDispute extends OfSomeAccount {
  @Field(() => ID, { description: '`dsp_…`' })
  id!: string

  @Field(() => ID, { description: '`pay_…`: the payment.' })
  paymentId!: string

  @Field(() => String, { description: "The provider's id." })
  reference!: string

  @Field(() => String, { description: '`inquiry` or `open`.' })
  status!: string

  @Field(() => GraphQLSafeInt, { description: 'The amount in cents.' })
  amountCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was first heard of.' })
  createdAt!: Date
}

@ObjectType({ description: 'A refund that the provider has not decided.' })
export class PendingRefund extends OfSomeAccount {
  @Field(() => ID, { description: '`rfd_…`' })
  id!: string

  @Field(() => ID, { description: '`pay_…`: the payment.' })
  paymentId!: string

  @Field(() => GraphQLSafeInt, { description: 'The amount in cents.' })
  amountCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => String, { nullable: true, description: 'The reason that the operator gave.' })
  reason!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When it was requested.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the provider is asked next.' })
  askAt!: Date
}

@ObjectType({ description: 'Automatic recharging that is switched on and has failed.' })
export class FailingRecharge extends OfSomeAccount {
  @Field(() => String, { description: '`idle`, `pending`, `action_required` or `suspended`.' })
  state!: string

  @Field(() => String, { description: 'Why the last recharge failed.' })
  failureReason!: string

  @Field(() => GraphQLSafeInt, { description: 'How many recharges were declined in a row.' })
  declines!: number

  @Field(() => GraphQLISODateTime, { description: 'When it is tried next, unless suspended.' })
  tryAt!: Date
}

@ObjectType({ description: 'An endpoint whose deliveries fail.' })
export class FailingWebhook extends OfSomeAccount {
  @Field(() => ID, { description: '`whe_…`' })
  id!: string

  @Field(() => String, { description: 'The host that events are sent to.' })
  host!: string

  @Field(() => String, { description: '`enabled` or `disabled`.' })
  status!: string

  @Field(() => GraphQLISODateTime, { description: 'Since when no delivery has arrived.' })
  failingSince!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the last delivery failed.',
  })
  lastFailedAt!: Date | null
}

@ObjectType({ description: 'A page of payments in doubt, newest first.' })
export class PaymentInDoubtConnection extends connectionOf(PaymentInDoubt) {}

@ObjectType({ description: 'A page of open disputes, newest first.' })
export class OpenDisputeConnection extends connectionOf(OpenDispute) {}

@ObjectType({ description: 'A page of pending refunds, newest first.' })
export class PendingRefundConnection extends connectionOf(PendingRefund) {}

@ObjectType({ description: 'A page of failing recharges, newest account first.' })
export class FailingRechargeConnection extends connectionOf(FailingRecharge) {}

@ObjectType({ description: 'A page of failing endpoints, newest first.' })
export class FailingWebhookConnection extends connectionOf(FailingWebhook) {}
