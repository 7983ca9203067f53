import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { cursorCodec, toPage } from '../shared/pagination.ts'
import { configureAutoRecharge, getAutoRecharge, startRecharges } from './auto-recharge.service.ts'
import { AutoRecharge, AutoRechargeInput } from './auto-recharge.type.ts'
import { BillingSnapshot } from './billing.type.ts'
import { getInvoice, listInvoices } from './invoice.service.ts'
import { listEntries } from './ledger-entry.service.ts'
import { checkout, collectPending, listPackages } from './payment.service.ts'
import { CheckoutInput, Invoice, InvoicePage, OnceInput, Payment } from './payment.type.ts'
import { simulatedProvider } from './payment-provider.ts'

const recentEntries = 20

function paymentContext({ em, database }: GraphContext) {
  return { em, database, provider: simulatedProvider }
}

@Resolver()
export class BillingResolver {
  @Authorized('account')
  @Query(() => BillingSnapshot, { description: "The caller's billing at one glance." })
  async billing(@Ctx() context: GraphContext): Promise<BillingSnapshot> {
    const caller = requireAccount(context)
    const { database } = context
    const [autoRecharge, recentLedger] = await Promise.all([
      getAutoRecharge(database, caller),
      listEntries(database, caller, recentEntries),
    ])
    return {
      accountId: caller.accountId,
      // Of the newest entry: so the two agree, whatever is charged in between.
      currentBalance: recentLedger[0]?.balanceAfter ?? 0,
      creditPackages: listPackages(),
      autoRecharge,
      recentLedger,
      invoices: [],
    }
  }

  @Authorized('account')
  @Mutation(() => Payment, { description: 'Buys a credit package through the payment provider.' })
  checkout(
    @Arg('input', () => CheckoutInput, { description: 'What to buy.' }) input: CheckoutInput,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description: 'An attempt before under the same reference is this one.',
    })
    once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<Payment> {
    return checkout(paymentContext(context), requireAccount(context), input, once ?? null)
  }

  @Authorized('account')
  @Mutation(() => AutoRecharge, { description: "Sets the caller's automatic recharging up." })
  configureAutoRecharge(
    @Arg('input', () => AutoRechargeInput, { description: 'What to change.' })
    input: AutoRechargeInput,
    @Ctx() context: GraphContext,
  ): Promise<AutoRecharge> {
    return configureAutoRecharge(context, requireAccount(context), input)
  }

  @Authorized('account')
  @Query(() => InvoicePage, { description: "The caller's invoices, newest first." })
  async invoices(
    @Arg('limit', () => Int, { description: 'Page size.' }) limit: number,
    @Arg('cursor', () => String, {
      nullable: true,
      description: '`nextCursor` of the page before.',
    })
    cursor: string | null,
    @Ctx() context: GraphContext,
  ): Promise<InvoicePage> {
    const caller = requireAccount(context)
    const owner = `${caller.accountId}/${caller.environment}`
    const cursors = cursorCodec(context.cursorKey, 'invoices', owner)
    const beforeId = cursor ? cursors.decode(cursor) : null
    const invoices = await listInvoices(context.database, caller, { limit: limit + 1, beforeId })
    return toPage<Invoice>(invoices, limit, ({ id }) => cursors.encode(id))
  }

  @Authorized('account')
  @Query(() => Invoice, { description: "One of the caller's invoices." })
  invoice(
    @Arg('id', () => ID, { description: '`inv_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<Invoice> {
    return getInvoice(context.database, requireAccount(context), id)
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Starts automatic recharges that are due; how many.' })
  startRecharges(
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { em }: GraphContext,
  ): Promise<number> {
    return startRecharges(em, limit)
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Asks the provider about pending payments; how many.' })
  collectPayments(
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() context: GraphContext,
  ): Promise<number> {
    return collectPending(paymentContext(context), limit)
  }
}
