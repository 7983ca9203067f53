// Written by `npm run schema` from schema/operator (tools/generate/operation-types.ts).

export type OperatorOperationName = keyof OperatorOperations

/** The operations of the operators' page: their variables, and what is in `data`. */
export interface OperatorOperations {
  readonly AccountList: {
    readonly variables: {
      readonly search?: string | null
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly {
          readonly id: string
          readonly name: string
          readonly email: string
          readonly status: AccountStatus
          readonly tier: Tier
          readonly subscriptionTier: SubscriptionTier | null
          readonly balance: number
          readonly createdAt: string
        }[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly GrantCredits: {
    readonly variables: {
      readonly input: GrantCreditsInput
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly credits: number
        readonly balanceAfter: number
      }
    }
  }
}

export type AccountStatus = 'ACTIVE' | 'SUSPENDED' | 'CLOSED'

export type EnvironmentInput = 'LIVE' | 'SANDBOX'

export interface GrantCreditsInput {
  readonly accountId: string
  readonly reason: string
  readonly idempotencyKey: string
  readonly environment?: EnvironmentInput | null
  readonly credits: number
  readonly expiresAt?: string | Date | null
  readonly priority?: number | null
}

export type SubscriptionTier = 'pro_sub' | 'business_sub' | 'enterprise_sub'

export type Tier = 'STARTER' | 'GROWTH' | 'PROFESSIONAL' | 'BUSINESS' | 'ENTERPRISE' | 'SCALE'
