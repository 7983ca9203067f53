import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import { attemptOf, OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { accountIdDescription, ownerOf } from '../accounts/owner.ts'
import { entriesOf } from '../ledger/ledger-entry.service.ts'
import {
  cappedPriceOf,
  configureAutoRecharge,
  getAutoRecharge,
  isRechargeUnderWay,
  notForThisRole,
  notWithoutProof,
} from '../low-balance/auto-recharge.service.ts'
import { AutoRecharge, AutoRechargeInput, NextRecharge } from '../low-balance/auto-recharge.type.ts'
import { watchBalance } from '../low-balance/balance-watch.service.ts'
import { nextRecharge } from '../low-balance/next-recharge.service.ts'
import { duePriceOf, type RechargeStep } from '../low-balance/recharge.service.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { BillingSnapshot, TopUp } from './billing.type.ts'
import { listPackages } from './credit-packages.ts'
import { keepPaidCard } from './paid-card-asking.service.ts'
import { collectDuePayment } from './payment-collection.service.ts'
import { paymentContext } from './payment-context.ts'
import { canCharge } from './providers/configured.ts'
import { rechargeAsking } from './recharge-asking.ts'
import { pricingFor } from './tax/tax-of-sale.ts'

const recentEntries = 20

@Resolver()
export class BillingResolver {
  @Authorized('account')
  @Query(() => BillingSnapshot, { description: "Returns the caller's billing at a glance." })
  async billing(@Ctx() context: AccountContext): Promise<BillingSnapshot> {
    const caller = requireAccount(context)
    const { database } = context
    const [autoRecharge, recentLedger] = await Promise.all([
      getAutoRecharge(database, caller, (method) => canCharge(context, caller.environment, method)),
      entriesOf(database, caller).read({ limit: recentEntries, before: null }),
    ])
    return {
      // The balance comes from the newest entry, so it fits the list even if a charge happens
      // meanwhile.
      currentBalance: recentLedger[0]?.balanceAfter ?? 0,
      creditPackages: listPackages(),
      autoRecharge,
      recentLedger,
      invoices: [],
    }
  }

  @Authorized('account')
  @Query(() => TopUp, {
    description: 'Returns what the caller can buy, and whether credits are coming.',
  })
  async topUp(@Ctx() context: AccountContext): Promise<TopUp> {
    const isRecharging = await isRechargeUnderWay(context.database, requireAccount(context))
    return { creditPackages: listPackages(), isRecharging }
  }

  @Authorized('account')
  @Query(() => NextRecharge, {
    description: 'Shows what automatic recharging would buy next, or why it would buy nothing.',
  })
  async nextRecharge(@Ctx() context: AccountContext): Promise<NextRecharge> {
    const owner = requireAccount(context)
    return nextRecharge(await rechargeAsking(context, owner), owner)
  }

  @Authorized('account', 'support')
  @Mutation(() => AutoRecharge, { description: 'Changes the settings of automatic recharging.' })
  async configureAutoRecharge(
    @Arg('input', () => AutoRechargeInput, { description: 'The changes.' })
    input: AutoRechargeInput,
    @Arg('accountId', () => ID, { nullable: true, description: accountIdDescription })
    accountId: string | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<AutoRecharge> {
    const owner = await ownerOf(context, accountId, 'auto_recharge.update')
    const { idempotencyKey, ...details } = input
    const { caller } = context
    const change = {
      owner,
      action: 'auto_recharge.update',
      request: details,
      note: () => ({ details }),
    }
    const attempt = await recordRefusal(context, change, async () =>
      attemptOf(caller, { once, idempotencyKey }),
    )
    const findPrice = () => cappedPriceOf(context.database, owner, input)
    const conditions = {
      refuseMore: refusalOfMore(caller),
      canCharge: (method: string) => canCharge(context, owner.environment, method),
      pricing: await pricingFor(await paymentContext(context), owner, findPrice),
    }
    return makeChange(context, { ...change, once: attempt }, (tx) =>
      configureAutoRecharge(tx, owner, input, conditions),
    )
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Reacts to a balance that crossed one of its limits, by alerts and recharging.',
  })
  async watchBalance(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, {
      description: 'The environment: live or sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    const note = (step: RechargeStep | null) => step
    const findPrice = () => duePriceOf(context.database, owner)
    const pricing = await pricingFor(await paymentContext(context), owner, findPrice)
    await makeChange(context, { owner, action: 'balance.watch', note }, (tx) =>
      watchBalance(tx, owner, context.billing.lowCreditsThresholds, pricing),
    )
    return true
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'Asks the provider for the state of a pending payment.' })
  async collectPayment(
    @Arg('id', () => ID, { description: '`pay_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    await collectDuePayment(await paymentContext(context), id)
    return true
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Asks the provider for the card of a payment that was settled without it.',
  })
  async keepPaidCard(
    @Arg('id', () => ID, { description: '`pay_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    await keepPaidCard(await paymentContext(context), id)
    return true
  }
}

/** The role support never spends a customer's money, and a session only with a fresh proof. */
function refusalOfMore(caller: Caller) {
  if (caller.kind === 'internal') return caller.role === 'admin' ? null : notForThisRole
  const session = caller.kind === 'account' ? caller.session : undefined
  return !session || session.isProofFresh ? null : notWithoutProof
}
