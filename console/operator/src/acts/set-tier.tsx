import { Select } from '@mantine/core'
import { useState } from 'react'
import type { SubscriptionTier, Tier } from '../../../../schema/generated/operator-operations.ts'
import { tierName } from '../../../src/format/names.ts'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import type { AccountHead } from '../data/shown.ts'
import { ActDialog } from './act-dialog.tsx'

const tiers: readonly Tier[] = [
  ...(['STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE'] as const),
]
const plans: readonly SubscriptionTier[] = ['pro_sub', 'business_sub', 'enterprise_sub']
const none = 'none'

const planName = (plan: string | null) => (plan === null || plan === none ? 'none' : tierName(plan))

interface SetTierProps {
  readonly account: AccountHead
  readonly onClose: () => void
}

/** Sets the tier of credit packs, and the subscription. */
export function SetTier({ account, onClose }: SetTierProps) {
  const [tier, setTier] = useState<Tier>(account.tier)
  const [plan, setPlan] = useState<SubscriptionTier | null>(account.subscriptionTier)
  const isOtherPlan = plan !== account.subscriptionTier
  const isOther = tier !== account.tier || isOtherPlan
  return (
    <ActDialog
      {...{ title: 'Set the tier', submit: 'Set', onClose, isReady: isOther }}
      changes={[
        { what: 'Tier', before: tierName(account.tier), after: tierName(tier) },
        { what: 'Subscription', before: planName(account.subscriptionTier), after: planName(plan) },
      ]}
      act={(sent) => {
        const asked = { id: account.id, tier, ...(isOtherPlan ? { subscriptionTier: plan } : {}) }
        return ask('SetTier', { ...sent, ...asked }, { timeoutMs: actMs })
      }}
      changed={({ before, ...after }) => [
        {
          what: 'Tier',
          ...{ before: tierName(before?.tier ?? account.tier), after: tierName(after.tier) },
        },
        {
          what: 'Subscription',
          before: planName(before ? before.subscriptionTier : account.subscriptionTier),
          after: planName(after.subscriptionTier),
        },
      ]}
    >
      <Select
        {...{ label: 'Tier', allowDeselect: false, value: tier }}
        data={tiers.map((value) => ({ value, label: tierName(value) }))}
        onChange={(value) => setTier((value ?? tier) as Tier)}
      />
      <Select
        {...{ label: 'Subscription', allowDeselect: false, value: plan ?? none }}
        data={[none, ...plans].map((value) => ({ value, label: planName(value) }))}
        onChange={(value) => setPlan(value === none ? null : (value as SubscriptionTier))}
      />
    </ActDialog>
  )
}
