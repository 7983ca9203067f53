// Written by `npm run schema` from the persisted operations (tools/generate/operation-types.ts).

export type OperationName = keyof Operations

/** The variables of an operation. Of one that is known at run time only, they are not checked. */
export type VariablesOf<Name extends OperationName> = OperationName extends Name
  ? Readonly<Record<string, unknown>>
  : Operations[Name]['variables']

/** What an operation returns: its root field `result`, with its other root fields as further members. */
export type BodyOf<Name extends OperationName> = OperationName extends Name
  ? unknown
  : Operations[Name]['body']

/** The operations whose bodies have such members. */
export type OperationWith<Members> = {
  [Name in OperationName]: Operations[Name]['body'] extends Members ? Name : never
}[OperationName]

export interface Operations {
  readonly AdjustCredits: {
    readonly variables: {
      readonly input: AdjustCreditsInput
    }
    readonly body: {
      readonly id: string
      readonly kind: LedgerEntryKind
      readonly credits: number
      readonly balance_after: number
      readonly description: string
      readonly created_at: string
    }
  }
  readonly AuditLedger: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly entries: number
      readonly balances: number
      readonly drifts: readonly ({
        readonly account_id: string
        readonly environment: Environment
        readonly seq: number | null
        readonly problem: string
      })[]
    }
  }
  readonly CancelMassMail: {
    readonly variables: {
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly mass_mail: {
        readonly active: boolean
        readonly status: AddonStatus
        readonly current_period_end: string | null
        readonly cancel_at_period_end: boolean
        readonly monthly_quota: number
        readonly used_this_period: number
      }
      readonly rank_tracking: {
        readonly active: boolean
        readonly status: AddonStatus
        readonly keyword_limit: number
        readonly keywords_used: number
      }
    }
  }
  readonly CancelSubscription: {
    readonly variables: {
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly tier: SubscriptionTier
      readonly status: EntitlementStatus
      readonly current_period_start: string
      readonly current_period_end: string
      readonly cancel_at_period_end: boolean
      readonly canceled_at: string | null
      readonly monthly_credits: number
    }
  }
  readonly ChangeAccountBudgets: {
    readonly variables: {
      readonly budgets: readonly BudgetInput[]
    }
    readonly body: {
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly ChangeBillingDetails: {
    readonly variables: {
      readonly name: string
      readonly address: BillingAddressInput
      readonly country: string
      readonly tax_id?: string | null
      readonly purchase_order?: string | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly name: string | null
      readonly address: {
        readonly line1: string
        readonly line2: string | null
        readonly city: string
        readonly postal_code: string
        readonly state: string | null
      } | null
      readonly country: string | null
      readonly tax_id: string | null
      readonly purchase_order: string | null
    }
  }
  readonly ChangeNotifications: {
    readonly variables: {
      readonly emails: readonly string[]
      readonly kinds: readonly NotificationKind[]
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly emails: readonly {
        readonly address: string
        readonly confirmed: boolean
      }[]
      readonly kinds: readonly NotificationKind[]
    }
  }
  readonly ChangePlan: {
    readonly variables: {
      readonly tier: SubscriptionTier
      readonly when?: PlanChangeTime | null
      readonly quote_id?: string | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly status: PlanChangeStatus
      readonly kind: PlanChangeKind
      readonly tier: SubscriptionTier
      readonly from_tier: SubscriptionTier | null
      readonly effective_at: string | null
      readonly payment_id: string | null
      readonly action_url: string | null
      readonly due_cents: number
      readonly tax_cents: number
      readonly total_cents: number
      readonly currency: string
      readonly granted_credits: number
      readonly subscription: {
        readonly tier: SubscriptionTier
        readonly status: EntitlementStatus
        readonly current_period_start: string
        readonly current_period_end: string
        readonly cancel_at_period_end: boolean
        readonly canceled_at: string | null
        readonly monthly_credits: number
      } | null
    }
  }
  readonly ChangeWebhookEndpoint: {
    readonly variables: {
      readonly endpoint_id: string
      readonly url?: string | null
      readonly events?: readonly string[] | null
      readonly description?: string | null
      readonly status?: WebhookEndpointStatus | null
    }
    readonly body: {
      readonly id: string
      readonly url: string
      readonly events: readonly string[]
      readonly description: string | null
      readonly status: WebhookEndpointStatus
      readonly failing_since: string | null
      readonly delivery_rate: number | null
      readonly delivery_days: readonly {
        readonly day: string
        readonly tried: number
        readonly arrived: number
      }[]
      readonly created_at: string
    }
  }
  readonly CheckLedgerHeads: {
    readonly variables: {
      readonly heads: readonly LedgerHeadInput[]
    }
    readonly body: {
      readonly breaks: readonly {
        readonly account_id: string
        readonly environment: Environment
        readonly seq: number
        readonly problem: string
      }[]
      readonly sums: readonly {
        readonly environment: Environment
        readonly kind: string
        readonly entries: number
        readonly credits: string
      }[]
    }
  }
  readonly Checkout: {
    readonly variables: {
      readonly package_id: string
      readonly payment_method?: string | null
      readonly return_url?: string | null
      readonly client_reference_id?: string | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly status: CheckoutStatus
      readonly package_id: string
      readonly credits: number
      readonly price_cents: number
      readonly tax_cents: number
      readonly total_cents: number
      readonly refunded_cents: number
      readonly currency: string
      readonly action_url: string | null
      readonly invoice_id: string | null
      readonly failure_reason: string | null
      readonly client_reference_id: string | null
      readonly expires_at: string | null
      readonly created_at: string
    }
  }
  readonly ClaimOperatorAct: {
    readonly variables: {
      readonly input: ClaimedActInput
    }
    readonly body: boolean
  }
  readonly CollectPayment: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly CollectRefund: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly ConfigureAutoRecharge: {
    readonly variables: {
      readonly enabled?: boolean | null
      readonly threshold_credits?: number | null
      readonly package_id?: string | null
      readonly monthly_cap_cents?: number | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly enabled: boolean
      readonly threshold_credits: number | null
      readonly package_id: string | null
      readonly monthly_cap_cents: number | null
      readonly state: AutoRechargeState
      readonly last_recharge_at: string | null
      readonly failure_reason: string | null
      readonly missing: readonly AutoRechargeNeed[]
    }
  }
  readonly ConfirmNotificationEmail: {
    readonly variables: {
      readonly token: string
    }
    readonly body: {
      readonly address: string | null
      readonly is_confirmed: boolean
    }
  }
  readonly CreateAccount: {
    readonly variables: {
      readonly input: CreateAccountInput
    }
    readonly body: {
      readonly account: {
        readonly id: string
      }
      readonly liveKey: string | null
      readonly sandboxKey: string | null
      readonly ownerLink: string | null
    }
  }
  readonly CreateWebhookEndpoint: {
    readonly variables: {
      readonly url: string
      readonly events: readonly string[]
      readonly description?: string | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly url: string
      readonly events: readonly string[]
      readonly description: string | null
      readonly status: WebhookEndpointStatus
      readonly failing_since: string | null
      readonly delivery_rate: number | null
      readonly delivery_days: readonly {
        readonly day: string
        readonly tried: number
        readonly arrived: number
      }[]
      readonly created_at: string
      readonly secret: string
    }
  }
  readonly DecideSimulatedPayment: {
    readonly variables: {
      readonly payment_id: string
      readonly signature: string
      readonly choice: SimulatedChoice
      readonly card?: string | null
    }
    readonly body: {
      readonly id: string
      readonly status: CheckoutStatus
      readonly state: string
      readonly description: string
      readonly total_cents: number
      readonly currency: string
      readonly cards: readonly {
        readonly name: string
        readonly description: string
      }[]
      readonly returns: readonly SimulatedChoice[]
      readonly notice: string | null
      readonly return_url: string
      readonly expires_at: string | null
    }
  }
  readonly DeletePaymentMethod: {
    readonly variables: {
      readonly payment_method_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly brand: string
      readonly last4: string
      readonly exp_month: number
      readonly exp_year: number
      readonly default: boolean
      readonly created_at: string
    }
  }
  readonly DeleteWebhookEndpoint: {
    readonly variables: {
      readonly endpoint_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly url: string
      readonly events: readonly string[]
      readonly description: string | null
      readonly status: WebhookEndpointStatus
      readonly failing_since: string | null
      readonly delivery_rate: number | null
      readonly delivery_days: readonly {
        readonly day: string
        readonly tried: number
        readonly arrived: number
      }[]
      readonly created_at: string
    }
  }
  readonly EndGrace: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly beganAt: string | Date
    }
    readonly body: boolean
  }
  readonly ExpireGrants: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
    }
    readonly body: boolean
  }
  readonly ExpireHolds: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: readonly {
      readonly requestId: string
      readonly accountId: string
      readonly environment: Environment
      readonly request: Readonly<Record<string, unknown>>
    }[]
  }
  readonly FindAccount: {
    readonly variables: {
      readonly id: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly status: AccountStatus
    } | null
  }
  readonly FindAccountsOfHolder: {
    readonly variables: {
      readonly email: string
    }
    readonly body: readonly {
      readonly id: string
    }[]
  }
  readonly FindBudgetedSpenders: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly spenders: readonly string[]
    }
    readonly body: readonly string[]
  }
  readonly FollowConfirmationLink: {
    readonly variables: {
      readonly token: string
    }
    readonly body: {
      readonly address: string | null
      readonly is_confirmed: boolean
    }
  }
  readonly FollowReturnLink: {
    readonly variables: {
      readonly checkout_id: string
      readonly expires: string
      readonly signature: string
    }
    readonly body: {
      readonly status: CheckoutStatus
    }
  }
  readonly FollowUnsubscribeLink: {
    readonly variables: {
      readonly token: string
    }
    readonly body: {
      readonly address: string | null
      readonly is_confirmed: boolean
    }
  }
  readonly ForgetEvents: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly ForgetIdempotencyKeys: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly ForgetMails: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly GetAccount: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly id: string
      readonly name: string
      readonly email: string
      readonly tier: Tier
      readonly subscription_tier: SubscriptionTier | null
      readonly balance: number
      readonly rate_limit_rps: number
      readonly environment: Environment
      readonly created_at: string
    }
  }
  readonly GetAccountBudgets: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly GetAddons: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly mass_mail: {
        readonly active: boolean
        readonly status: AddonStatus
        readonly current_period_end: string | null
        readonly cancel_at_period_end: boolean
        readonly monthly_quota: number
        readonly used_this_period: number
      }
      readonly rank_tracking: {
        readonly active: boolean
        readonly status: AddonStatus
        readonly keyword_limit: number
        readonly keywords_used: number
      }
    }
  }
  readonly GetAttention: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly account: readonly ({
        readonly kind: AttentionKind
        readonly severity: AttentionSeverity
        readonly title: string
        readonly resource_id: string | null
        readonly action: {
          readonly label: string
          readonly url: string | null
        }
      })[]
      readonly keys: readonly ({
        readonly kind: AttentionKind
        readonly severity: AttentionSeverity
        readonly title: string
        readonly resource_id: string | null
        readonly action: {
          readonly label: string
          readonly url: string | null
        }
      })[]
      readonly apps: readonly ({
        readonly kind: AttentionKind
        readonly severity: AttentionSeverity
        readonly title: string
        readonly resource_id: string | null
        readonly action: {
          readonly label: string
          readonly url: string | null
        }
      })[]
    }
  }
  readonly GetBilling: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: ({
      readonly current_balance: number
      readonly credit_packages: readonly {
        readonly id: string
        readonly tier: Tier
        readonly name: string
        readonly credits: number
        readonly price_cents: number
        readonly currency: string
      }[]
      readonly auto_recharge: {
        readonly enabled: boolean
        readonly threshold_credits: number | null
        readonly package_id: string | null
        readonly monthly_cap_cents: number | null
        readonly state: AutoRechargeState
        readonly last_recharge_at: string | null
        readonly failure_reason: string | null
        readonly missing: readonly AutoRechargeNeed[]
      }
      readonly recent_ledger: readonly ({
        readonly id: string
        readonly kind: LedgerEntryKind
        readonly credits: number
        readonly balance_after: number
        readonly description: string
        readonly request_id: string | null
        readonly created_at: string
      })[]
      readonly invoices: readonly ({
        readonly id: string
        readonly number: string
        readonly type: InvoiceType
        readonly status: InvoiceStatus
        readonly total_cents: number
        readonly tax_cents: number
        readonly currency: string
        readonly credits: number
        readonly description: string
        readonly pdf_url: string
        readonly original_invoice_id: string | null
        readonly created_at: string
      })[]
    }) & {
      readonly month_to_date: {
        readonly requests: number
        readonly credits: number
        readonly by_service: readonly {
          readonly service: string
          readonly requests: number
          readonly credits: number
        }[]
      }
    }
  }
  readonly GetBillingDetails: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly name: string | null
      readonly address: {
        readonly line1: string
        readonly line2: string | null
        readonly city: string
        readonly postal_code: string
        readonly state: string | null
      } | null
      readonly country: string | null
      readonly tax_id: string | null
      readonly purchase_order: string | null
    }
  }
  readonly GetCheckout: {
    readonly variables: {
      readonly checkout_id: string
    }
    readonly body: {
      readonly id: string
      readonly status: CheckoutStatus
      readonly package_id: string
      readonly credits: number
      readonly price_cents: number
      readonly tax_cents: number
      readonly total_cents: number
      readonly refunded_cents: number
      readonly currency: string
      readonly action_url: string | null
      readonly invoice_id: string | null
      readonly failure_reason: string | null
      readonly client_reference_id: string | null
      readonly expires_at: string | null
      readonly created_at: string
    }
  }
  readonly GetCredits: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly balance: number
      readonly held: number
      readonly available: number
      readonly as_of: string
    }
  }
  readonly GetInvoice: {
    readonly variables: {
      readonly invoice_id: string
    }
    readonly body: {
      readonly id: string
      readonly number: string
      readonly type: InvoiceType
      readonly status: InvoiceStatus
      readonly total_cents: number
      readonly tax_cents: number
      readonly currency: string
      readonly credits: number
      readonly description: string
      readonly pdf_url: string
      readonly original_invoice_id: string | null
      readonly created_at: string
    }
  }
  readonly GetInvoicePdf: {
    readonly variables: {
      readonly invoice_id: string
    }
    readonly body: {
      readonly number: string
      readonly status: InvoiceStatus
      readonly content: string
    }
  }
  readonly GetMailQueue: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly waiting: number
      readonly oldestSeconds: number
    }
  }
  readonly GetNextRecharge: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly obstacle: RechargeObstacle | null
      readonly below_credits: number | null
      readonly package_id: string | null
      readonly credits: number | null
      readonly price_cents: number | null
      readonly tax_cents: number | null
      readonly total_cents: number | null
      readonly currency: string
      readonly spent_cents: number
      readonly monthly_cap_cents: number | null
      readonly earliest_at: string | null
    }
  }
  readonly GetNotifications: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly emails: readonly {
        readonly address: string
        readonly confirmed: boolean
      }[]
      readonly kinds: readonly NotificationKind[]
    }
  }
  readonly GetOverview: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly account: {
        readonly id: string
        readonly name: string
        readonly email: string
        readonly tier: Tier
        readonly subscription_tier: SubscriptionTier | null
        readonly balance: number
        readonly rate_limit_rps: number
        readonly environment: Environment
        readonly created_at: string
      }
      readonly usage: {
        readonly month_to_date: {
          readonly requests: number
          readonly credits: number
          readonly success_rate: number
          readonly by_service: readonly {
            readonly service: string
            readonly requests: number
            readonly credits: number
          }[]
        }
        readonly today: {
          readonly requests: number
          readonly credits: number
          readonly success_rate: number
        }
      }
      readonly subscription: {
        readonly tier: SubscriptionTier
        readonly status: EntitlementStatus
        readonly current_period_start: string
        readonly current_period_end: string
        readonly cancel_at_period_end: boolean
        readonly canceled_at: string | null
        readonly monthly_credits: number
      } | null
      readonly addons: {
        readonly mass_mail: {
          readonly active: boolean
          readonly status: AddonStatus
          readonly current_period_end: string | null
          readonly cancel_at_period_end: boolean
          readonly monthly_quota: number
          readonly used_this_period: number
        }
        readonly rank_tracking: {
          readonly active: boolean
          readonly status: AddonStatus
          readonly keyword_limit: number
          readonly keywords_used: number
        }
      }
      readonly webhooks: {
        readonly endpoints: number
        readonly disabled: number
        readonly delivery_rate: number | null
      }
    }
  }
  readonly GetPayment: {
    readonly variables: {
      readonly payment_id: string
    }
    readonly body: {
      readonly id: string
      readonly source: PaymentSource
      readonly status: CheckoutStatus
      readonly description: string
      readonly credits: number
      readonly price_cents: number
      readonly tax_cents: number
      readonly total_cents: number
      readonly refunded_cents: number
      readonly disputed: boolean
      readonly currency: string
      readonly card: {
        readonly brand: string
        readonly last4: string
      } | null
      readonly action_url: string | null
      readonly failure_reason: string | null
      readonly invoice_id: string | null
      readonly created_at: string
      readonly settled_at: string | null
    }
  }
  readonly GetPaymentMethod: {
    readonly variables: {
      readonly payment_method_id: string
    }
    readonly body: {
      readonly id: string
      readonly brand: string
      readonly last4: string
      readonly exp_month: number
      readonly exp_year: number
      readonly default: boolean
      readonly created_at: string
    }
  }
  readonly GetReturnStatus: {
    readonly variables: {
      readonly checkout_id: string
      readonly expires: string
      readonly signature: string
    }
    readonly body: {
      readonly status: CheckoutStatus
    }
  }
  readonly GetWebhookDelivery: {
    readonly variables: {
      readonly endpoint_id: string
      readonly delivery_id: string
    }
    readonly body: {
      readonly id: string
      readonly event_id: string
      readonly event_type: string
      readonly status: WebhookDeliveryStatus
      readonly attempt_count: number
      readonly attempts: readonly ({
        readonly attempted_at: string
        readonly status_code: number | null
        readonly latency_ms: number
        readonly failure: string | null
        readonly request_headers: Readonly<Record<string, unknown>> | null
        readonly response_text: string | null
      })[]
      readonly next_attempt_at: string | null
      readonly created_at: string
      readonly payload: Readonly<Record<string, unknown>> | null
    }
  }
  readonly GetWebhookEvent: {
    readonly variables: {
      readonly event_id: string
    }
    readonly body: {
      readonly id: string
      readonly type: string
      readonly created_at: string
      readonly deliveries: readonly {
        readonly id: string
        readonly endpoint_id: string
        readonly status: WebhookDeliveryStatus
      }[]
    }
  }
  readonly GetWebhookQueue: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly waiting: number
      readonly oldestSeconds: number
    }
  }
  readonly GrantCredits: {
    readonly variables: {
      readonly input: GrantCreditsInput
    }
    readonly body: {
      readonly id: string
      readonly kind: LedgerEntryKind
      readonly credits: number
      readonly balance_after: number
      readonly description: string
      readonly created_at: string
    }
  }
  readonly KeepPaidCard: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly ListAccounts: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
      readonly search?: string | null
    }
    readonly body: {
      readonly nodes: readonly ({
        readonly id: string
        readonly name: string
        readonly email: string
        readonly status: AccountStatus
        readonly tier: Tier
        readonly subscription_tier: SubscriptionTier | null
        readonly balance: number
        readonly created_at: string
      })[]
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  }
  readonly ListBalanceDrifts: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: readonly {
      readonly accountId: string
      readonly environment: Environment
      readonly problem: string
    }[]
  }
  readonly ListBudgetedExternalIds: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly after: string
      readonly search: string
      readonly limit: number
    }
    readonly body: readonly string[]
  }
  readonly ListCharges: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly fromId: string
      readonly untilId: string
      readonly settlingSeconds: number
      readonly limit: number
    }
    readonly body: readonly {
      readonly requestId: string
      readonly credits: number
      readonly isSettled: boolean
      readonly isGivenBack: boolean
    }[]
  }
  readonly ListCheckouts: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly status: CheckoutStatus
        readonly package_id: string
        readonly credits: number
        readonly price_cents: number
        readonly tax_cents: number
        readonly total_cents: number
        readonly refunded_cents: number
        readonly currency: string
        readonly action_url: string | null
        readonly invoice_id: string | null
        readonly failure_reason: string | null
        readonly client_reference_id: string | null
        readonly expires_at: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListCreditLots: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly source: LotSource
        readonly granted_credits: number
        readonly remaining_credits: number
        readonly expires_at: string | null
        readonly payment_id: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListDeadFacades: {
    readonly variables: {
      readonly silentSeconds: number
    }
    readonly body: readonly string[]
  }
  readonly ListInvoices: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly number: string
        readonly type: InvoiceType
        readonly status: InvoiceStatus
        readonly total_cents: number
        readonly tax_cents: number
        readonly currency: string
        readonly credits: number
        readonly description: string
        readonly pdf_url: string
        readonly original_invoice_id: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListLedgerEntries: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
      readonly kind?: LedgerEntryKind | null
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly request_id?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly kind: LedgerEntryKind
        readonly credits: number
        readonly balance_after: number
        readonly description: string
        readonly request_id: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListLedgerHeads: {
    readonly variables: {
      readonly afterAccountId: string
      readonly afterEnvironment: string
      readonly limit: number
    }
    readonly body: {
      readonly heads: readonly {
        readonly account_id: string
        readonly environment: Environment
        readonly seq: number
        readonly hash: string
      }[]
      readonly sums: readonly {
        readonly environment: Environment
        readonly kind: string
        readonly entries: number
        readonly credits: string
      }[]
    }
  }
  readonly ListOrphanedCharges: {
    readonly variables: {
      readonly facadeId: string
    }
    readonly body: readonly {
      readonly requestId: string
      readonly accountId: string
      readonly environment: Environment
      readonly credits: number
      readonly request: Readonly<Record<string, unknown>>
    }[]
  }
  readonly ListPaymentMethods: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly {
        readonly id: string
        readonly brand: string
        readonly last4: string
        readonly exp_month: number
        readonly exp_year: number
        readonly default: boolean
        readonly created_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  readonly ListPayments: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly source: PaymentSource
        readonly status: CheckoutStatus
        readonly description: string
        readonly credits: number
        readonly price_cents: number
        readonly tax_cents: number
        readonly total_cents: number
        readonly refunded_cents: number
        readonly disputed: boolean
        readonly currency: string
        readonly card: {
          readonly brand: string
          readonly last4: string
        } | null
        readonly action_url: string | null
        readonly failure_reason: string | null
        readonly invoice_id: string | null
        readonly created_at: string
        readonly settled_at: string | null
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListPlans: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly currency: string
      readonly plans: readonly {
        readonly tier: SubscriptionTier
        readonly name: string
        readonly price_cents: number
        readonly monthly_credits: number
        readonly rate_limit_rps: number
      }[]
      readonly subscription: {
        readonly tier: SubscriptionTier
        readonly status: EntitlementStatus
        readonly current_period_start: string
        readonly current_period_end: string
        readonly cancel_at_period_end: boolean
        readonly canceled_at: string | null
        readonly monthly_credits: number
      } | null
      readonly pending_change: {
        readonly status: PlanChangeStatus
        readonly tier: SubscriptionTier
        readonly effective_at: string | null
        readonly payment_id: string | null
        readonly action_url: string | null
      } | null
      readonly contact_url: string | null
    }
  }
  readonly ListTrackedKeywords: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly {
        readonly id: string
        readonly keyword: string
        readonly domain: string
        readonly country: string
        readonly device: Device
        readonly created_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  readonly ListWebhookDeliveries: {
    readonly variables: {
      readonly endpoint_id: string
      readonly limit: number
      readonly cursor?: string | null
      readonly status?: WebhookDeliveryStatus | null
      readonly event_type?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly event_id: string
        readonly event_type: string
        readonly status: WebhookDeliveryStatus
        readonly attempt_count: number
        readonly attempts: readonly ({
          readonly attempted_at: string
          readonly status_code: number | null
          readonly latency_ms: number
          readonly failure: string | null
          readonly request_headers: Readonly<Record<string, unknown>> | null
          readonly response_text: string | null
        })[]
        readonly next_attempt_at: string | null
        readonly created_at: string
        readonly payload: Readonly<Record<string, unknown>> | null
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListWebhookEndpoints: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly url: string
        readonly events: readonly string[]
        readonly description: string | null
        readonly status: WebhookEndpointStatus
        readonly failing_since: string | null
        readonly delivery_rate: number | null
        readonly delivery_days: readonly {
          readonly day: string
          readonly tried: number
          readonly arrived: number
        }[]
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListWebhookEventTypes: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly items: readonly {
        readonly type: string
        readonly description: string
        readonly version: number
        readonly example_payload: Readonly<Record<string, unknown>>
      }[]
    }
  }
  readonly MailPeople: {
    readonly variables: {
      readonly input: PeopleMailInput
    }
    readonly body: boolean
  }
  readonly OpenAccount: {
    readonly variables: {
      readonly input: CreateAccountInput
    }
    readonly body: {
      readonly account: {
        readonly id: string
      }
    }
  }
  readonly PreviewCheckout: {
    readonly variables: {
      readonly package_id: string
    }
    readonly body: {
      readonly package_id: string
      readonly name: string
      readonly credits: number
      readonly price_cents: number
      readonly tax_cents: number
      readonly total_cents: number
      readonly currency: string
    }
  }
  readonly PreviewPlan: {
    readonly variables: {
      readonly tier: SubscriptionTier
      readonly when?: PlanChangeTime | null
    }
    readonly body: {
      readonly kind: PlanChangeKind
      readonly tier: SubscriptionTier
      readonly from_tier: SubscriptionTier | null
      readonly when: PlanChangeTime
      readonly effective_at: string | null
      readonly as_of: string
      readonly seconds_left: number
      readonly period_seconds: number
      readonly due_cents: number
      readonly tax_cents: number
      readonly total_cents: number
      readonly currency: string
      readonly granted_credits: number
      readonly renewal_cents: number
      readonly renews_at: string
      readonly monthly_credits: number
      readonly rate_limit_rps: number
      readonly quote_id: string | null
      readonly quote_expires_at: string | null
    }
  }
  readonly PublishEvents: {
    readonly variables: {
      readonly events: readonly NewEventInput[]
    }
    readonly body: number
  }
  readonly PublishExpiringCredits: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly lotId: string
      readonly days: number
    }
    readonly body: boolean
  }
  readonly QuoteCalls: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly available: number
      readonly as_of: string
    }
  }
  readonly ReadBudgets: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly spenders: readonly string[]
    }
    readonly body: readonly ({
      readonly spender: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limitCredits: number
        readonly usedCredits: number
        readonly heldCredits: number
        readonly remainingCredits: number
        readonly resetsAt: string | null
        readonly enforce: boolean
      })[]
    })[]
  }
  readonly ReadTopUp: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly packages: readonly {
        readonly id: string
        readonly credits: number
        readonly price_cents: number
        readonly currency: string
      }[]
      readonly is_recharging: boolean
    }
  }
  readonly ReceivePaymentNotification: {
    readonly variables: {
      readonly provider: string
      readonly body: string
      readonly signature: string
    }
    readonly body: {
      readonly received: boolean
    }
  }
  readonly RefundCharge: {
    readonly variables: {
      readonly input: RefundChargeInput
    }
    readonly body: {
      readonly id: string
      readonly kind: LedgerEntryKind
      readonly credits: number
      readonly balance_after: number
      readonly description: string
      readonly created_at: string
    }
  }
  readonly RefundPayment: {
    readonly variables: {
      readonly input: RefundPaymentInput
    }
    readonly body: {
      readonly id: string
      readonly payment_id: string
      readonly amount_cents: number
      readonly status: PaymentRefundStatus
    }
  }
  readonly RefundSpending: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly requestId: string
    }
    readonly body: boolean
  }
  readonly ReleaseOperatorAct: {
    readonly variables: {
      readonly input: ClaimedActInput
    }
    readonly body: boolean
  }
  readonly RemoveFacade: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly RemoveInvitationMails: {
    readonly variables: {
      readonly accountId: string
      readonly memberIds: readonly string[]
    }
    readonly body: boolean
  }
  readonly RemoveNotificationEmail: {
    readonly variables: {
      readonly token: string
    }
    readonly body: {
      readonly address: string | null
      readonly is_confirmed: boolean
    }
  }
  readonly ReportFacade: {
    readonly variables: {
      readonly id: string
      readonly isRecorded: boolean
    }
    readonly body: boolean
  }
  readonly ReportProcess: {
    readonly variables: {
      readonly report: ProcessReportInput
    }
    readonly body: boolean
  }
  readonly ResendWebhookDeliveries: {
    readonly variables: {
      readonly endpoint_id: string
      readonly from: string | Date
      readonly to: string | Date
      readonly status?: WebhookDeliveryStatus | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly deliveries: number
    }
  }
  readonly ResendWebhookDelivery: {
    readonly variables: {
      readonly delivery_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly event_id: string
      readonly event_type: string
      readonly status: WebhookDeliveryStatus
      readonly attempt_count: number
      readonly attempts: readonly ({
        readonly attempted_at: string
        readonly status_code: number | null
        readonly latency_ms: number
        readonly failure: string | null
        readonly request_headers: Readonly<Record<string, unknown>> | null
        readonly response_text: string | null
      })[]
      readonly next_attempt_at: string | null
      readonly created_at: string
      readonly payload: Readonly<Record<string, unknown>> | null
    }
  }
  readonly ResendWebhookSlice: {
    readonly variables: {
      readonly accountId: string
      readonly endpointId: string
      readonly id: string
      readonly place: number
    }
    readonly body: number
  }
  readonly ReserveApart: {
    readonly variables: {
      readonly batch: ReserveBatchInput
    }
    readonly body: {
      readonly verdicts: readonly ReservationVerdict[]
      readonly available: readonly number[]
      readonly answers: readonly (Readonly<Record<string, unknown>> | null)[] | null
      readonly bodies: readonly (string | null)[] | null
      readonly reservedAts: readonly (string | null)[] | null
      readonly budgetRemaining: readonly (number | null)[] | null
      readonly refusing: readonly (readonly ({
        readonly spender: string
        readonly period: BudgetPeriod
        readonly limitCredits: number
        readonly usedCredits: number
        readonly heldCredits: number
        readonly remainingCredits: number
        readonly neededCredits: number
        readonly resetsAt: string | null
      })[])[] | null
    }
  }
  readonly ReserveBatch: {
    readonly variables: {
      readonly batch: ReserveBatchInput
    }
    readonly body: {
      readonly verdicts: readonly ReservationVerdict[]
      readonly available: readonly number[]
    }
  }
  readonly ResetBudget: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly spender: string
      readonly period: BudgetPeriod
      readonly line?: object | null
    }
    readonly body: {
      readonly period: BudgetPeriod
      readonly limitCredits: number
      readonly usedCredits: number
      readonly heldCredits: number
      readonly remainingCredits: number
      readonly resetsAt: string | null
      readonly enforce: boolean
    }
  }
  readonly ResumeSubscription: {
    readonly variables: {
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly tier: SubscriptionTier
      readonly status: EntitlementStatus
      readonly current_period_start: string
      readonly current_period_end: string
      readonly cancel_at_period_end: boolean
      readonly canceled_at: string | null
      readonly monthly_credits: number
    }
  }
  readonly RetryJobs: {
    readonly variables: {
      readonly input: RetryJobsInput
    }
    readonly body: {
      readonly retried: number
    }
  }
  readonly RotateWebhookSecret: {
    readonly variables: {
      readonly endpoint_id: string
      readonly overlap_seconds: number
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly url: string
      readonly events: readonly string[]
      readonly description: string | null
      readonly status: WebhookEndpointStatus
      readonly failing_since: string | null
      readonly delivery_rate: number | null
      readonly delivery_days: readonly {
        readonly day: string
        readonly tried: number
        readonly arrived: number
      }[]
      readonly created_at: string
      readonly secret: string
      readonly previous_secret_expires_at: string | null
    }
  }
  readonly SendInvitation: {
    readonly variables: {
      readonly input: InvitationMailInput
    }
    readonly body: boolean
  }
  readonly SetBudgets: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly spender: string
      readonly budgets: readonly BudgetInput[]
      readonly line?: object | null
    }
    readonly body: readonly ({
      readonly period: BudgetPeriod
      readonly limitCredits: number
      readonly usedCredits: number
      readonly heldCredits: number
      readonly remainingCredits: number
      readonly resetsAt: string | null
      readonly enforce: boolean
    })[]
  }
  readonly SetDefaultPaymentMethod: {
    readonly variables: {
      readonly payment_method_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly brand: string
      readonly last4: string
      readonly exp_month: number
      readonly exp_year: number
      readonly default: boolean
      readonly created_at: string
    }
  }
  readonly SettleBatch: {
    readonly variables: {
      readonly batch: SettleBatchInput
    }
    readonly body: {
      readonly outcomes: readonly BatchOutcome[]
      readonly credits: readonly number[]
      readonly available: readonly number[]
      readonly budgetRemaining: readonly (number | null)[] | null
    }
  }
  readonly ShowAccount: {
    readonly variables: {
      readonly id: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly email: string
      readonly status: AccountStatus
      readonly tier: Tier
      readonly subscription_tier: SubscriptionTier | null
      readonly balance: number
      readonly rate_limit_rps: number
      readonly created_at: string
      readonly keys: readonly {
        readonly id: string
        readonly name: string
        readonly prefix: string
        readonly last4: string
        readonly scopes: readonly string[]
        readonly status: ApiKeyStatus
      }[]
    } | null
  }
  readonly ShowSimulatedPayment: {
    readonly variables: {
      readonly payment_id: string
      readonly signature: string
    }
    readonly body: {
      readonly id: string
      readonly status: CheckoutStatus
      readonly state: string
      readonly description: string
      readonly total_cents: number
      readonly currency: string
      readonly cards: readonly {
        readonly name: string
        readonly description: string
      }[]
      readonly returns: readonly SimulatedChoice[]
      readonly notice: string | null
      readonly return_url: string
      readonly expires_at: string | null
    }
  }
  readonly StartDigest: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly takenAt: string
      readonly accounts: number
    }
  }
  readonly TestWebhookEndpoint: {
    readonly variables: {
      readonly endpoint_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly event_id: string
      readonly event_type: string
      readonly status: WebhookDeliveryStatus
      readonly attempt_count: number
      readonly attempts: readonly ({
        readonly attempted_at: string
        readonly status_code: number | null
        readonly latency_ms: number
        readonly failure: string | null
        readonly request_headers: Readonly<Record<string, unknown>> | null
        readonly response_text: string | null
      })[]
      readonly next_attempt_at: string | null
      readonly created_at: string
      readonly payload: Readonly<Record<string, unknown>> | null
    }
  }
  readonly TotalCharges: {
    readonly variables: {
      readonly since: string | Date
      readonly fromId: string
      readonly untilId: string
      readonly afterAccountId: string
      readonly afterEnvironment: string
      readonly limit: number
    }
    readonly body: readonly {
      readonly accountId: string
      readonly environment: Environment
      readonly credits: number
      readonly fingerprint: string
    }[]
  }
  readonly TrackKeyword: {
    readonly variables: {
      readonly keyword: string
      readonly domain: string
      readonly country: string
      readonly device: Device
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly keyword: string
      readonly domain: string
      readonly country: string
      readonly device: Device
      readonly created_at: string
    }
  }
  readonly TurnAddon: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly name: string
    }
    readonly body: boolean
  }
  readonly TurnSubscription: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
    }
    readonly body: boolean
  }
  readonly UntrackKeyword: {
    readonly variables: {
      readonly keyword_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly keyword: string
      readonly domain: string
      readonly country: string
      readonly device: Device
      readonly created_at: string
    }
  }
  readonly UpdateAccount: {
    readonly variables: {
      readonly input: UpdateAccountInput
    }
    readonly body: {
      readonly id: string
      readonly status: AccountStatus
      readonly tier: Tier
      readonly before: {
        readonly status: AccountStatus
        readonly tier: Tier
      } | null
    }
  }
  readonly WatchBalance: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
    }
    readonly body: boolean
  }
  readonly ChangeApiKey: {
    readonly variables: {
      readonly key_id: string
      readonly name?: string | null
      readonly scopes?: readonly string[] | null
      readonly ip_allowlist?: readonly string[] | null
      readonly expires_at?: string | Date | null
      readonly enabled?: boolean | null
      readonly external_id?: string | null
      readonly metadata?: object | null
      readonly budgets?: readonly BudgetNameInput[] | null
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly ChangeExternalIdBudgets: {
    readonly variables: {
      readonly external_id: string
      readonly budgets: readonly BudgetInput[]
    }
    readonly body: {
      readonly external_id: string
      readonly keys: number
      readonly last_used_at: string | null
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
      readonly credits_this_month: number
    } | null
  }
  readonly CheckInternalToken: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly CreateApiKey: {
    readonly variables: {
      readonly input: CreateApiKeyInput
    }
    readonly body: {
      readonly apiKey: {
        readonly id: string
        readonly environment: Environment
        readonly scopes: readonly string[]
      }
      readonly plaintext: string
    }
  }
  readonly CreateOperatorLink: {
    readonly variables: {
      readonly name: string
      readonly role: string
    }
    readonly body: {
      readonly id: string
      readonly token: string
      readonly expires_at: string
    }
  }
  readonly EndOperator: {
    readonly variables: {
      readonly name: string
    }
    readonly body: {
      readonly links: number
      readonly sessions: number
    }
  }
  readonly EndOperatorSession: {
    readonly variables: {
      readonly secretHash: string
    }
    readonly body: boolean
  }
  readonly FindAccountsOfExternalId: {
    readonly variables: {
      readonly externalId: string
    }
    readonly body: readonly {
      readonly id: string
    }[]
  }
  readonly FindAccountsOfKeyPrefix: {
    readonly variables: {
      readonly prefix: string
    }
    readonly body: readonly {
      readonly id: string
    }[]
  }
  readonly ForgetInternalTokens: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly GetApiKey: {
    readonly variables: {
      readonly key_id: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly GetCurrentApiKey: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
      readonly effective_budgets: readonly ({
        readonly of: BudgetLayer
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly GetExternalId: {
    readonly variables: {
      readonly external_id: string
    }
    readonly body: {
      readonly external_id: string
      readonly keys: number
      readonly last_used_at: string | null
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
      readonly credits_this_month: number
    } | null
  }
  readonly GetOperatorLink: {
    readonly variables: {
      readonly tokenHash: string
    }
    readonly body: {
      readonly name: string
      readonly role: string
      readonly expiresAt: string
      readonly isUsable: boolean
    } | null
  }
  readonly GetSandbox: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly key_prefix: string | null
      readonly key_last4: string | null
      readonly created_at: string | null
      readonly requests_today: number
      readonly requests_this_month: number
      readonly success_rate: number
    } | null
  }
  readonly IssueApiKey: {
    readonly variables: {
      readonly name: string
      readonly scopes?: readonly string[] | null
      readonly ip_allowlist?: readonly string[] | null
      readonly expires_at?: string | Date | null
      readonly external_id?: string | null
      readonly metadata?: object | null
      readonly budgets?: readonly BudgetNameInput[] | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
      readonly plaintext: string
    }
  }
  readonly ListApiKeys: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
      readonly q?: string | null
      readonly status?: ApiKeyState | null
      readonly external_id?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly name: string
        readonly environment: Environment
        readonly prefix: string
        readonly last4: string
        readonly scopes: readonly string[]
        readonly ip_allowlist: readonly string[]
        readonly status: ApiKeyStatus
        readonly expires_at: string | null
        readonly last_used_at: string | null
        readonly created_at: string
        readonly revoked_at: string | null
        readonly replaced_by: string | null
        readonly enabled: boolean
        readonly external_id: string | null
        readonly metadata: Readonly<Record<string, unknown>>
        readonly created_by: string
        readonly budgets: readonly ({
          readonly period: BudgetPeriod
          readonly limit_credits: number
          readonly used_credits: number
          readonly held_credits: number
          readonly remaining_credits: number
          readonly resets_at: string | null
          readonly enforce: boolean
        })[]
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListExternalIds: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
      readonly q?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly external_id: string
        readonly keys: number
        readonly last_used_at: string | null
        readonly budgets: readonly ({
          readonly period: BudgetPeriod
          readonly limit_credits: number
          readonly used_credits: number
          readonly held_credits: number
          readonly remaining_credits: number
          readonly resets_at: string | null
          readonly enforce: boolean
        })[]
        readonly credits_this_month: number
      } | null)[]
      readonly next_cursor: string | null
    }
  }
  readonly ListInternalTokens: {
    readonly variables: {
      readonly first: number
      readonly after?: string | null
    }
    readonly body: {
      readonly nodes: readonly ({
        readonly id: string
        readonly role: string | null
        readonly minted_at: string | null
        readonly expires_at: string
        readonly revoked_at: string | null
      })[]
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  }
  readonly MarkKeysUsed: {
    readonly variables: {
      readonly keyIds: readonly string[]
      readonly usedAtMs: readonly number[]
    }
    readonly body: number
  }
  readonly NoteUseOfOperatorSession: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly OpenOperatorSession: {
    readonly variables: {
      readonly input: OpenOperatorSessionInput
    }
    readonly body: {
      readonly id: string
      readonly secret: string
      readonly name: string
      readonly role: string
      readonly expiresAt: string
    }
  }
  readonly RecordInternalToken: {
    readonly variables: {
      readonly input: InternalTokenInput
    }
    readonly body: {
      readonly id: string
    }
  }
  readonly RecordOperatorRole: {
    readonly variables: {
      readonly input: OperatorRoleInput
    }
    readonly body: boolean
  }
  readonly ResetKeyBudget: {
    readonly variables: {
      readonly key_id: string
      readonly period: BudgetPeriod
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly ResetSandbox: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly state: {
        readonly key_prefix: string | null
        readonly key_last4: string | null
        readonly created_at: string | null
        readonly requests_today: number
        readonly requests_this_month: number
        readonly success_rate: number
      } | null
      readonly plaintext: string
    }
  }
  readonly RevokeApiKey: {
    readonly variables: {
      readonly id: string
      readonly reason?: string | null
      readonly idempotencyKey?: string | null
    }
    readonly body: {
      readonly id: string
      readonly status: ApiKeyStatus
      readonly status_before: ApiKeyStatus | null
      readonly revoked_at: string | null
    }
  }
  readonly RevokeInternalToken: {
    readonly variables: {
      readonly id: string
    }
    readonly body: {
      readonly id: string
      readonly role: string | null
      readonly minted_at: string | null
      readonly expires_at: string
      readonly revoked_at: string | null
    }
  }
  readonly RevokeKeysOfMember: {
    readonly variables: {
      readonly accountId: string
      readonly memberId: string
      readonly isKeeping: boolean
    }
    readonly body: number
  }
  readonly RevokeOwnApiKey: {
    readonly variables: {
      readonly key_id: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly RotateApiKey: {
    readonly variables: {
      readonly key_id: string
      readonly grace_seconds: number
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
      readonly plaintext: string
    }
  }
  readonly TakeOperatorRoleQuestion: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly UndoDisableApiKey: {
    readonly variables: {
      readonly key_id: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly environment: Environment
      readonly prefix: string
      readonly last4: string
      readonly scopes: readonly string[]
      readonly ip_allowlist: readonly string[]
      readonly status: ApiKeyStatus
      readonly expires_at: string | null
      readonly last_used_at: string | null
      readonly created_at: string
      readonly revoked_at: string | null
      readonly replaced_by: string | null
      readonly enabled: boolean
      readonly external_id: string | null
      readonly metadata: Readonly<Record<string, unknown>>
      readonly created_by: string
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly VerifyApiKey: {
    readonly variables: {
      readonly secretHash: string
    }
    readonly body: {
      readonly id: string
      readonly scopes: readonly string[]
      readonly ipAllowlist: readonly string[]
      readonly expiresAt: string | null
      readonly spenderId: string
      readonly externalId: string | null
      readonly isCapped: boolean
      readonly account: {
        readonly id: string
        readonly status: AccountStatus
        readonly rateLimitRps: number
      } | null
    } | null
  }
  readonly VerifyOperatorSession: {
    readonly variables: {
      readonly secretHash: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly role: string
      readonly provenAt: string
      readonly expiresAt: string
      readonly subject: string | null
      readonly refreshToken: string | null
      readonly roleAskedAt: string | null
      readonly isRoleDue: boolean
      readonly isUseDue: boolean
    } | null
  }
  readonly AddPasskey: {
    readonly variables: {
      readonly name: string
      readonly credential: object
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly created_at: string
      readonly last_used_at: string | null
      readonly disabled_at: string | null
    }
  }
  readonly AskForMail: {
    readonly variables: {
      readonly email: string
      readonly ask_hash: string
      readonly known_browser?: string | null
    }
    readonly body: {
      readonly expires_at: string
    }
  }
  readonly Authorize: {
    readonly variables: {
      readonly client_id: string
      readonly redirect_uri: string
      readonly response_type?: string | null
      readonly response_mode?: string | null
      readonly scope?: string | null
      readonly state?: string | null
      readonly nonce?: string | null
      readonly code_challenge?: string | null
      readonly code_challenge_method?: string | null
      readonly prompt?: string | null
      readonly max_age?: string | null
      readonly resource?: string | null
      readonly request?: string | null
      readonly request_uri?: string | null
      readonly registration?: string | null
      readonly continue_token?: string | null
    }
    readonly body: {
      readonly client: {
        readonly client_id: string
        readonly name: string
        readonly logo_uri: string | null
        readonly client_uri: string | null
        readonly policy_uri: string | null
        readonly tos_uri: string | null
        readonly verified: boolean
        readonly redirect_host: string
        readonly origin: AppOrigin | null
        readonly document_url: string | null
        readonly document_host: string | null
        readonly registered_at: string | null
        readonly owner_name: string | null
      }
      readonly account_name: string | null
      readonly requested_scope: readonly {
        readonly name: string
        readonly description: string
        readonly already_granted: boolean
      }[]
      readonly ignored_scope: readonly string[]
      readonly redirect_uri: string
      readonly state: string | null
      readonly login_required: boolean
      readonly consent_required: boolean
      readonly redirect_to: string | null
      readonly continue_token: string | null
      readonly consent_token: string | null
      readonly expires_at: string
      readonly budgets: readonly {
        readonly period: BudgetPeriod
        readonly limit_credits: number
      }[] | null
    }
  }
  readonly BeginAddingPasskey: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly options: Readonly<Record<string, unknown>>
    }
  }
  readonly BeginPasskeyProof: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly options: Readonly<Record<string, unknown>>
    }
  }
  readonly BeginPasskeySignIn: {
    readonly variables: {
      readonly challenge_hash: string
    }
    readonly body: {
      readonly options: Readonly<Record<string, unknown>>
    }
  }
  readonly ChangeAgentSettings: {
    readonly variables: {
      readonly allow_unverified_apps: boolean
    }
    readonly body: {
      readonly allow_unverified_apps: boolean
    }
  }
  readonly ChangeApp: {
    readonly variables: {
      readonly client_id: string
      readonly client_name?: string | null
      readonly redirect_uris?: readonly string[] | null
      readonly scope?: string | null
      readonly logo_uri?: string | null
      readonly client_uri?: string | null
      readonly policy_uri?: string | null
      readonly tos_uri?: string | null
    }
    readonly body: {
      readonly client_id: string
      readonly client_id_issued_at: number
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method: TokenEndpointAuthMethod
      readonly grant_types: readonly string[]
      readonly response_types: readonly string[]
      readonly scope: string
      readonly require_pkce: boolean
      readonly logo_uri: string | null
      readonly client_uri: string | null
      readonly policy_uri: string | null
      readonly tos_uri: string | null
      readonly status: OAuthAppStatus
      readonly previous_secret_expires_at: string | null
      readonly created_by: string | null
      readonly created_at: string
    }
  }
  readonly ChangeConsent: {
    readonly variables: {
      readonly client_id: string
      readonly budgets?: readonly BudgetInput[] | null
    }
    readonly body: {
      readonly client_id: string
      readonly client_name: string
      readonly origin: AppOrigin | null
      readonly document_host: string | null
      readonly scope: string
      readonly status: GrantedConsentStatus
      readonly granted_at: string
      readonly revoked_at: string | null
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly ChangeMember: {
    readonly variables: {
      readonly member_id: string
      readonly role: PortalRole
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
    }
  }
  readonly ChangeMyself: {
    readonly variables: {
      readonly name?: string | null
      readonly email?: string | null
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
    }
  }
  readonly ChangeSignInSetting: {
    readonly variables: {
      readonly passkey_only: boolean
    }
    readonly body: {
      readonly passkey_only: boolean
    }
  }
  readonly ConfirmMyAddress: {
    readonly variables: {
      readonly token: string
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
    }
  }
  readonly Consent: {
    readonly variables: {
      readonly client_id: string
      readonly redirect_uri: string
      readonly response_type?: string | null
      readonly response_mode?: string | null
      readonly scope?: string | null
      readonly state?: string | null
      readonly nonce?: string | null
      readonly code_challenge?: string | null
      readonly code_challenge_method?: string | null
      readonly prompt?: string | null
      readonly max_age?: string | null
      readonly resource?: string | null
      readonly request?: string | null
      readonly request_uri?: string | null
      readonly registration?: string | null
      readonly decision: boolean
      readonly consent_token?: string | null
      readonly budgets?: readonly BudgetInput[] | null
    }
    readonly body: {
      readonly status: string
      readonly redirect_to: string | null
      readonly code: string | null
      readonly state: string | null
      readonly iss: string | null
      readonly expires_in: number | null
      readonly granted_scope: string | null
      readonly login: {
        readonly methods: readonly string[]
        readonly session_endpoint: string
      } | null
      readonly client: {
        readonly client_id: string
        readonly name: string
        readonly logo_uri: string | null
        readonly client_uri: string | null
        readonly policy_uri: string | null
        readonly tos_uri: string | null
        readonly verified: boolean
        readonly redirect_host: string
        readonly origin: AppOrigin | null
        readonly document_url: string | null
        readonly document_host: string | null
        readonly registered_at: string | null
      } | null
      readonly requested_scope: readonly {
        readonly name: string
        readonly description: string
        readonly already_granted: boolean
      }[] | null
    }
  }
  readonly CreateHandover: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly url: string
      readonly expires_at: string
    }
  }
  readonly CreatePortalLink: {
    readonly variables: {
      readonly input: CreatePortalLinkInput
    }
    readonly body: {
      readonly url: string
      readonly expires_at: string
    }
  }
  readonly EndGrants: {
    readonly variables: {
      readonly accountId: string
    }
    readonly body: boolean
  }
  readonly EndOneSession: {
    readonly variables: {
      readonly session_id: string
    }
    readonly body: {
      readonly ended: number
    }
  }
  readonly EndOtherSessions: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly ended: number
    }
  }
  readonly EndSession: {
    readonly variables: {
      readonly secret: string
    }
    readonly body: boolean
  }
  readonly FindAccountsOfMember: {
    readonly variables: {
      readonly email: string
    }
    readonly body: readonly {
      readonly id: string
    }[]
  }
  readonly FindInvitation: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly FinishPasskeyReset: {
    readonly variables: {
      readonly personId: string
    }
    readonly body: boolean
  }
  readonly ForgetExpiredGrants: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly GetAgentSettings: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly allow_unverified_apps: boolean
    }
  }
  readonly GetApp: {
    readonly variables: {
      readonly client_id: string
    }
    readonly body: {
      readonly client_id: string
      readonly client_id_issued_at: number
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method: TokenEndpointAuthMethod
      readonly grant_types: readonly string[]
      readonly response_types: readonly string[]
      readonly scope: string
      readonly require_pkce: boolean
      readonly logo_uri: string | null
      readonly client_uri: string | null
      readonly policy_uri: string | null
      readonly tos_uri: string | null
      readonly status: OAuthAppStatus
      readonly previous_secret_expires_at: string | null
      readonly created_by: string | null
      readonly created_at: string
    }
  }
  readonly GetCurrentSession: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly id: string
      readonly environment: Environment
      readonly is_current: boolean
      readonly key_id: string | null
      readonly key_name: string | null
      readonly role: string | null
      readonly actor: string | null
      readonly return_url: string | null
      readonly parent_id: string | null
      readonly address: string | null
      readonly created_at: string
      readonly proven_at: string
      readonly expires_at: string
      readonly account_id: string
      readonly account_name: string
      readonly scopes: readonly string[]
      readonly step_up_until: string | null
      readonly switch_to: Environment | null
    }
  }
  readonly GetJwks: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly keys: readonly {
        readonly kty: string
        readonly use: string
        readonly alg: string
        readonly kid: string
        readonly n: string
        readonly e: string
      }[]
    }
  }
  readonly GetOpenidConfiguration: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly issuer: string
      readonly authorization_endpoint: string
      readonly token_endpoint: string
      readonly userinfo_endpoint: string
      readonly revocation_endpoint: string
      readonly introspection_endpoint: string
      readonly registration_endpoint: string | null
      readonly client_id_metadata_document_supported: boolean | null
      readonly jwks_uri: string
      readonly service_documentation: string
      readonly scopes_supported: readonly string[]
      readonly response_types_supported: readonly string[]
      readonly response_modes_supported: readonly string[]
      readonly grant_types_supported: readonly string[]
      readonly subject_types_supported: readonly string[]
      readonly id_token_signing_alg_values_supported: readonly string[]
      readonly token_endpoint_auth_methods_supported: readonly string[]
      readonly revocation_endpoint_auth_methods_supported: readonly string[]
      readonly introspection_endpoint_auth_methods_supported: readonly string[]
      readonly code_challenge_methods_supported: readonly string[]
      readonly claims_supported: readonly string[]
      readonly acr_values_supported: readonly string[]
      readonly authorization_response_iss_parameter_supported: boolean
      readonly request_uri_parameter_supported: boolean
      readonly request_parameter_supported: boolean
      readonly claims_parameter_supported: boolean
    }
  }
  readonly GetProtectedResource: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly resource: string
      readonly authorization_servers: readonly string[]
      readonly scopes_supported: readonly string[]
      readonly bearer_methods_supported: readonly string[]
      readonly resource_name: string
      readonly resource_documentation: string
    }
  }
  readonly GetSession: {
    readonly variables: {
      readonly session_id: string
    }
    readonly body: {
      readonly id: string
      readonly environment: Environment
      readonly is_current: boolean
      readonly key_id: string | null
      readonly key_name: string | null
      readonly role: string | null
      readonly actor: string | null
      readonly return_url: string | null
      readonly parent_id: string | null
      readonly address: string | null
      readonly created_at: string
      readonly proven_at: string
      readonly expires_at: string
    }
  }
  readonly GetSignInPreview: {
    readonly variables: {
      readonly portal_token_hash?: string | null
      readonly handover_code_hash?: string | null
      readonly invitation_token?: string | null
      readonly cookie_hash?: string | null
    }
    readonly body: {
      readonly is_usable: boolean
      readonly account_id: string
      readonly account_name: string
      readonly environment: Environment
      readonly role: string | null
      readonly actor: string | null
      readonly invited_by: string | null
      readonly return_url: string | null
      readonly expires_at: string
      readonly key_id: string | null
      readonly key: {
        readonly ip_allowlist: readonly string[]
      } | null
      readonly signed_in_as: {
        readonly account_id: string
        readonly account_name: string
      } | null
    } | null
  }
  readonly GetSignInSetting: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly passkey_only: boolean
    }
  }
  readonly GetUserinfo: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly sub: string
      readonly name: string | null
      readonly updated_at: number | null
      readonly email: string | null
      readonly email_verified: boolean | null
      readonly account_id: string | null
      readonly tier: Tier | null
      readonly subscription_tier: SubscriptionTier | null
    }
  }
  readonly Introspect: {
    readonly variables: {
      readonly token: string
    }
    readonly body: {
      readonly active: boolean
      readonly scope: string | null
      readonly client_id: string | null
      readonly token_type: string | null
      readonly exp: number | null
      readonly iat: number | null
      readonly sub: string | null
      readonly aud: string | null
      readonly iss: string | null
    }
  }
  readonly InviteMember: {
    readonly variables: {
      readonly email: string
      readonly role: PortalRole
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
      readonly link: string | null
    }
  }
  readonly InviteOwner: {
    readonly variables: {
      readonly accountId: string
      readonly email: string
      readonly invitationId: string
      readonly isShown: boolean
    }
    readonly body: boolean
  }
  readonly InviteToAccount: {
    readonly variables: {
      readonly input: InviteMemberInput
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
      readonly link: string | null
    }
  }
  readonly ListAppOwners: {
    readonly variables: {
      readonly client_id: string
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly account_id: string
        readonly scope: string
        readonly granted_at: string
        readonly spent_credits: number
        readonly budgets: readonly ({
          readonly period: BudgetPeriod
          readonly limit_credits: number
          readonly used_credits: number
          readonly held_credits: number
          readonly remaining_credits: number
          readonly resets_at: string | null
          readonly enforce: boolean
        })[] | null
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListApps: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly client_id: string
        readonly client_id_issued_at: number
        readonly client_name: string
        readonly redirect_uris: readonly string[]
        readonly application_type: ApplicationType
        readonly token_endpoint_auth_method: TokenEndpointAuthMethod
        readonly grant_types: readonly string[]
        readonly response_types: readonly string[]
        readonly scope: string
        readonly require_pkce: boolean
        readonly logo_uri: string | null
        readonly client_uri: string | null
        readonly policy_uri: string | null
        readonly tos_uri: string | null
        readonly status: OAuthAppStatus
        readonly previous_secret_expires_at: string | null
        readonly created_by: string | null
        readonly created_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListBackendSigningKeys: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: readonly {
      readonly environment: Environment
      readonly kid: string
      readonly x: string
      readonly isActive: boolean
      readonly privateSealed: string
    }[]
  }
  readonly ListClientOrigins: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: readonly {
      readonly origin: string
      readonly isPublic: boolean
    }[]
  }
  readonly ListConsents: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly client_id: string
        readonly client_name: string
        readonly origin: AppOrigin | null
        readonly document_host: string | null
        readonly scope: string
        readonly status: GrantedConsentStatus
        readonly granted_at: string
        readonly revoked_at: string | null
        readonly budgets: readonly ({
          readonly period: BudgetPeriod
          readonly limit_credits: number
          readonly used_credits: number
          readonly held_credits: number
          readonly remaining_credits: number
          readonly resets_at: string | null
          readonly enforce: boolean
        })[]
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListMembers: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly email: string
        readonly name: string | null
        readonly role: PortalRole
        readonly state: MemberState
        readonly invited_by: string | null
        readonly expires_at: string | null
        readonly created_at: string
        readonly passkeys: number
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListPasskeys: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly name: string
        readonly created_at: string
        readonly last_used_at: string | null
        readonly disabled_at: string | null
      })[]
      readonly removable_from: string | null
      readonly removable_until: string | null
      readonly unavailable: string | null
      readonly mail_sign_in: MailSignInState
    }
  }
  readonly ListSessions: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly environment: Environment
        readonly is_current: boolean
        readonly key_id: string | null
        readonly key_name: string | null
        readonly role: string | null
        readonly actor: string | null
        readonly return_url: string | null
        readonly parent_id: string | null
        readonly address: string | null
        readonly created_at: string
        readonly proven_at: string
        readonly expires_at: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly MailAddressChange: {
    readonly variables: {
      readonly id: string
    }
    readonly body: boolean
  }
  readonly MailSignIn: {
    readonly variables: {
      readonly id: string
      readonly sealedEmail: string
    }
    readonly body: boolean
  }
  readonly OpenProvenSession: {
    readonly variables: {
      readonly portal_token_hash?: string | null
      readonly handover_code_hash?: string | null
      readonly invitation_token?: string | null
      readonly cookie_hash?: string | null
    }
    readonly body: {
      readonly id: string
      readonly secret: string
      readonly account_id: string
      readonly auth_time: string
      readonly expires_at: string
      readonly known_browser: string | null
    }
  }
  readonly OpenSession: {
    readonly variables: {
      readonly previous?: string | null
      readonly continue_token?: string | null
    }
    readonly body: {
      readonly id: string
      readonly secret: string
      readonly account_id: string
      readonly auth_time: string
      readonly expires_at: string
    }
  }
  readonly ProveWithPasskey: {
    readonly variables: {
      readonly credential: object
      readonly cookie_hash: string
    }
    readonly body: {
      readonly id: string
      readonly secret: string
      readonly account_id: string
      readonly auth_time: string
      readonly expires_at: string
    }
  }
  readonly RegisterApp: {
    readonly variables: {
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method?: TokenEndpointAuthMethod | null
      readonly grant_types: readonly string[]
      readonly scope?: string | null
      readonly require_pkce: boolean
      readonly logo_uri?: string | null
      readonly client_uri?: string | null
      readonly policy_uri?: string | null
      readonly tos_uri?: string | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly client_id: string
      readonly client_secret: string | null
      readonly client_secret_expires_at: number | null
      readonly client_id_issued_at: number
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method: TokenEndpointAuthMethod
      readonly grant_types: readonly string[]
      readonly response_types: readonly string[]
      readonly scope: string
      readonly require_pkce: boolean
      readonly logo_uri: string | null
      readonly client_uri: string | null
      readonly policy_uri: string | null
      readonly tos_uri: string | null
      readonly status: OAuthAppStatus
      readonly created_at: string
    }
  }
  readonly RegisterItself: {
    readonly variables: {
      readonly client_name?: string | null
      readonly redirect_uris?: readonly string[] | null
      readonly grant_types?: readonly string[] | null
      readonly response_types?: readonly string[] | null
      readonly scope?: string | null
    }
    readonly body: {
      readonly client_id: string
      readonly client_id_issued_at: number
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method: TokenEndpointAuthMethod
      readonly grant_types: readonly string[]
      readonly response_types: readonly string[]
      readonly scope: string
    } | {
      readonly error: string
      readonly error_description: string
    }
  }
  readonly RemoveMember: {
    readonly variables: {
      readonly member_id: string
      readonly keys: KeptKeys
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
    }
  }
  readonly RemovePasskey: {
    readonly variables: {
      readonly passkey_id: string
    }
    readonly body: {
      readonly id: string
      readonly name: string
      readonly created_at: string
      readonly last_used_at: string | null
      readonly disabled_at: string | null
      readonly removable_from: string | null
      readonly removable_until: string | null
    }
  }
  readonly ResendInvitation: {
    readonly variables: {
      readonly member_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly email: string
      readonly name: string | null
      readonly role: PortalRole
      readonly state: MemberState
      readonly invited_by: string | null
      readonly expires_at: string | null
      readonly created_at: string
      readonly passkeys: number
      readonly link: string | null
    }
  }
  readonly ResetPasskeys: {
    readonly variables: {
      readonly input: ResetPasskeysInput
    }
    readonly body: {
      readonly email: string
      readonly readyAt: string
    }
  }
  readonly Revoke: {
    readonly variables: {
      readonly token: string
    }
    readonly body: boolean
  }
  readonly RotateAppSecret: {
    readonly variables: {
      readonly client_id: string
      readonly overlap_seconds: number
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly client_id: string
      readonly client_secret: string
      readonly client_secret_expires_at: number
      readonly client_id_issued_at: number
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method: TokenEndpointAuthMethod
      readonly grant_types: readonly string[]
      readonly response_types: readonly string[]
      readonly scope: string
      readonly require_pkce: boolean
      readonly logo_uri: string | null
      readonly client_uri: string | null
      readonly policy_uri: string | null
      readonly tos_uri: string | null
      readonly status: OAuthAppStatus
      readonly previous_secret_expires_at: string | null
      readonly created_at: string
    }
  }
  readonly RotateSigningKeys: {
    readonly variables: {
      readonly environment?: Environment | null
      readonly uses?: readonly SigningKeyUse[] | null
      readonly force: boolean
      readonly emergency: boolean
    }
    readonly body: readonly {
      readonly use: SigningKeyUse
      readonly environment: Environment
      readonly kid: string
      readonly activates_at: string
    }[]
  }
  readonly SignInByMail: {
    readonly variables: {
      readonly mail_token?: string | null
      readonly mail_code?: string | null
      readonly account_id?: string | null
      readonly ask_hash: string
      readonly cookie_hash?: string | null
    }
    readonly body: {
      readonly session: {
        readonly id: string
        readonly secret: string
        readonly account_id: string
        readonly auth_time: string
        readonly expires_at: string
      } | null
      readonly accounts: readonly {
        readonly account_id: string
        readonly account_name: string
        readonly role: PortalRole
      }[]
      readonly known_browser: string | null
    }
  }
  readonly SignInWithPasskey: {
    readonly variables: {
      readonly credential?: object | null
      readonly account_id?: string | null
      readonly challenge_hash: string
      readonly cookie_hash?: string | null
    }
    readonly body: {
      readonly session: {
        readonly id: string
        readonly secret: string
        readonly account_id: string
        readonly auth_time: string
        readonly expires_at: string
      } | null
      readonly accounts: readonly {
        readonly account_id: string
        readonly account_name: string
        readonly role: PortalRole
      }[]
      readonly known_browser: string | null
    }
  }
  readonly SuspendApp: {
    readonly variables: {
      readonly client_id: string
    }
    readonly body: {
      readonly client_id: string
      readonly client_id_issued_at: number
      readonly client_name: string
      readonly redirect_uris: readonly string[]
      readonly application_type: ApplicationType
      readonly token_endpoint_auth_method: TokenEndpointAuthMethod
      readonly grant_types: readonly string[]
      readonly response_types: readonly string[]
      readonly scope: string
      readonly require_pkce: boolean
      readonly logo_uri: string | null
      readonly client_uri: string | null
      readonly policy_uri: string | null
      readonly tos_uri: string | null
      readonly status: OAuthAppStatus
      readonly previous_secret_expires_at: string | null
      readonly created_by: string | null
      readonly created_at: string
    }
  }
  readonly Token: {
    readonly variables: {
      readonly grant_type: string
      readonly code?: string | null
      readonly redirect_uri?: string | null
      readonly code_verifier?: string | null
      readonly refresh_token?: string | null
      readonly scope?: string | null
      readonly resource?: string | null
    }
    readonly body: {
      readonly access_token: string
      readonly token_type: string
      readonly expires_in: number
      readonly scope: string
      readonly refresh_token: string | null
      readonly id_token: string | null
    } | {
      readonly error: string
      readonly error_description: string
    }
  }
  readonly TurnSigningKeys: {
    readonly variables: {
      readonly environment: Environment
      readonly kid: string
      readonly use?: SigningKeyUse | null
    }
    readonly body: boolean
  }
  readonly VerifyAccessToken: {
    readonly variables: {
      readonly secretHash: string
    }
    readonly body: {
      readonly id: string
      readonly clientId: string
      readonly scopes: readonly string[]
      readonly audience: string
      readonly expiresAt: string
      readonly isCapped: boolean
      readonly account: {
        readonly id: string
        readonly status: AccountStatus
        readonly rateLimitRps: number
      } | null
      readonly clientAccount: {
        readonly id: string
        readonly status: AccountStatus
      } | null
    } | null
  }
  readonly VerifyClient: {
    readonly variables: {
      readonly clientId: string
      readonly secretHash?: string | null
    }
    readonly body: {
      readonly clientId: string
      readonly isConfidential: boolean
      readonly secretExpiresAt: string | null
      readonly origin: AppOrigin
      readonly account: {
        readonly id: string
        readonly status: AccountStatus
        readonly rateLimitRps: number
      } | null
    } | null
  }
  readonly VerifySession: {
    readonly variables: {
      readonly secretHash: string
    }
    readonly body: {
      readonly id: string
      readonly authTime: string
      readonly provenAt: string | null
      readonly isFresh: boolean
      readonly signedInFor: string | null
      readonly role: string | null
      readonly actor: string | null
      readonly memberId: string | null
      readonly hasPasskey: boolean
      readonly isUnconfirmed: boolean
      readonly returnUrl: string | null
      readonly account: {
        readonly id: string
        readonly status: AccountStatus
        readonly rateLimitRps: number
      } | null
      readonly key: {
        readonly id: string
        readonly scopes: readonly string[]
        readonly ipAllowlist: readonly string[]
        readonly environment: Environment
        readonly expiresAt: string | null
        readonly spenderId: string
        readonly externalId: string | null
        readonly isCapped: boolean
      } | null
    } | null
  }
  readonly WithdrawConsent: {
    readonly variables: {
      readonly client_id: string
    }
    readonly body: {
      readonly client_id: string
      readonly client_name: string
      readonly origin: AppOrigin | null
      readonly document_host: string | null
      readonly scope: string
      readonly status: GrantedConsentStatus
      readonly granted_at: string
      readonly revoked_at: string | null
      readonly budgets: readonly ({
        readonly period: BudgetPeriod
        readonly limit_credits: number
        readonly used_credits: number
        readonly held_credits: number
        readonly remaining_credits: number
        readonly resets_at: string | null
        readonly enforce: boolean
      })[]
    }
  }
  readonly AuditUsage: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly entries: number
      readonly drifts: readonly {
        readonly account_id: string
        readonly environment: Environment
        readonly problem: string
      }[]
    }
  }
  readonly CheckAuditChains: {
    readonly variables: {
      readonly after?: AuditChainPositionInput | null
      readonly limit: number
    }
    readonly body: {
      readonly events: number
      readonly chains: number
      readonly breaks: readonly ({
        readonly account_id: string | null
        readonly environment: Environment
        readonly seq: number | null
        readonly event_id: string | null
        readonly problem: string
      })[]
      readonly heads: readonly ({
        readonly account_id: string | null
        readonly environment: Environment
        readonly seq: number
        readonly hash: string
      })[]
      readonly last: {
        readonly chain: string
        readonly seq: number
        readonly id: string
        readonly hash: string
      } | null
    }
  }
  readonly CheckAuditHeads: {
    readonly variables: {
      readonly heads: readonly AuditHeadInput[]
    }
    readonly body: readonly ({
      readonly account_id: string | null
      readonly environment: Environment
      readonly seq: number
      readonly problem: string
    })[]
  }
  readonly CountAnonymousFailures: {
    readonly variables: {
      readonly sums: readonly AnonymousFailuresInput[]
    }
    readonly body: number
  }
  readonly CreateAuditExport: {
    readonly variables: {
      readonly kind?: AuditExportKind | null
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly service?: string | null
      readonly status_class?: number | null
      readonly actor?: string | null
      readonly key_id?: string | null
      readonly client_id?: string | null
      readonly external_id?: string | null
      readonly end_user?: string | null
      readonly source?: readonly UsageSource[] | null
      readonly error_code?: string | null
      readonly extended?: boolean | null
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly status: AuditExportStatus
      readonly filters: {
        readonly from: string | null
        readonly to: string | null
        readonly kind: AuditExportKind
        readonly service: string | null
        readonly status_class: string | null
        readonly actor: string | null
        readonly key_id: string | null
        readonly client_id: string | null
        readonly external_id: string | null
        readonly end_user: string | null
        readonly source: string | null
        readonly error_code: string | null
        readonly extended: boolean | null
      }
      readonly created_at: string
      readonly started_at: string | null
      readonly completed_at: string | null
      readonly row_count: number | null
      readonly error: string | null
      readonly poll_url: string
      readonly result_url: string | null
      readonly result_expires_at: string | null
    }
  }
  readonly FoldAbandonedUsage: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: number
  }
  readonly FoldUsageEpoch: {
    readonly variables: {
      readonly epoch: number
    }
    readonly body: boolean
  }
  readonly FollowAuditExportLink: {
    readonly variables: {
      readonly job_id: string
      readonly expires: string
      readonly signature: string
    }
    readonly body: {
      readonly file: string
      readonly fileName: string
    }
  }
  readonly ForgetAnonymousFailures: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly ForgetAuditExports: {
    readonly variables: {
      readonly limit: number
    }
    readonly body: number
  }
  readonly GetAppSpending: {
    readonly variables: {
      readonly clientId: string
      readonly accountIds: readonly string[]
    }
    readonly body: readonly {
      readonly accountId: string
      readonly credits: number
    }[]
  }
  readonly GetAuditExport: {
    readonly variables: {
      readonly job_id: string
    }
    readonly body: {
      readonly id: string
      readonly status: AuditExportStatus
      readonly filters: {
        readonly from: string | null
        readonly to: string | null
        readonly kind: AuditExportKind
        readonly service: string | null
        readonly status_class: string | null
        readonly actor: string | null
        readonly key_id: string | null
        readonly client_id: string | null
        readonly external_id: string | null
        readonly end_user: string | null
        readonly source: string | null
        readonly error_code: string | null
        readonly extended: boolean | null
      }
      readonly created_at: string
      readonly started_at: string | null
      readonly completed_at: string | null
      readonly row_count: number | null
      readonly error: string | null
      readonly poll_url: string
      readonly result_url: string | null
      readonly result_expires_at: string | null
    }
  }
  readonly GetForecast: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: {
      readonly as_of: string
      readonly available: number
      readonly runs_out_at: {
        readonly early: string | null
        readonly likely: string | null
        readonly late: string | null
      } | null
      readonly burn_down: readonly {
        readonly at: string
        readonly low: number
        readonly likely: number
        readonly high: number
      }[]
      readonly drivers: {
        readonly days: number
        readonly credits_per_day: number
        readonly weekday_strength: number
        readonly week_ahead: readonly number[]
        readonly expiring: readonly {
          readonly at: string
          readonly credits: number
        }[]
        readonly renewal: {
          readonly at: string
          readonly credits: number
        } | null
        readonly auto_recharge: {
          readonly threshold_credits: number
          readonly credits: number
          readonly left_this_month: number | null
        } | null
      }
    } | null
  }
  readonly GetUsageEpochAge: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: number
  }
  readonly GetUsageLogKeptSince: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: string | null
  }
  readonly KeepUsageLog: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: boolean
  }
  readonly ListAuditEvents: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly actor?: string | null
      readonly action?: string | null
      readonly resource_id?: string | null
      readonly result?: string | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly id: string
        readonly occurred_at: string
        readonly actor_kind: AuditActorKind
        readonly actor_id: string
        readonly actor_role: string | null
        readonly action: string
        readonly resource_id: string | null
        readonly address: string | null
        readonly request_id: string | null
        readonly trace_id: string | null
        readonly result: string
        readonly details: Readonly<Record<string, unknown>>
        readonly recorded_at: string
        readonly seq: number
        readonly hash: string
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly ListAuditExports: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: readonly ({
      readonly id: string
      readonly status: AuditExportStatus
      readonly filters: {
        readonly from: string | null
        readonly to: string | null
        readonly kind: AuditExportKind
        readonly service: string | null
        readonly status_class: string | null
        readonly actor: string | null
        readonly key_id: string | null
        readonly client_id: string | null
        readonly external_id: string | null
        readonly end_user: string | null
        readonly source: string | null
        readonly error_code: string | null
        readonly extended: boolean | null
      }
      readonly created_at: string
      readonly started_at: string | null
      readonly completed_at: string | null
      readonly row_count: number | null
      readonly error: string | null
      readonly poll_url: string
      readonly result_url: string | null
      readonly result_expires_at: string | null
    })[]
  }
  readonly ListAuditHeads: {
    readonly variables: {
      readonly afterChain: string
      readonly limit: number
    }
    readonly body: readonly ({
      readonly account_id: string | null
      readonly environment: Environment
      readonly seq: number
      readonly hash: string
    })[]
  }
  readonly ListLoggedCharges: {
    readonly variables: {
      readonly accountId: string
      readonly environment: Environment
      readonly fromId: string
      readonly untilId: string
      readonly minCredits: number
      readonly limit: number
    }
    readonly body: readonly {
      readonly requestId: string
      readonly credits: number
    }[]
  }
  readonly ListUsageErrors: {
    readonly variables: {
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly service?: string | null
      readonly status_class?: number | null
      readonly key_id?: string | null
      readonly client_id?: string | null
      readonly external_id?: string | null
      readonly error_code?: string | null
      readonly extended?: boolean | null
    }
    readonly body: {
      readonly from: string
      readonly to: string
      readonly is_complete: boolean
      readonly items: readonly ({
        readonly service: string
        readonly endpoint: string
        readonly status: number
        readonly error_code?: string | null
        readonly error_message?: string | null
        readonly requests: number
        readonly first_at: string
        readonly last_at: string
        readonly last_request_id: string
      })[]
    }
  }
  readonly ListUsageLog: {
    readonly variables: {
      readonly limit: number
      readonly cursor?: string | null
      readonly service?: string | null
      readonly status_class?: number | null
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly request_id?: string | null
      readonly min_credits?: number | null
      readonly key_id?: string | null
      readonly client_id?: string | null
      readonly external_id?: string | null
      readonly end_user?: string | null
      readonly endpoint?: string | null
      readonly error_code?: string | null
      readonly source?: readonly UsageSource[] | null
      readonly extended?: boolean | null
    }
    readonly body: {
      readonly items: readonly ({
        readonly request_id: string
        readonly ts: string
        readonly method: string
        readonly endpoint: string
        readonly service: string
        readonly status: number
        readonly credits: number
        readonly latency_ms: number
        readonly trace_id: string
        readonly backend_module: string
        readonly key_id?: string | null
        readonly client_id?: string | null
        readonly external_id?: string | null
        readonly end_user?: string | null
        readonly source?: UsageSource
        readonly error_code?: string | null
        readonly error_message?: string | null
        readonly error_details?: {
          readonly layer: string | null
          readonly limit: number | null
          readonly scope: string | null
          readonly fields: readonly {
            readonly name: string
            readonly rule: string
          }[]
        } | null
      })[]
      readonly next_cursor: string | null
    }
  }
  readonly OpenUsageEpoch: {
    readonly variables: {
      readonly oldestRequestId: string
      readonly oldestMs: number
    }
    readonly body: number
  }
  readonly RecordAuditEvents: {
    readonly variables: {
      readonly events: readonly AuditEventInput[]
    }
    readonly body: number
  }
  readonly RecordUsage: {
    readonly variables: {
      readonly entries: readonly UsageLogEntryInput[]
    }
    readonly body: number
  }
  readonly RecordUsageBatch: {
    readonly variables: {
      readonly epoch: number
      readonly batch: UsageBatchInput
    }
    readonly body: boolean
  }
  readonly RepeatAuditExport: {
    readonly variables: {
      readonly job_id: string
      readonly once?: OnceInput | null
    }
    readonly body: {
      readonly id: string
      readonly status: AuditExportStatus
      readonly filters: {
        readonly from: string | null
        readonly to: string | null
        readonly kind: AuditExportKind
        readonly service: string | null
        readonly status_class: string | null
        readonly actor: string | null
        readonly key_id: string | null
        readonly client_id: string | null
        readonly external_id: string | null
        readonly end_user: string | null
        readonly source: string | null
        readonly error_code: string | null
        readonly extended: boolean | null
      }
      readonly created_at: string
      readonly started_at: string | null
      readonly completed_at: string | null
      readonly row_count: number | null
      readonly error: string | null
      readonly poll_url: string
      readonly result_url: string | null
      readonly result_expires_at: string | null
    }
  }
  readonly RunAuditExport: {
    readonly variables: {
      readonly id: string
      readonly attempt: number
    }
    readonly body: boolean
  }
  readonly SettleLateEntries: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: boolean
  }
  readonly SummarizeUsage: {
    readonly variables: {
      readonly interval: UsageInterval
      readonly group_by: UsageGroup
      readonly from?: string | Date | null
      readonly to?: string | Date | null
      readonly key_id?: string | null
      readonly client_id?: string | null
      readonly external_id?: string | null
      readonly service?: string | null
      readonly status_class?: number | null
      readonly by_key?: boolean | null
      readonly by_client?: boolean | null
      readonly by_external_id?: boolean | null
    }
    readonly body: {
      readonly interval: UsageInterval
      readonly group_by: UsageGroup
      readonly from: string
      readonly to: string
      readonly items: readonly ({
        readonly start: string
        readonly service: string | null
        readonly endpoint: string | null
        readonly key_id?: string | null
        readonly client_id?: string | null
        readonly external_id?: string | null
        readonly requests: number
        readonly credits: number
        readonly success_rate: number
        readonly latency_p50_ms: number | null
        readonly latency_p95_ms: number | null
      })[]
    }
  }
  readonly TakeUpLostJobs: {
    readonly variables: Readonly<Record<string, never>>
    readonly body: number
  }
  readonly TotalLoggedCharges: {
    readonly variables: {
      readonly since: string | Date
      readonly fromId: string
      readonly untilId: string
      readonly afterAccountId: string
      readonly afterEnvironment: string
      readonly limit: number
    }
    readonly body: readonly {
      readonly accountId: string
      readonly environment: Environment
      readonly credits: number
      readonly fingerprint: string
    }[]
  }
  readonly WatchAuditExport: {
    readonly variables: {
      readonly id: string
      readonly attempt: number
    }
    readonly body: boolean
  }
}

