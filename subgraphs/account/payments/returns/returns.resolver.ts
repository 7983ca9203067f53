import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { actOf, onceOfAct } from '../../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../../shared/changes/change.ts'
import { ConnectionArgs } from '../../../shared/lists/page.type.ts'
import { readConnection } from '../../../shared/lists/pagination.ts'
import { getAccount } from '../../accounts/account.service.ts'
import { Account } from '../../accounts/account.type.ts'
import { changeAccount } from '../../accounts/changed-account.service.ts'
import { liftBlock } from '../../payment-blocks/payment-block.service.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { paymentContext } from '../payment-context.ts'
import {
  collectDueRefund,
  collectRefund,
  leaveToJob,
  paymentOwner,
  readRefund,
  requestRefund,
} from './refund.service.ts'
import { LiftPaymentBlockInput, PaymentRefund, RefundPaymentInput } from './refund.type.ts'
import { unmatchedNotifications } from './unmatched-notification.service.ts'
import { UnmatchedPaymentNotificationConnection } from './unmatched-notification.type.ts'

/** The fields by which operators see and manage returned money. */
@Resolver()
export class ReturnsResolver {
  @Authorized('admin')
  @Mutation(() => PaymentRefund, {
    description:
      'Returns the money of a payment or a part of it. The credits are taken back once the provider has confirmed the refund.',
  })
  async refundPayment(
    @Arg('input', () => RefundPaymentInput, { description: 'The payment and the amount.' })
    input: RefundPaymentInput,
    @Ctx() context: AccountContext,
  ): Promise<PaymentRefund> {
    const { idempotencyKey, ...request } = input
    const resourceId = input.paymentId
    const refused = { owner: null, action: 'payment.refund', resourceId }
    const owner = await recordRefusal(context, refused, () =>
      paymentOwner(context.database, input.paymentId),
    )
    const change = { owner, action: 'payment.refund', resourceId, request }
    const once = await recordRefusal(context, change, async () =>
      onceOfAct(context.caller, idempotencyKey),
    )
    const note = ({ id, amountCents, leftBeforeCents, leftAfterCents }: PaymentRefund) => ({
      details: {
        ...{ refund_id: id, amount_cents: amountCents, reason: input.reason },
        before: { left_cents: leftBeforeCents },
        after: { left_cents: leftAfterCents },
      },
    })
    const { id, leftBeforeCents, leftAfterCents } = await makeChange(
      context,
      { ...change, once, note },
      (tx) => requestRefund(tx, request),
    )
    // A command line process has no providers, so it leaves the question to a gateway process.
    if (context.payments?.notificationUrls) await collectRefund(await paymentContext(context), id)
    else await leaveToJob(context.database, id)
    const refund = await readRefund(context.database, id)
    return Object.assign(refund, { leftBeforeCents, leftAfterCents })
  }

  @Authorized('admin')
  @Mutation(() => Account, {
    description: 'Permits payments again that a dispute has blocked.',
  })
  async liftPaymentBlock(
    @Arg('input', () => LiftPaymentBlockInput, { description: 'The account.' })
    { accountId, environment, ...said }: LiftPaymentBlockInput,
    @Ctx() context: AccountContext,
  ): Promise<Account> {
    const owner: AccountScope = { accountId, environment }
    const action = 'payment_block.lift'
    const request = { accountId, environment, reason: said.reason }
    const change = { owner, action, resourceId: accountId, request }
    const { once, why } = await recordRefusal(context, change, async () => {
      await getAccount(context, accountId)
      // A key was always needed here.
      return {
        ...actOf(context.caller, said),
        once: onceOfAct(context.caller, said.idempotencyKey),
      }
    })
    return changeAccount(context, { ...change, once }, why, async (tx) => ({
      disputes: await liftBlock(tx, owner),
    }))
  }

  @Authorized('support')
  @Query(() => UnmatchedPaymentNotificationConnection, {
    description: 'Refunds and disputes that contradict what is known here, newest first.',
  })
  unmatchedPaymentNotifications(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: AccountContext,
  ): Promise<UnmatchedPaymentNotificationConnection> {
    return readConnection(context, unmatchedNotifications(context.database), page)
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'Asks the provider for the state of a pending refund.' })
  async collectRefund(
    @Arg('id', () => ID, { description: '`rfd_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    await collectDueRefund(await paymentContext(context), id)
    return true
  }
}
