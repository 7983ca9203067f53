import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql'
import { allTenants } from '../../../shared/database/tenant.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { PaymentNotificationReceipt } from '../payment.type.ts'
import { receiveNotification } from '../payment-collection.service.ts'
import { paymentContext } from '../payment-context.ts'
import { receiveReturn } from './return.service.ts'

@Resolver()
export class PaymentNotificationResolver {
  // The signature authorises this call.
  @Authorized('anonymous')
  @Mutation(() => PaymentNotificationReceipt, {
    description: 'Receives a notification of a payment provider.',
  })
  async receivePaymentNotification(
    @Arg('provider', () => String, { description: 'The name of the provider.' }) provider: string,
    @Arg('body', () => String, { description: 'The body, byte for byte as it arrived.' })
    body: string,
    @Arg('signature', () => String, { description: 'The signature of the provider over the body.' })
    signature: string,
    @Ctx() context: AccountContext,
  ): Promise<PaymentNotificationReceipt> {
    const { environment } = context.caller
    const received = { environment, provider, body, signature }
    // The provider does not name an account, but the payment does.
    const database = context.database.as(allTenants)
    const payments = await paymentContext({ ...context, database })
    await receiveNotification(payments, received, (by, notification) =>
      receiveReturn(payments, { environment, provider: by, notification }),
    )
    return { received: true }
  }
}