export type AccountStatus = 'ACTIVE' | 'SUSPENDED' | 'CLOSED'

export type Addon = 'MASS_MAIL' | 'RANK_TRACKING'

export type AddonStatus = 'active' | 'scheduled_to_cancel' | 'canceled' | 'inactive'

export interface AdjustCreditsInput {
  readonly accountId: string
  readonly reason: string
  readonly idempotencyKey: string
  readonly environment?: EnvironmentInput | null
  readonly credits: number
  readonly allowNegative?: boolean | null
}

export interface AnonymousFailuresInput {
  readonly hour: string | Date
  readonly environment: Environment
  readonly client: string
  readonly result: string
  readonly failures: number
  readonly firstAt: string | Date
  readonly lastAt: string | Date
  readonly lastRoute: string
  readonly lastRequestId: string
}

export type ApiKeyState = 'ACTIVE' | 'DISABLED' | 'REVOKED' | 'EXPIRED'

export type ApiKeyStatus = 'active' | 'revoked' | 'expired'

export type AppOrigin = 'account' | 'document' | 'registration'

export type ApplicationType = 'web' | 'native' | 'spa'

export type AttentionKind = 'payment_disputed' | 'payment_unconfirmed' | 'auto_recharge_failed' | 'auto_recharge_without_card' | 'credits_low' | 'webhook_failing' | 'budget_nearly_used' | 'key_expiring' | 'card_expiring' | 'app_suspended'

