import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { recordRefusal } from '../../../shared/changes/change.ts'
import { OnceInput } from '../../../shared/changes/once.type.ts'
import { requireAccount } from '../../../shared/graph/context.ts'
import { PageArgs } from '../../../shared/lists/page.type.ts'
import { readPage } from '../../../shared/lists/pagination.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { paymentContext } from '../payment-context.ts'
import { checkout, previewCheckout } from './checkout.service.ts'
import {
  Checkout,
  CheckoutInput,
  CheckoutPage,
  CheckoutPreview,
  ReturnStatus,
} from './checkout.type.ts'
import { checkoutsOf, getCheckout, getReturnStatus } from './checkout-reading.service.ts'

@Resolver()
export class CheckoutResolver {
  @Authorized('account')
  @Mutation(() => Checkout, { description: 'Buys a credit package through the payment provider.' })
  async checkout(
    @Arg('input', () => CheckoutInput, { description: 'The purchase.' }) input: CheckoutInput,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description:
        'Every attempt of the same request has this reference; only the first changes anything.',
    })
    once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<Checkout> {
    const owner = requireAccount(context)
    return recordRefusal(context, { owner, action: 'checkout.create' }, async () =>
      checkout(await paymentContext(context), owner, input, once ?? null),
    )
  }

  @Authorized('account')
  @Query(() => CheckoutPage, { description: "Lists the caller's checkouts, newest first." })
  checkouts(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: AccountContext,
  ): Promise<CheckoutPage> {
    return readPage(context, checkoutsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Query(() => Checkout, {
    name: 'checkout',
    description: "Returns one of the caller's checkouts.",
  })
  checkoutById(
    @Arg('id', () => ID, { description: '`pay_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<Checkout> {
    return getCheckout(context.database, requireAccount(context), id)
  }

  @Authorized('account')
  @Query(() => CheckoutPreview, {
    description: 'Shows what a package costs the caller, with tax. Nothing is bought.',
  })
  async checkoutPreview(
    @Arg('packageId', () => ID, { description: '`pack_…`' }) packageId: string,
    @Ctx() context: AccountContext,
  ): Promise<CheckoutPreview> {
    return previewCheckout(await paymentContext(context), requireAccount(context), packageId)
  }

  // The signature of the link authorises this call.
  @Authorized('anonymous')
  @Query(() => ReturnStatus, {
    description: 'Returns the state of the payment that a link belongs to.',
  })
  async returnStatus(
    @Arg('checkoutId', () => ID, { description: '`pay_…`' }) checkoutId: string,
    @Arg('expires', () => String, { description: 'The end of the link: Unix seconds.' })
    expires: string,
    @Arg('signature', () => String, {
      description: "The gateway's signature over the other two values.",
    })
    signature: string,
    @Ctx() context: AccountContext,
  ): Promise<ReturnStatus> {
    const link = { checkoutId, expires, signature }
    return { status: await getReturnStatus(context, context.caller.environment, link) }
  }
}
