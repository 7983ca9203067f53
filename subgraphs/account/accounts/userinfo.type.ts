import { GraphQLSafeInt } from 'graphql-scalars'
import { Directive, Field, ID, ObjectType } from 'type-graphql'
import { SubscriptionTier, Tier } from '../prices/tiers.ts'

/** The account holder, and the scopes that decide which claims are shown. */
export interface UserinfoReference {
  readonly sub: string
  readonly scope: string
}

@Directive('@key(fields: "sub scope")')
@ObjectType({
  description: 'Claims about the account holder: null is what the scopes do not cover.',
})
export class Userinfo implements UserinfoReference {
  @Field(() => ID, { description: '`acct_…`' })
  sub!: string

  @Field(() => String, {
    description: 'The scopes that decide which claims there are, separated by spaces.',
  })
  scope!: string

  @Field(() => String, { nullable: true, description: 'Of profile: the display name.' })
  name?: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Of profile: when it last changed, in seconds since 1970.',
  })
  updatedAt?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'Of email: where the account holder is reached.',
  })
  email?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Of email: whether that was verified.' })
  emailVerified?: boolean | null

  @Field(() => ID, { nullable: true, description: 'Of account:read: `acct_…`' })
  accountId?: string | null

  @Field(() => Tier, { nullable: true, description: 'Of account:read: the credit-pack tier.' })
  tier?: Tier | null

  @Field(() => SubscriptionTier, {
    nullable: true,
    description: 'Of account:read: the hybrid subscription tier, if there is one.',
  })
  subscriptionTier?: SubscriptionTier | null
}