export type AttentionSeverity = 'critical' | 'warning'

export type AuditActorKind = 'key' | 'oauth_client' | 'internal' | 'system' | 'anonymous' | 'session'

export interface AuditChainPositionInput {
  readonly chain: string
  readonly seq: number
  readonly id: string
  readonly hash: string
}

export interface AuditEventInput {
  readonly id: string
  readonly accountId?: string | null
  readonly environment: Environment
  readonly occurredAt: string | Date
  readonly actorKind: AuditActorKind
  readonly actorId: string
  readonly actorRole?: string | null
  readonly action: string
  readonly resourceId?: string | null
  readonly address?: string | null
  readonly requestId?: string | null
  readonly traceId?: string | null
  readonly result: string
  readonly details?: object | null
}

export type AuditExportKind = 'activity' | 'requests'

export type AuditExportStatus = 'queued' | 'running' | 'completed' | 'failed'

export interface AuditHeadInput {
  readonly accountId?: string | null
  readonly environment: Environment
  readonly seq: number
  readonly hash: string
}

export type AutoRechargeNeed = 'threshold_credits' | 'package_id' | 'payment_method'

export type AutoRechargeState = 'idle' | 'pending' | 'action_required' | 'suspended'

export type BatchOutcome = 'captured' | 'voided' | 'expired' | 'locked'

