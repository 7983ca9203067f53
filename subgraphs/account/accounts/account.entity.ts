import { defineEntity, p } from '@mikro-orm/core'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { SubscriptionTier, Tier } from '../prices/tiers.ts'
import type { AccountStatus } from './account.type.ts'

const AccountSchema = defineEntity({
  name: 'AccountEntity',
  tableName: 'account',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    email: p.text(),
    status: p.text().$type<AccountStatus>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
})

/** A customer. The row serves both environments. */
export class AccountEntity extends AccountSchema.class {}
AccountSchema.setClass(AccountEntity)

const PlanSchema = defineEntity({
  name: 'PlanEntity',
  tableName: 'plan',
  properties: {
    accountId: p.text().primary(),
    environment: p.text().$type<Environment>().primary(),
    tier: p.text().$type<Tier>(),
    subscriptionTier: p.text().$type<SubscriptionTier>().nullable(),
  },
})

/** The tiers of an account in one environment. */
export class PlanEntity extends PlanSchema.class {}
PlanSchema.setClass(PlanEntity)
