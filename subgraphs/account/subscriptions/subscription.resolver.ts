import {
  Arg,
  Authorized,
  Ctx,
  GraphQLISODateTime,
  ID,
  Mutation,
  Query,
  Resolver,
} from 'type-graphql'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { makeChange, recordChange, recordRefusal } from '../../shared/changes/change.ts'
import { attemptOf, OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { accountIdDescription, ownerOf } from '../accounts/owner.ts'
import type { Pricing } from '../payments/invoices/tax.service.ts'
import { configuredProviders } from '../payments/providers/configured.ts'
import { pricingFor } from '../payments/tax/tax-of-sale.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { endGrace } from './allowance.service.ts'
import { outcomeVerbs } from './period.ts'
import {
  cancelSubscription,
  duePriceOf,
  endSubscriptionPeriod,
  findSubscription,
  resumeSubscription,
} from './subscription.service.ts'
import { Subscription } from './subscription.type.ts'

@Resolver()
export class SubscriptionResolver {
  @Authorized('account')
  @Query(() => Subscription, {
    nullable: true,
    description: "The caller's subscription; null when there never was one.",
  })
  subscription(@Ctx() context: AccountContext): Promise<Subscription | null> {
    return findSubscription(context.database, requireAccount(context))
  }

  @Authorized('account', 'support')
  @Mutation(() => Subscription, {
    description: 'Cancels a subscription at the end of its period.',
  })
  async cancelSubscription(
    @Arg('accountId', () => ID, { nullable: true, description: accountIdDescription }) accountId:
      | string
      | null,
    @Arg('once', () => OnceInput, onceArg) attempt: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<Subscription> {
    const owner = await ownerOf(context, accountId, 'subscription.cancel')
    const change = { owner, action: 'subscription.cancel', once: attempt }
    const pricing = await renewalPricing(context, owner)
    return makeChange(context, change, async (tx) => {
      // A subscription that was active at the end of its period renews, even if the job has not
      // run.
      await endPeriod(tx, context, owner, pricing)
      return cancelSubscription(tx, owner)
    })
  }

  // A resumed subscription may charge a saved card, and the role support never spends a customer's
  // money.
  @Authorized('account', 'admin')
  @Mutation(() => Subscription, { description: 'Withdraws a scheduled cancellation.' })
  async resumeSubscription(
    @Arg('accountId', () => ID, { nullable: true, description: accountIdDescription }) accountId:
      | string
      | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description:
        'The idempotency key, which internal tools must send: the same key resumes once. Other callers send the header.',
    })
    idempotencyKey: string | null,
    @Ctx() context: AccountContext,
  ): Promise<Subscription> {
    const owner = await ownerOf(context, accountId, 'subscription.resume')
    const change = { owner, action: 'subscription.resume' }
    const attempt = await recordRefusal(context, change, async () =>
      attemptOf(context.caller, { once, idempotencyKey }),
    )
    return makeChange(context, { ...change, once: attempt }, (tx) => resumeSubscription(tx, owner))
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Renews or ends a subscription if its period is over; returns whether it was.',
  })
  async turnSubscription(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, {
      description: 'The environment: live or sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    const change = { owner, action: 'subscription.turn', note: () => null }
    const pricing = await renewalPricing(context, owner)
    return makeChange(context, change, (tx) => endPeriod(tx, context, owner, pricing))
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Takes back the rest of an allowance that was not paid for; returns whether there was one.',
  })
  async endGrace(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, {
      description: 'The environment: live or sandbox.',
    })
    environment: EnvironmentValue,
    @Arg('beganAt', () => GraphQLISODateTime, {
      description: 'When the period of the allowance began.',
    })
    beganAt: Date,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    const note = (credits: number) => (credits > 0 ? { details: { credits } } : null)
    const change = { owner, action: 'allowance.take_back', note }
    return (await makeChange(context, change, (tx) => endGrace(tx, owner, beganAt))) > 0
  }
}

async function renewalPricing(context: AccountContext, owner: AccountScope): Promise<Pricing> {
  const { database } = context
  const providers = await configuredProviders(context)
  return pricingFor({ database, providers }, owner, () => duePriceOf(database, owner))
}

/** Whether the period was over. If so, the audit trail has a line about the outcome. */
async function endPeriod(
  tx: Transaction,
  context: AccountContext,
  owner: AccountScope,
  pricing: Pricing,
): Promise<boolean> {
  const graceDays = context.billing.allowanceGraceDays ?? 0
  const outcome = await endSubscriptionPeriod(tx, owner, { graceDays, pricing })
  if (outcome === null) return false
  await recordChange(tx, context, { owner, action: `subscription.${outcomeVerbs[outcome]}` })
  return true
}