export interface BillingAddressInput {
  readonly line1: string
  readonly line2?: string | null
  readonly city: string
  readonly postalCode: string
  readonly state?: string | null
}

export interface BudgetInput {
  readonly period: BudgetPeriod
  readonly limitCredits: number
  readonly enforce?: boolean | null
}

export type BudgetLayer = 'key' | 'consent' | 'external_id' | 'account'

export interface BudgetNameInput {
  readonly period: BudgetPeriodName
  readonly limitCredits: number
  readonly enforce?: boolean | null
}

export type BudgetPeriod = 'day' | 'week' | 'month' | 'total'

export type BudgetPeriodName = 'DAY' | 'WEEK' | 'MONTH' | 'TOTAL'

export type CheckoutStatus = 'requires_action' | 'pending' | 'paid' | 'failed' | 'expired'

export interface ClaimedActInput {
  readonly reference: string
  readonly actHash: string
  readonly seconds: number
}

export interface CreateAccountInput {
  readonly name: string
  readonly email: string
  readonly tier?: Tier
  readonly ownerEmail?: string | null
  readonly subscriptionTier?: SubscriptionTier | null
  readonly credits?: number
  readonly addons?: readonly Addon[]
}

export interface CreateApiKeyInput {
  readonly name: string
  readonly scopes?: readonly string[] | null
  readonly ipAllowlist?: readonly string[] | null
  readonly expiresAt?: string | Date | null
  readonly externalId?: string | null
  readonly metadata?: object | null
  readonly budgets?: readonly BudgetNameInput[] | null
  readonly accountId: string
  readonly environment: EnvironmentInput
}

