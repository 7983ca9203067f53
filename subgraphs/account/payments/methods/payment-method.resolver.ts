import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { makeChange } from '../../../shared/changes/change.ts'
import { OnceInput, onceArg } from '../../../shared/changes/once.type.ts'
import { requireAccount } from '../../../shared/graph/context.ts'
import { PageArgs } from '../../../shared/lists/page.type.ts'
import { readPage } from '../../../shared/lists/pagination.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { forgetCard } from './card-forgetting.service.ts'
import { PaymentMethod, PaymentMethodPage } from './payment-method.type.ts'
import {
  getPaymentMethod,
  makeDefault,
  paymentMethodsOf,
  removePaymentMethod,
} from './stored-methods.service.ts'

const idArg = { description: '`pm_…`' }

@Resolver()
export class PaymentMethodResolver {
  @Authorized('account')
  @Query(() => PaymentMethodPage, {
    description: "Lists the caller's stored payment methods, newest first.",
  })
  paymentMethods(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: AccountContext,
  ): Promise<PaymentMethodPage> {
    return readPage(context, paymentMethodsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Query(() => PaymentMethod, {
    description: "Returns one of the caller's stored payment methods.",
  })
  paymentMethod(
    @Arg('id', () => ID, idArg) id: string,
    @Ctx() context: AccountContext,
  ): Promise<PaymentMethod> {
    return getPaymentMethod(context.database, requireAccount(context), id)
  }

  @Authorized('account')
  @Mutation(() => PaymentMethod, {
    description:
      'Removes a stored payment method, here and at the provider. The default one cannot be removed while automatic recharging is on or a subscription is active.',
  })
  async deletePaymentMethod(
    @Arg('id', () => ID, idArg) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<PaymentMethod> {
    const owner = requireAccount(context)
    const change = { owner, resourceId: id, action: 'payment_method.delete', request: { id }, once }
    const removed = await makeChange(context, change, (tx) => removePaymentMethod(tx, owner, id))
    await forgetCard(context, removed)
    return removed
  }

  @Authorized('account')
  @Mutation(() => PaymentMethod, {
    description:
      'Makes a stored payment method the one that recharges and renewals use. CONFLICT for a card that a dispute bars.',
  })
  setDefaultPaymentMethod(
    @Arg('id', () => ID, idArg) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<PaymentMethod> {
    const owner = requireAccount(context)
    const request = { id }
    const change = { owner, resourceId: id, action: 'payment_method.default', request, once }
    return makeChange(context, change, (tx) => makeDefault(tx, owner, id))
  }
}
