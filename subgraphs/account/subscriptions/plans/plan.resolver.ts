import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { makeChange, recordChange, recordRefusal } from '../../../shared/changes/change.ts'
import { OnceInput, onceArg } from '../../../shared/changes/once.type.ts'
import { requireAccount } from '../../../shared/graph/context.ts'
import { paymentContext } from '../../payments/payment-context.ts'
import { SubscriptionTier } from '../../prices/tiers.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { type BegunChange, beginChange, finishChange } from './plan-change.service.ts'
import { PlanChange, PlanChangeTime, PlanList, PlanPreview } from './plan-change.type.ts'
import { listPlans, type PlanContext, previewPlan } from './plan-preview.service.ts'

const tierArg = { description: 'The plan to change to.' }
const whenArg = {
  nullable: true,
  description: 'When it takes effect: now for a higher plan, with the period for a lower one.',
}

@Resolver()
export class PlanResolver {
  @Authorized('account')
  @Query(() => PlanList, {
    description: 'Lists the plans on sale, and shows the plan of the caller.',
  })
  plans(@Ctx() context: AccountContext): Promise<PlanList> {
    return listPlans(context, requireAccount(context))
  }

  @Authorized('account')
  @Mutation(() => PlanPreview, {
    description:
      'Shows what a change of the plan would do and cost. Nothing is changed but the audit trail.',
  })
  async previewPlan(
    @Arg('tier', () => SubscriptionTier, tierArg) tier: SubscriptionTier,
    @Arg('when', () => PlanChangeTime, whenArg) when: PlanChangeTime | null,
    @Ctx() context: AccountContext,
  ): Promise<PlanPreview> {
    const owner = requireAccount(context)
    const change = { owner, action: 'subscription.preview' }
    return recordRefusal(context, change, async () => {
      const preview = await previewPlan(await planContext(context), owner, { tier, when })
      const note = { details: { tier } }
      await context.database.transaction((tx) => recordChange(tx, context, change, note))
      return preview
    })
  }

  @Authorized('account')
  @Mutation(() => PlanChange, {
    description: 'Starts a subscription, or changes the plan of one.',
  })
  async changePlan(
    @Arg('tier', () => SubscriptionTier, tierArg) tier: SubscriptionTier,
    @Arg('when', () => PlanChangeTime, whenArg) when: PlanChangeTime | null,
    @Arg('quoteId', () => ID, {
      nullable: true,
      description: 'The quote of a preview, for a start and for a higher plan.',
    })
    quoteId: string | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<PlanChange> {
    const owner = requireAccount(context)
    const order = { tier, when, quoteId }
    const plans = await planContext(context)
    const note = ({ kind, paymentId }: BegunChange) => ({
      ...(paymentId === null ? {} : { resourceId: paymentId }),
      details: { kind, tier },
    })
    const change = { owner, action: 'subscription.change', once, request: order, note }
    const begun = await makeChange(context, change, (tx) => beginChange(tx, plans, owner, order))
    return recordRefusal(context, { owner, action: 'subscription.change' }, () =>
      finishChange(plans, owner, begun),
    )
  }
}

async function planContext(context: AccountContext): Promise<PlanContext> {
  return { ...(await paymentContext(context)), billing: context.billing }
}