export interface CreatePortalLinkInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly accountId: string
  readonly environment: EnvironmentInput
  readonly role: PortalRole
  readonly actor: string
  readonly returnUrl?: string | null
}

export type Device = 'desktop' | 'mobile'

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

export interface InternalTokenInput {
  readonly id: string
  readonly role: string
  readonly mintedAt: string | Date
  readonly expiresAt: string | Date
}

export interface InvitationMailInput {
  readonly accountId: string
  readonly memberId: string
  readonly invitationId: string
  readonly email: string
  readonly role: string
  readonly invitedBy?: string | null
  readonly expiresAt: string | Date
}

export interface InviteMemberInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly accountId: string
  readonly email: string
  readonly role: PortalRole
}

export type InvoiceStatus = 'paid' | 'open' | 'void'

export type InvoiceType = 'invoice' | 'credit_note'

export type KeptKeys = 'revoke' | 'keep'

export type LedgerEntryKind = 'grant' | 'purchase' | 'allowance' | 'charge' | 'refund' | 'expiry' | 'adjustment' | 'clawback' | 'reinstatement'

export interface LedgerHeadInput {
  readonly accountId: string
  readonly environment: Environment
  readonly seq: number
  readonly hash: string
}

export type LotSource = 'purchase' | 'allowance' | 'grant' | 'refund' | 'adjustment' | 'reinstatement'

