import { GraphQLSafeInt } from 'graphql-scalars'
import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql'
import { ActInput } from '../../shared/changes/act.ts'
import { Account, AccountStatus } from '../accounts/account.type.ts'
import { SubscriptionTier, Tier } from '../prices/tiers.ts'
import { Addon } from '../subscriptions/addon.type.ts'

@InputType({ description: 'A new account. Its sandbox starts with the same tiers and add-ons.' })
export class CreateAccountInput {
  @Field(() => String, { description: 'Display name, 1 to 200 characters.' })
  name!: string

  @Field(() => String, { description: 'The email address of the account holder.' })
  email!: string

  @Field(() => Tier, { defaultValue: Tier.STARTER, description: 'The credit-pack tier.' })
  tier!: Tier

  @Field(() => String, {
    nullable: true,
    description: 'The mail address of the first OWNER, who is invited.',
  })
  ownerEmail?: string | null

  @Field(() => SubscriptionTier, { nullable: true, description: 'The hybrid subscription tier.' })
  subscriptionTier?: SubscriptionTier | null

  @Field(() => GraphQLSafeInt, { defaultValue: 0, description: 'The whole starting balance.' })
  credits!: number

  @Field(() => [Addon], {
    defaultValue: [Addon.MASS_MAIL, Addon.RANK_TRACKING],
    description: 'The add-ons that are active from the start.',
  })
  addons!: Addon[]
}

@InputType({ description: 'The changes; members left out stay as they are.' })
export class UpdateAccountInput extends ActInput {
  @Field(() => ID, { description: '`acct_…`' })
  id!: string

  @Field(() => Tier, { nullable: true, description: 'The credit-pack tier.' })
  tier?: Tier | null

  @Field(() => SubscriptionTier, {
    nullable: true,
    description:
      'The tier of the hybrid subscription; null ends the subscription. The present tier of a live subscription whose cancellation is scheduled is CONFLICT: `resumeSubscription` takes the cancellation back.',
  })
  subscriptionTier?: SubscriptionTier | null

  @Field(() => AccountStatus, {
    nullable: true,
    description: 'Whether the keys of the account are accepted.',
  })
  status?: AccountStatus | null
}

@Directive('@key(fields: "accountId")')
@ObjectType({ description: 'The new account. The keys subgraph adds its first keys.' })
export class CreateAccountPayload {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => Account, { description: 'The account as created.' })
  account!: Account

  @Field(() => String, {
    nullable: true,
    description:
      'The link with which the first OWNER joins, this once. Null if nobody is invited, or if a mail has it.',
  })
  ownerLink?: string | null
}
