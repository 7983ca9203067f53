import type { Environment } from '../../../schema/credentials/caller.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { EndpointUrlRules } from '../../shared/outgoing/endpoint-url.ts'

/** The settings of the account subgraph. */
export interface AccountSettings {
  readonly billing: BillingSettings
  /** How payments are collected. If it is absent, live payments are not collected. */
  readonly payments?: PaymentSettings
  /** Whether the gateway can send mails about events; otherwise accounts cannot set them up. */
  readonly sendsMails?: boolean
  /** A folder of fonts for the letters on invoices that the built-in font lacks. */
  readonly invoiceFonts?: string
  /** The settings of webhooks; without them, addresses must be public and https. */
  readonly webhooks?: WebhookSettings
}

/** The context of the resolvers of the account subgraph. */
export interface AccountContext extends GraphContext, AccountSettings {}

/** The settings of an operator for billing. */
export interface BillingSettings {
  /** The period of subscriptions and add-ons: an ISO 8601 duration. */
  readonly period: string
  /** An account is told that it runs low when its balance falls below one of these. */
  readonly lowCreditsThresholds: readonly number[]
  /** An allowance is granted for this long before its payment; with its payment if it is 0 or absent. */
  readonly allowanceGraceDays?: number
  /** Where account holders ask for another plan; if it is set, plans are not sold here. */
  readonly plansContactUrl?: string
}

/** The settings of an operator for webhooks. */
export interface WebhookSettings extends EndpointUrlRules {
  /** How long events and their deliveries are kept. */
  readonly retentionDays: number
  /** Keeps the text of answers that come from loopback too: for tests. */
  readonly keepsLoopbackAnswers?: boolean
}

export interface PaymentSettings {
  /** Receives messages for the operator, which never contain a secret. */
  readonly warn: (message: string) => void
  /** Counts what a notification of a provider could not change. */
  readonly count?: (what: NotedNotification) => void
  /** Origins to which a payer may come back, beside our own, as a browser writes them. */
  readonly returnOrigins?: readonly string[]
  /**
   * The URL at which this gateway takes notifications, for each environment, as this process reaches it.
   * Without it no notifications are sent.
   */
  readonly notificationUrls?: Readonly<Record<Environment, string>>
  /** Stripe collects live payments. Without it they are refused, unless they are simulated. */
  readonly stripe?: StripeSettings
  /** Whether live credits may be granted for payments that nobody collects. */
  readonly simulatesLive?: boolean
}

/** A notification of a payment provider that changes nothing, by its kind. */
export type NotedNotification =
  /** The notification has a type that the gateway does not know, or it is about another system's payment. */
  | 'other_type'
  /** The provider has collected another amount or currency than was asked for. */
  | 'wrong_amount'
  /** A refund or a dispute that contradicts its payment. */
  | 'unmatched'

export interface StripeSettings {
  readonly secretKey: string
  /** Signs Stripe's notifications. */
  readonly webhookSecret: string
  /** Scheme, host and port; Stripe's own address unless it is set. */
  readonly apiUrl?: string
  /** Whether Stripe Tax computes the tax of live payments, in place of the rates of the price list. */
  readonly computesTax?: boolean
}