export interface MailReceiverInput {
  readonly memberId: string
  readonly email: string
}

export type MailSignInState = 'possible' | 'off' | 'unconfirmed' | 'passkeys_only'

export type MemberState = 'invited' | 'unconfirmed' | 'active'

export interface NewEventInput {
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  readonly type: string
  readonly data: object
  readonly createdAt: string | Date
  readonly isMailed?: boolean
}

export type NotificationKind = 'credits_low' | 'recharge_failed' | 'payment_action_required' | 'payment_refunded' | 'payment_disputed' | 'invoice_paid' | 'budget_threshold' | 'credits_expiring' | 'key_leaked' | 'webhook_disabled' | 'export_ready'

export type OAuthAppStatus = 'active' | 'suspended'

export interface OnceInput {
  readonly reference: string
  readonly seconds: number
}

export interface OpenOperatorSessionInput {
  readonly linkTokenHash?: string | null
  readonly name?: string | null
  readonly role?: string | null
  readonly provenAt?: string | Date | null
  readonly subject?: string | null
  readonly refreshToken?: string | null
  readonly previousHash?: string | null
  readonly isStepUp?: boolean | null
}

export interface OperatorRoleInput {
  readonly id: string
  readonly isAnswered: boolean
  readonly role?: string | null
  readonly refreshToken?: string | null
}

