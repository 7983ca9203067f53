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
  description:
    'The status of an account. Callers of a SUSPENDED account are answered with ACCOUNT_SUSPENDED, keys of a CLOSED one with INVALID_API_KEY.',
  valuesConfig: {
    ACTIVE: { description: 'The keys are accepted.' },
    SUSPENDED: {
      description:
        'Keys, access tokens and sessions are refused until the account is active again.',
    },
    CLOSED: {
      description:
        'The keys are refused, and everything that the account granted to apps is revoked.',
    },
  },
})

@Directive('@key(fields: "id")')
@ObjectType({
  description:
    'A customer. The environment of the call decides whether its live state or its sandbox state is shown.',
})
export class Account {
  @Field(() => ID, { description: '`acct_…`' })
  id!: string

  @Field(() => String, { description: 'Display name.' })
  name!: string

  @Field(() => String, { description: 'The email address of the account holder.' })
  email!: string

  @Field(() => AccountStatus, { description: 'Whether the keys of the account are accepted.' })
  status!: AccountStatus

  @Field(() => Tier, { description: 'The credit-pack tier.' })
  tier!: Tier

  @Field(() => SubscriptionTier, {
    nullable: true,
    description: 'The tier of the hybrid subscription; null without one.',
  })
  subscriptionTier!: SubscriptionTier | null

  @Field(() => GraphQLSafeInt, {
    description: 'Credits: the sum of the ledger. It includes the credits that are held.',
  })
  balance!: number

  @Field(() => Int, {
    description:
      'Requests per second: the greater of the limits of both live tiers. It applies in both environments.',
  })
  rateLimitRps!: number

  @Field(() => EnvironmentValue, { description: 'The environment that these figures belong to.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When the account was opened.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of accounts, newest first.' })
export class AccountConnection extends connectionOf(Account) {}
