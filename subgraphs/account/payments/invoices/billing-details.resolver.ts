import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { makeChange } from '../../../shared/changes/change.ts'
import { OnceInput, onceArg } from '../../../shared/changes/once.type.ts'
import { type GraphContext, requireAccount } from '../../../shared/graph/context.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import {
  getBillingDetails,
  setBillingDetails,
  unprintableDetails,
} from './billing-details.service.ts'
import { BillingDetails, BillingDetailsInput } from './billing-details.type.ts'

@Resolver()
export class BillingDetailsResolver {
  @Authorized('account')
  @Query(() => BillingDetails, { description: "Returns the recipient of the caller's invoices." })
  billingDetails(@Ctx() context: GraphContext): Promise<BillingDetails> {
    return getBillingDetails(context.database, requireAccount(context))
  }

  @Authorized('account')
  @Mutation(() => BillingDetails, {
    description: "Replaces the recipient of the caller's next invoices.",
  })
  async changeBillingDetails(
    @Arg('input', () => BillingDetailsInput, { description: 'The complete recipient.' })
    input: BillingDetailsInput,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<BillingDetails> {
    const { accountId, environment } = requireAccount(context)
    const owner = { accountId, environment }
    // The audit trail must not contain personal data.
    const details = { country: input.country, has_tax_id: Boolean(input.taxId) }
    const change = { owner, action: 'billing_details.update', once, request: input }
    // The fonts may have to be opened first, which no transaction waits for.
    const unprintable = await unprintableDetails(input, context.invoiceFonts)
    return makeChange(context, { ...change, note: () => ({ details }) }, (tx) =>
      setBillingDetails(tx, owner, input, unprintable),
    )
  }
}
