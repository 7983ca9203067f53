import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Directive,
  Field,
  GraphQLISODateTime,
  ID,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'
import { SubscriptionTier, Tier } from '../prices/tiers.ts'

export enum AccountStatus {
  ACTIVE = 'ACTIVE',
  SUSPENDED = 'SUSPENDED',
  CLOSED = 'CLOSED',
}

registerEnumType(AccountStatus, {
  name: 'AccountStatus',
  description: 'Keys of an account that is not ACTIVE answer INVALID_API_KEY.',
  valuesConfig: {
    ACTIVE: { description: 'Its keys are accepted.' },
    SUSPENDED: { description: 'Its keys are refused until it is active again.' },
    CLOSED: { description: 'Its keys are refused, and what it granted to apps has ended.' },
  },
})

@Directive('@key(fields: "id")')
@ObjectType({ description: 'A customer, as it stands in the environment of the call.' })
export class Account {
  @Field(() => ID, { description: '`acct_…`' })
  id!: string

  @Field(() => String, { description: 'Display name.' })
  name!: string

  @Field(() => String, { description: 'Where the account holder is reached.' })
  email!: string

  @Field(() => AccountStatus, { description: 'Whether its keys are accepted.' })
  status!: AccountStatus

  @Field(() => Tier, { description: 'The credit-pack tier.' })
  tier!: Tier

  @Field(() => SubscriptionTier, {
    nullable: true,
    description: 'The hybrid subscription tier, if there is one.',
  })
  subscriptionTier!: SubscriptionTier | null

  @Field(() => GraphQLSafeInt, { description: 'Credits: the sum of the ledger, holds included.' })
  balance!: number

  @Field(() => Int, {
    description:
      'Requests per second: the greater of what both live tiers allow, in both environments.',
  })
  rateLimitRps!: number

  @Field(() => EnvironmentValue, { description: 'The environment these figures belong to.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When the account was opened.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of accounts, newest first.' })
export class AccountConnection extends connectionOf(Account) {}
