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
  description: 'Claims about the account holder. A claim is null unless a scope covers it.',
})
export class Userinfo implements UserinfoReference {
  @Field(() => ID, { description: '`acct_…`' })
  sub!: string

  @Field(() => String, {
    description: 'The scopes that decide about the claims, separated by spaces.',
  })
  scope!: string

  @Field(() => String, {
    nullable: true,
    description: 'With the scope `profile`: the display name.',
  })
  name?: string | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'With the scope `profile`: when it last changed, in seconds since 1970.',
  })
  updatedAt?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'With the scope `email`: the email address of the account holder.',
  })
  email?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'With the scope `email`: whether the address was verified.',
  })
  emailVerified?: boolean | null

  @Field(() => ID, { nullable: true, description: 'With the scope `account:read`: `acct_…`' })
  accountId?: string | null

  @Field(() => Tier, {
    nullable: true,
    description: 'With the scope `account:read`: the credit-pack tier.',
  })
  tier?: Tier | null

  @Field(() => SubscriptionTier, {
    nullable: true,
    description:
      'With the scope `account:read`: the tier of the hybrid subscription, if there is one.',
  })
  subscriptionTier?: SubscriptionTier | null
}
