import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql'
import { reasonArg } from '../../../shared/changes/act.ts'
import { EnvironmentName } from '../../../shared/graph/environment.type.ts'
import type { RefundStatus } from '../providers/returns/return-notification.ts'

enum PaymentRefundStatus {
  pending = 'pending',
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(PaymentRefundStatus, {
  name: 'PaymentRefundStatus',
  description: 'The state of a refund.',
  valuesConfig: {
    pending: { description: 'The provider has not decided yet; no credits are taken.' },
    succeeded: { description: 'The money was returned, and the credits are taken back.' },
    failed: { description: 'The money was not returned, and no credits are taken.' },
  },
})

@ObjectType({ description: 'A return of money of a payment to the buyer.' })
export class PaymentRefund {
  @Field(() => ID, { description: '`rfd_…`' })
  id!: string

  @Field(() => ID, { description: '`pay_…`: the payment.' })
  paymentId!: string

  @Field(() => GraphQLSafeInt, {
    description: 'The amount in cents of the currency of the payment.',
  })
  amountCents!: number

  @Field(() => PaymentRefundStatus, { description: 'Where it stands.' })
  status!: RefundStatus

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'In the answer of `refundPayment`: the cents that could be refunded before it.',
  })
  leftBeforeCents?: number | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'In the answer of `refundPayment`: the cents that can be refunded after it.',
  })
  leftAfterCents?: number | null
}

@InputType({ description: 'A refund of a payment, or of a part of it.' })
export class RefundPaymentInput {
  @Field(() => ID, { description: '`pay_…`' })
  paymentId!: string

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The amount in cents, tax included; by default all that is left.',
  })
  amountCents?: number | null

  @Field(() => String, { description: 'The reason, for the audit trail, 1 to 200 characters.' })
  reason!: string

  @Field(() => String, { description: 'The idempotency key: the same key refunds once.' })
  idempotencyKey!: string
}

@InputType({ description: 'Lifts the block of a dispute.' })
export class LiftPaymentBlockInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentName, { description: 'The environment: live or sandbox.' })
  environment!: EnvironmentName

  @Field(() => String, reasonArg)
  reason?: string | null

  @Field(() => String, { description: 'The idempotency key: the same key lifts once.' })
  idempotencyKey!: string
}
