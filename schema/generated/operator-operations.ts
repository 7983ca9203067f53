// Written by `npm run schema` from schema/operator (tools/generate/operation-types.ts).

export type OperatorOperationName = keyof OperatorOperations

/** The operations of the operators' page: their variables, and what is in `data`. */
export interface OperatorOperations {
  readonly AccountApps: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly oauthApps: {
          readonly nodes: readonly {
            readonly clientId: string
            readonly clientName: string
            readonly applicationType: ApplicationType
            readonly scope: string
            readonly status: OAuthAppStatus
            readonly createdAt: string
          }[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountAudit: {
    readonly variables: {
      readonly id: string
      readonly environment: Environment
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly actor?: string | null
      readonly action?: string | null
      readonly result?: string | null
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly auditEvents: {
          readonly nodes: readonly ({
            readonly id: string
            readonly occurredAt: string
            readonly actorKind: AuditActorKind
            readonly actorId: string
            readonly actorRole: string | null
            readonly action: string
            readonly resourceId: string | null
            readonly address: string | null
            readonly requestId: string | null
            readonly traceId: string | null
            readonly result: string
            readonly details: Readonly<Record<string, unknown>>
            readonly seq: number
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountBudgets: {
    readonly variables: {
      readonly id: string
    }
    readonly body: {
      readonly result: {
        readonly budgets: readonly ({
          readonly period: BudgetPeriod
          readonly limitCredits: number
          readonly usedCredits: number
          readonly heldCredits: number
          readonly remainingCredits: number
          readonly resetsAt: string | null
          readonly enforce: boolean
        })[]
      } | null
    }
  }
  readonly AccountConsents: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly consents: {
          readonly nodes: readonly ({
            readonly clientId: string
            readonly clientName: string
            readonly documentHost: string | null
            readonly scope: string
            readonly status: GrantedConsentStatus
            readonly grantedAt: string
            readonly revokedAt: string | null
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountHead: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
        readonly tier: Tier
        readonly subscriptionTier: SubscriptionTier | null
        readonly rateLimitRps: number
        readonly createdAt: string
        readonly isPaymentBlocked: boolean
        readonly credits: {
          readonly balance: number
          readonly held: number
          readonly available: number
          readonly asOf: string
        }
        readonly activity: {
          readonly creditsThisMonth: number
          readonly lastCallAt: string | null
        }
      } | null
    }
  }
  readonly AccountInvoices: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly invoices: {
          readonly nodes: readonly {
            readonly id: string
            readonly number: string
            readonly type: InvoiceType
            readonly status: InvoiceStatus
            readonly totalCents: number
            readonly currency: string
            readonly description: string
            readonly createdAt: string
          }[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountKeys: {
    readonly variables: {
      readonly id: string
    }
    readonly body: {
      readonly result: {
        readonly apiKeys: readonly ({
          readonly id: string
          readonly name: string
          readonly environment: Environment
          readonly prefix: string
          readonly last4: string
          readonly scopes: readonly string[]
          readonly ipAllowlist: readonly string[]
          readonly status: ApiKeyStatus
          readonly enabled: boolean
          readonly externalId: string | null
          readonly createdBy: string
          readonly createdAt: string
          readonly lastUsedAt: string | null
          readonly expiresAt: string | null
          readonly revokedAt: string | null
          readonly budgets: readonly ({
            readonly period: BudgetPeriod
            readonly limitCredits: number
            readonly usedCredits: number
            readonly heldCredits: number
            readonly enforce: boolean
            readonly resetsAt: string | null
          })[]
        })[]
      } | null
    }
  }
  readonly AccountLedger: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly ledger: {
          readonly nodes: readonly ({
            readonly id: string
            readonly kind: LedgerEntryKind
            readonly credits: number
            readonly balanceAfter: number
            readonly description: string
            readonly requestId: string | null
            readonly createdAt: string
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountList: {
    readonly variables: {
      readonly search?: string | null
      readonly filters?: readonly AccountFilter[] | null
      readonly tier?: Tier | null
      readonly order?: AccountOrder
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly ({
          readonly id: string
          readonly name: string
          readonly email: string
          readonly status: AccountStatus
          readonly tier: Tier
          readonly subscriptionTier: SubscriptionTier | null
          readonly balance: number
          readonly createdAt: string
          readonly activity: {
            readonly creditsThisMonth: number
            readonly lastCallAt: string | null
          }
        })[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly AccountLog: {
    readonly variables: {
      readonly id: string
      readonly environment: Environment
      readonly service?: string | null
      readonly statusClass?: number | null
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly requestId?: string | null
      readonly keyId?: string | null
      readonly externalId?: string | null
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly usageLog: {
          readonly nodes: readonly ({
            readonly requestId: string
            readonly ts: string
            readonly method: string
            readonly endpoint: string
            readonly service: string
            readonly status: number
            readonly credits: number
            readonly latencyMs: number
            readonly traceId: string
            readonly backendModule: string
            readonly keyId: string | null
            readonly clientId: string | null
            readonly externalId: string | null
            readonly source: UsageSource
            readonly errorCode: string | null
            readonly errorMessage: string | null
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountLots: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly lots: {
          readonly nodes: readonly ({
            readonly id: string
            readonly source: LotSource
            readonly grantedCredits: number
            readonly remainingCredits: number
            readonly expiresAt: string | null
            readonly paymentId: string | null
            readonly createdAt: string
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountMembers: {
    readonly variables: {
      readonly id: string
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly members: {
          readonly nodes: readonly ({
            readonly id: string
            readonly email: string
            readonly name: string | null
            readonly role: PortalRole
            readonly state: MemberState
            readonly invitedBy: string | null
            readonly passkeys: number
            readonly createdAt: string
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountOfId: {
    readonly variables: {
      readonly id: string
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
      } | null
    }
  }
  readonly AccountPayments: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly payments: {
          readonly nodes: readonly ({
            readonly id: string
            readonly kind: string
            readonly status: string
            readonly provider: string | null
            readonly providerReference: string | null
            readonly packageId: string
            readonly credits: number
            readonly totalCents: number
            readonly refundedCents: number
            readonly currency: string
            readonly failureReason: string | null
            readonly refunds: readonly {
              readonly id: string
              readonly amountCents: number
              readonly status: PaymentRefundStatus
            }[]
            readonly disputes: readonly {
              readonly id: string
              readonly reference: string
              readonly amountCents: number
              readonly status: string
              readonly hasFunds: boolean
            }[]
            readonly createdAt: string
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountPlan: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
    }
    readonly body: {
      readonly result: {
        readonly subscription: {
          readonly tier: SubscriptionTier
          readonly status: EntitlementStatus
          readonly currentPeriodStart: string
          readonly currentPeriodEnd: string
          readonly cancelAtPeriodEnd: boolean
          readonly canceledAt: string | null
          readonly monthlyCredits: number
        } | null
        readonly addons: {
          readonly massMail: {
            readonly active: boolean
            readonly status: AddonStatus
            readonly currentPeriodEnd: string | null
            readonly monthlyQuota: number
            readonly usedThisPeriod: number
          }
          readonly rankTracking: {
            readonly active: boolean
            readonly status: AddonStatus
            readonly keywordLimit: number
            readonly keywordsUsed: number
          }
        }
        readonly billingDetails: {
          readonly name: string | null
          readonly country: string | null
          readonly taxId: string | null
          readonly purchaseOrder: string | null
        }
      } | null
    }
  }
  readonly AccountRecharge: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
    }
    readonly body: {
      readonly result: {
        readonly autoRecharge: {
          readonly enabled: boolean
          readonly thresholdCredits: number | null
          readonly packageId: string | null
          readonly monthlyCapCents: number | null
          readonly state: AutoRechargeState
          readonly lastRechargeAt: string | null
          readonly failureReason: string | null
        }
      } | null
    }
  }
  readonly AccountSessions: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly sessions: {
          readonly nodes: readonly ({
            readonly id: string
            readonly keyName: string | null
            readonly role: string | null
            readonly actor: string | null
            readonly address: string | null
            readonly createdAt: string
            readonly expiresAt: string
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountUsage: {
    readonly variables: {
      readonly id: string
      readonly environment: Environment
      readonly from: string | Date
    }
    readonly body: {
      readonly result: {
        readonly usageSummary: {
          readonly from: string
          readonly to: string
          readonly items: readonly ({
            readonly start: string
            readonly service: string | null
            readonly credits: number
          })[]
        }
      } | null
    }
  }
  readonly AccountWebhooks: {
    readonly variables: {
      readonly id: string
      readonly environment: EnvironmentInput
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly webhookEndpoints: {
          readonly nodes: readonly ({
            readonly id: string
            readonly url: string
            readonly events: readonly string[]
            readonly status: WebhookEndpointStatus
            readonly failingSince: string | null
            readonly createdAt: string
          })[]
          readonly pageInfo: {
            readonly hasNextPage: boolean
            readonly endCursor: string | null
          }
        }
      } | null
    }
  }
  readonly AccountsOfExternalId: {
    readonly variables: {
      readonly externalId: string
    }
    readonly body: {
      readonly result: readonly {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
      }[]
    }
  }
  readonly AccountsOfKeyPrefix: {
    readonly variables: {
      readonly prefix: string
    }
    readonly body: {
      readonly result: readonly {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
      }[]
    }
  }
  readonly AccountsOfMail: {
    readonly variables: {
      readonly email: string
    }
    readonly body: {
      readonly holder: readonly {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
      }[]
      readonly member: readonly {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
      }[]
    }
  }
  readonly AdjustCredits: {
    readonly variables: {
      readonly input: AdjustCreditsInput
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly credits: number
        readonly balanceAfter: number
      }
    }
  }
  readonly BalanceDrifts: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly result: readonly ({
        readonly accountId: string
        readonly environment: Environment
        readonly seq: number | null
        readonly problem: string
      })[]
    }
  }
  readonly CloseAccount: {
    readonly variables: {
      readonly id: string
      readonly reason: string
      readonly idempotencyKey: string
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly status: AccountStatus
        readonly before: {
          readonly status: AccountStatus
        } | null
      }
    }
  }
  readonly CreatePortalLink: {
    readonly variables: {
      readonly input: CreatePortalLinkInput
    }
    readonly body: {
      readonly result: {
        readonly url: string
        readonly expiresAt: string
      }
    }
  }
  readonly DeadJobs: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly result: readonly {
        readonly id: string
        readonly operation: string
        readonly subject: Readonly<Record<string, unknown>>
        readonly reason: string
        readonly failedAt: string
      }[]
    }
  }
  readonly EndSessions: {
    readonly variables: {
      readonly input: EndSessionsInput
    }
    readonly body: {
      readonly result: {
        readonly ended: number
        readonly openBefore: number
        readonly openAfter: number
      }
    }
  }
  readonly FailingRecharges: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly {
          readonly accountId: string
          readonly accountName: string
          readonly state: string
          readonly failureReason: string
          readonly declines: number
          readonly tryAt: string
        }[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly FailingWebhooks: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly ({
          readonly id: string
          readonly accountId: string
          readonly accountName: string
          readonly host: string
          readonly status: string
          readonly failingSince: string
          readonly lastFailedAt: string | null
        })[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly GatewayProcesses: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly result: readonly ({
        readonly id: string
        readonly role: string
        readonly version: string
        readonly startedAt: string
        readonly seenAt: string
        readonly overloadRefusals: number
        readonly modules: readonly ({
          readonly name: string
          readonly isBreakerOpen: boolean
          readonly calls: number
          readonly failures: number
          readonly meanMs: number | null
        })[]
        readonly queues: readonly {
          readonly name: string
          readonly waiting: number
          readonly oldestSeconds: number
        }[]
        readonly deadJobs: number | null
        readonly books: {
          readonly drifts: number
          readonly comparedAt: string | null
          readonly digestAt: string | null
          readonly digestOverdueSeconds: number
        } | null
      })[]
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
  readonly LiftPaymentBlock: {
    readonly variables: {
      readonly input: LiftPaymentBlockInput
      readonly environment: EnvironmentInput
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly isPaymentBlocked: boolean
        readonly before: {
          readonly isPaymentBlocked: boolean
        } | null
      }
    }
  }
  readonly NegativeAccounts: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly {
          readonly id: string
          readonly name: string
          readonly status: AccountStatus
          readonly balance: number
        }[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly OpenDisputes: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly {
          readonly id: string
          readonly accountId: string
          readonly accountName: string
          readonly paymentId: string
          readonly reference: string
          readonly status: string
          readonly amountCents: number
          readonly currency: string
          readonly createdAt: string
        }[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly PaymentsInDoubt: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly ({
          readonly id: string
          readonly accountId: string
          readonly accountName: string
          readonly kind: string
          readonly provider: string | null
          readonly totalCents: number
          readonly currency: string
          readonly createdAt: string
          readonly askAt: string
        })[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly PendingRefunds: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly ({
          readonly id: string
          readonly accountId: string
          readonly accountName: string
          readonly paymentId: string
          readonly amountCents: number
          readonly currency: string
          readonly reason: string | null
          readonly createdAt: string
          readonly askAt: string
        })[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
  readonly RefundCharge: {
    readonly variables: {
      readonly input: RefundChargeInput
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly credits: number
        readonly balanceAfter: number
      }
    }
  }
  readonly RefundPayment: {
    readonly variables: {
      readonly input: RefundPaymentInput
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly amountCents: number
        readonly leftBeforeCents: number | null
        readonly status: PaymentRefundStatus
      }
    }
  }
  readonly ResumeAccount: {
    readonly variables: {
      readonly id: string
      readonly reason: string
      readonly idempotencyKey: string
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly status: AccountStatus
        readonly before: {
          readonly status: AccountStatus
        } | null
      }
    }
  }
  readonly RetryJobs: {
    readonly variables: {
      readonly input: RetryJobsInput
    }
    readonly body: {
      readonly result: {
        readonly retried: number
        readonly deadBefore: number
        readonly deadAfter: number
      }
    }
  }
  readonly RevokeApiKey: {
    readonly variables: {
      readonly id: string
      readonly reason: string
      readonly idempotencyKey: string
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly status: ApiKeyStatus
        readonly statusBefore: ApiKeyStatus | null
      }
    }
  }
  readonly SetTier: {
    readonly variables: {
      readonly id: string
      readonly tier: Tier
      readonly subscriptionTier?: SubscriptionTier | null
      readonly reason: string
      readonly idempotencyKey: string
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly tier: Tier
        readonly subscriptionTier: SubscriptionTier | null
        readonly before: {
          readonly tier: Tier
          readonly subscriptionTier: SubscriptionTier | null
        } | null
      }
    }
  }
  readonly SigningKeys: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly result: readonly ({
        readonly kid: string
        readonly use: string
        readonly environment: Environment
        readonly createdAt: string
        readonly activateAt: string
        readonly revokedAt: string | null
      })[]
    }
  }
  readonly SuspendAccount: {
    readonly variables: {
      readonly id: string
      readonly reason: string
      readonly idempotencyKey: string
    }
    readonly body: {
      readonly result: {
        readonly id: string
        readonly status: AccountStatus
        readonly before: {
          readonly status: AccountStatus
        } | null
      }
    }
  }
  readonly UnmatchedNotifications: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly result: {
        readonly nodes: readonly ({
          readonly id: string
          readonly accountId: string | null
          readonly environment: Environment
          readonly provider: string
          readonly kind: string
          readonly reference: string
          readonly paymentId: string | null
          readonly amountCents: number | null
          readonly currency: string | null
          readonly reason: string
          readonly timesSeen: number
          readonly createdAt: string
          readonly lastSeenAt: string
        })[]
        readonly pageInfo: {
          readonly hasNextPage: boolean
          readonly endCursor: string | null
        }
      }
    }
  }
}

export type AccountFilter = 'SUSPENDED' | 'CLOSED' | 'LOW' | 'NEGATIVE' | 'PAST_DUE' | 'DISPUTED'

export type AccountOrder = 'NEWEST' | 'LOWEST_BALANCE' | 'HIGHEST_BALANCE'

export type AccountStatus = 'ACTIVE' | 'SUSPENDED' | 'CLOSED'

export type AddonStatus = 'active' | 'scheduled_to_cancel' | 'canceled' | 'inactive'

export interface AdjustCreditsInput {
  readonly accountId: string
  readonly reason: string
  readonly idempotencyKey: string
  readonly environment?: EnvironmentInput | null
  readonly credits: number
  readonly allowNegative?: boolean | null
}

export type ApiKeyStatus = 'active' | 'revoked' | 'expired'

export type ApplicationType = 'web' | 'native' | 'spa'

export type AuditActorKind = 'key' | 'oauth_client' | 'internal' | 'system' | 'anonymous' | 'session'

export type AutoRechargeState = 'idle' | 'pending' | 'action_required' | 'suspended'

export type BudgetPeriod = 'day' | 'week' | 'month' | 'total'

export interface CreatePortalLinkInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly accountId: string
  readonly environment: EnvironmentInput
  readonly role: PortalRole
  readonly actor: string
  readonly returnUrl?: string | null
}

export interface EndSessionsInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly accountId: string
  readonly sessionId?: string | null
}

export type EntitlementStatus = 'active' | 'scheduled_to_cancel' | 'canceled'

export type Environment = 'live' | 'sandbox'

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

export type GrantedConsentStatus = 'active' | 'revoked'

export type InvoiceStatus = 'paid' | 'open' | 'void'

export type InvoiceType = 'invoice' | 'credit_note'

export type LedgerEntryKind = 'grant' | 'purchase' | 'allowance' | 'charge' | 'refund' | 'expiry' | 'adjustment' | 'clawback' | 'reinstatement'

export interface LiftPaymentBlockInput {
  readonly accountId: string
  readonly environment: EnvironmentInput
  readonly reason?: string | null
  readonly idempotencyKey: string
}

export type LotSource = 'purchase' | 'allowance' | 'grant' | 'refund' | 'adjustment' | 'reinstatement'

export type MemberState = 'invited' | 'unconfirmed' | 'active'

export type OAuthAppStatus = 'active' | 'suspended'

export type PaymentRefundStatus = 'pending' | 'succeeded' | 'failed'

export type PortalRole = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER'

export interface RefundChargeInput {
  readonly accountId: string
  readonly reason: string
  readonly idempotencyKey: string
  readonly requestId: string
}

export interface RefundPaymentInput {
  readonly paymentId: string
  readonly amountCents?: number | null
  readonly reason: string
  readonly idempotencyKey: string
}

export interface RetryJobsInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly id?: string | null
  readonly operation?: string | null
}

export type SubscriptionTier = 'pro_sub' | 'business_sub' | 'enterprise_sub'

export type Tier = 'STARTER' | 'GROWTH' | 'PROFESSIONAL' | 'BUSINESS' | 'ENTERPRISE' | 'SCALE'

export type UsageSource = 'key' | 'token' | 'session'

export type WebhookEndpointStatus = 'enabled' | 'disabled'