export type PaymentRefundStatus = 'pending' | 'succeeded' | 'failed'

export type PaymentSource = 'checkout' | 'recharge' | 'renewal' | 'plan'

export interface PeopleMailInput {
  readonly accountId: string
  readonly messageId: string
  readonly template: string
  readonly data: object
  readonly receivers: readonly MailReceiverInput[]
  readonly isCounted?: boolean | null
}

export type PlanChangeKind = 'start' | 'upgrade' | 'downgrade' | 'keep'

export type PlanChangeStatus = 'applied' | 'scheduled' | 'pending_payment'

export type PlanChangeTime = 'now' | 'period_end'

export type PortalRole = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER'

export interface ProcessReportInput {
  readonly id: string
  readonly role: string
  readonly version: string
  readonly startedAt: string | Date
  readonly report: object
}

export type RechargeObstacle = 'off' | 'under_way' | 'suspended' | 'negative_balance' | 'payment_method' | 'package_id' | 'monthly_cap'

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

export type ReservationVerdict = 'accepted' | 'insufficient' | 'exhausted' | 'replay' | 'running' | 'mismatch' | 'again' | 'locked'

export interface ReserveBatchInput {
  readonly requestIds: readonly string[]
  readonly accountIds: readonly string[]
  readonly environments: readonly Environment[]
  readonly credits: readonly number[]
  readonly endpoints: readonly string[]
  readonly calls: readonly string[]
  readonly ttlSeconds: number
  readonly keyHashes?: readonly (string | null)[] | null
  readonly requestHashes?: readonly (string | null)[] | null
  readonly keyTtlSeconds?: number | null
  readonly spenders?: readonly (readonly string[])[] | null
  readonly counts?: readonly number[] | null
  readonly isApart?: boolean | null
  readonly isPatient?: boolean | null
}

