import type { SqlEntityManager } from '@mikro-orm/postgresql'
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
import { makeChange, type Owner, recordChange, recordRefusal } from '../../shared/changes/change.ts'
import { attemptOf, OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { ownerOf, whoseAccount } from '../accounts/owner.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { endGrace } from './allowance.service.ts'
import {
  cancelSubscription,
  findSubscription,
  resumeSubscription,
  turnActions,
  turnSubscription,
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
    @Arg('accountId', () => ID, { nullable: true, description: whoseAccount }) accountId:
      | string
      | null,
    @Arg('once', () => OnceInput, onceArg) attempt: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<Subscription> {
    const owner = await ownerOf(context, accountId, 'subscription.cancel')
    const change = { owner, action: 'subscription.cancel', once: attempt }
    return makeChange(context, change, async (tx) => {
      // One that was active when its period ended has renewed, also before the job has said so.
      await turn(tx, context, owner)
      return cancelSubscription(tx, owner)
    })
  }

  // It can have a saved card charged: support helps a customer, and never spends for one.
  @Authorized('account', 'admin')
  @Mutation(() => Subscription, { description: 'Takes a scheduled cancellation back.' })
  async resumeSubscription(
    @Arg('accountId', () => ID, { nullable: true, description: whoseAccount }) accountId:
      | string
      | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description:
        'Internal tools must have one: the same key resumes once. Others send the header.',
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
    description: 'Ends or renews a subscription if its period is over; whether it was.',
  })
  async turnSubscription(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, { description: 'Which of its two states.' })
    environment: EnvironmentValue,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    const change = { owner, action: 'subscription.turn', note: () => null }
    return makeChange(context, change, (tx) => turn(tx, context, owner))
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Takes back what is left of an allowance that is not paid for; whether it did.',
  })
  async endGrace(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, { description: 'Which of its two states.' })
    environment: EnvironmentValue,
    @Arg('beganAt', () => GraphQLISODateTime, { description: 'When its period began.' })
    beganAt: Date,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    const note = (credits: number) => (credits > 0 ? { details: { credits } } : null)
    const change = { owner, action: 'allowance.take_back', note }
    return (await makeChange(context, change, (tx) => endGrace(tx, owner, beganAt))) > 0
  }
}

/** Whether the period was over; then what became of it has a line in the audit trail. */
async function turn(tx: SqlEntityManager, context: AccountContext, owner: Owner): Promise<boolean> {
  const made = await turnSubscription(tx, owner, context.billing.allowanceGraceDays ?? 0)
  if (made) await recordChange(tx, context, { owner, action: `subscription.${turnActions[made]}` })
  return made !== null
}
