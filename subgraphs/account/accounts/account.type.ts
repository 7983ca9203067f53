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

/** What an operator looks for among all accounts. */
export enum AccountFilter {
  SUSPENDED = 'SUSPENDED',
  CLOSED = 'CLOSED',
  LOW = 'LOW',
  NEGATIVE = 'NEGATIVE',
  PAST_DUE = 'PAST_DUE',
  DISPUTED = 'DISPUTED',
}

registerEnumType(AccountFilter, {
  name: 'AccountFilter',
  description: 'What an operator looks for among all accounts.',
  valuesConfig: {
    SUSPENDED: { description: 'The account is suspended.' },
    CLOSED: { description: 'The account is closed.' },
    LOW: { description: 'The account was told that its credits run low, or are used up.' },
    NEGATIVE: { description: 'The balance is below 0, and the account was told of it.' },
    PAST_DUE: { description: 'The present period of the subscription is not paid.' },
    DISPUTED: {
      description: 'A payment is disputed, or payments are blocked since one was.',
    },
  },
})

/** The order of a list of accounts. */
export enum AccountOrder {
  NEWEST = 'NEWEST',
  LOWEST_BALANCE = 'LOWEST_BALANCE',
  HIGHEST_BALANCE = 'HIGHEST_BALANCE',
}

registerEnumType(AccountOrder, {
  name: 'AccountOrder',
  description: 'The order of a list of accounts. Balances need a filter or a tier.',
  valuesConfig: {
    NEWEST: { description: 'The account that was opened last comes first.' },
    LOWEST_BALANCE: { description: 'The least balance comes first.' },
    HIGHEST_BALANCE: { description: 'The greatest balance comes first.' },
  },
})

@ObjectType({ description: 'What acts of operators change of an account.' })
export class AccountState {
  @Field(() => AccountStatus, { description: 'Whether the keys of the account are accepted.' })
  status!: AccountStatus

  @Field(() => Tier, { description: 'The credit-pack tier.' })
  tier!: Tier

  @Field(() => SubscriptionTier, {
    nullable: true,
    description: 'The tier of the hybrid subscription; null without one.',
  })
  subscriptionTier!: SubscriptionTier | null

  @Field(() => Boolean, { description: 'Whether a dispute blocks payments.' })
  isPaymentBlocked!: boolean
}

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

  @Field(() => AccountState, {
    nullable: true,
    description: 'In the answer of a mutation that has changed the account: its state before.',
  })
  before?: AccountState | null
}

@ObjectType({ description: 'A page of accounts.' })
export class AccountConnection extends connectionOf(Account) {}