export interface ResetPasskeysInput {
  readonly email: string
  readonly reason: string
  readonly idempotencyKey?: string | null
}

export interface RetryJobsInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly id?: string | null
  readonly operation?: string | null
}

export interface SettleBatchInput {
  readonly requestIds: readonly string[]
  readonly accountIds: readonly string[]
  readonly environments: readonly Environment[]
  readonly credits: readonly number[]
  readonly endpoints: readonly string[]
  readonly calls: readonly string[]
  readonly keyHashes?: readonly (string | null)[] | null
  readonly answers?: readonly (string | null)[] | null
  readonly bodies?: readonly (string | null)[] | null
  readonly spenders?: readonly (readonly string[])[] | null
  readonly reservedAts?: readonly (string | Date | null)[] | null
  readonly counts?: readonly number[] | null
  readonly isPatient?: boolean | null
  readonly waitedSeconds?: number | null
}

export type SigningKeyUse = 'OPENID' | 'BACKENDS'

export type SimulatedChoice = 'pay' | 'decline' | 'confirm' | 'close' | 'refund' | 'refund_part' | 'dispute' | 'win' | 'lose'

export type SubscriptionTier = 'pro_sub' | 'business_sub' | 'enterprise_sub'

export type Tier = 'STARTER' | 'GROWTH' | 'PROFESSIONAL' | 'BUSINESS' | 'ENTERPRISE' | 'SCALE'

export type TokenEndpointAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

export interface UpdateAccountInput {
  readonly reason?: string | null
  readonly idempotencyKey?: string | null
  readonly id: string
  readonly tier?: Tier | null
  readonly subscriptionTier?: SubscriptionTier | null
  readonly status?: AccountStatus | null
}

export interface UsageBatchInput {
  readonly environments: readonly Environment[]
  readonly methods: readonly string[]
  readonly routes: readonly string[]
  readonly services: readonly string[]
  readonly backendModules: readonly string[]
  readonly operations: readonly number[]
  readonly accountIds: readonly string[]
  readonly requestIds: readonly string[]
  readonly arrivedAtMs: readonly number[]
  readonly endpoints: readonly (string | null)[]
  readonly statuses: readonly number[]
  readonly credits: readonly number[]
  readonly latenciesMs: readonly number[]
  readonly traceIds: readonly string[]
  readonly keyIds: readonly (string | null)[]
  readonly clientIds?: readonly (string | null)[] | null
  readonly externalIds?: readonly (string | null)[] | null
  readonly endUsers?: readonly (string | null)[] | null
  readonly isSession?: readonly boolean[] | null
  readonly errorCodes?: readonly (string | null)[] | null
  readonly errorDetails?: readonly (string | null)[] | null
}

export type UsageGroup = 'service' | 'endpoint' | 'key' | 'client' | 'external_id'

export type UsageInterval = 'hour' | 'day'

export interface UsageLogEntryInput {
  readonly accountId: string
  readonly environment: Environment
  readonly requestId: string
  readonly ts: string | Date
  readonly method: string
  readonly endpoint: string
  readonly route?: string | null
  readonly service: string
  readonly status: number
  readonly credits: number
  readonly latencyMs: number
  readonly traceId: string
  readonly backendModule: string
  readonly keyId?: string | null
  readonly clientId?: string | null
  readonly externalId?: string | null
  readonly endUser?: string | null
  readonly isSession?: boolean | null
  readonly errorCode?: string | null
  readonly errorDetails?: string | null
}

export type UsageSource = 'key' | 'token' | 'session'

export type WebhookDeliveryStatus = 'pending' | 'succeeded' | 'failed'

export type WebhookEndpointStatus = 'enabled' | 'disabled'
