import { join, resolve } from 'node:path'
import type {
  BillingSettings,
  PaymentSettings,
  StripeSettings,
  WebhookSettings,
} from '../../subgraphs/account/settings/account-settings.ts'
import { createClientDocuments } from '../../subgraphs/oauth/documents/client-documents.ts'
import type {
  AgentSettings,
  ProviderSettings,
} from '../../subgraphs/oauth/settings/oauth-settings.ts'
import {
  type FileStorageSettings,
  openFileStorage,
} from '../../subgraphs/usage/exports/file-storage/open-file-storage.ts'
import type { ExportSettings } from '../../subgraphs/usage/settings/usage-settings.ts'
import { type Addresses, servesOwnMachine, withoutTrailingSlash } from './addresses.ts'
import type { Config, KnownConfig } from './config.ts'
import { passkeysOf } from './passkeys.ts'

/** The location of exports and their retention; the process adds the function for warnings. */
export type ExportOptions = Omit<ExportSettings, 'warn'>

/** The settings of payments; the process adds the function for warnings. */
export type PaymentOptions = Omit<PaymentSettings, 'warn'>

/** The settings that every subgraph needs. */
export function subgraphSettings(config: Config, gatewaySecret: string, addresses: Addresses) {
  return {
    ...addresses,
    gatewaySecret,
    keyPrefix: config.KEY_PREFIX,
    hasConsole: config.CONSOLE !== 'off',
    topUpUrl: config.TOP_UP_URL,
    billing: billingOf(config),
    invoiceFonts: config.INVOICE_FONTS,
    oauth: oauthOf(config, addresses),
    webhooks: webhooksOf(config),
    sendsMails: config.SMTP_URL !== undefined,
    usageLogRetentionDays: config.USAGE_LOG_RETENTION_DAYS,
    showsOperatorReads: config.OPERATOR_READS === 'shown',
  }
}

/** The settings of payments; `facade` has the addresses that take notifications of payments. */
export function paymentsOf(
  config: Config,
  facade: { readonly live: string; readonly sandbox: string },
): PaymentOptions {
  return {
    notificationUrls: {
      live: `${withoutTrailingSlash(config.FACADE_URL ?? facade.live)}/v1/billing/notifications`,
      sandbox: `${withoutTrailingSlash(config.SANDBOX_FACADE_URL ?? facade.sandbox)}/v1/billing/notifications`,
    },
    returnOrigins: config.RETURN_ORIGINS,
    stripe: stripeOf(config),
    simulatesLive: simulatesLive(config),
  }
}

/** Whether live payments are simulated: by PAYMENTS, or by default in a gateway for trial. */
export function simulatesLive(config: KnownConfig): boolean {
  const isTriedOut = config.databases.size === 0 && stripeOf(config) === undefined
  return config.PAYMENTS === 'simulated' || (config.PAYMENTS === undefined && isTriedOut)
}

function stripeOf(config: KnownConfig): StripeSettings | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) return undefined
  const computesTax = config.STRIPE_TAX === 'on'
  return { secretKey, webhookSecret, apiUrl: config.STRIPE_API_URL, computesTax }
}

/** The settings of billing. */
function billingOf(config: Config): BillingSettings {
  return {
    period: config.BILLING_PERIOD,
    lowCreditsThresholds: config.LOW_CREDITS_THRESHOLDS,
    allowanceGraceDays: config.ALLOWANCE_GRACE_DAYS,
    plansContactUrl: config.PLANS_CONTACT_URL,
  }
}

/** The settings of the OpenID provider. */
function oauthOf(config: Config, { baseUrls }: Addresses): ProviderSettings {
  return {
    refreshGraceSeconds: config.OAUTH_REFRESH_GRACE_SECONDS,
    sessionHours: config.SESSION_HOURS,
    stepUpMinutes: config.STEP_UP_MINUTES,
    sendsMails: config.SMTP_URL !== undefined,
    passkeys: passkeysOf(config, baseUrls.live),
    ...(config.MCP === 'on' && { agents: agentsOf(config) }),
    returnOrigins: config.RETURN_ORIGINS,
  }
}

/** The settings of agents. Their documents are fetched as webhooks are sent: not from an operator's network. */
function agentsOf(config: Config): AgentSettings {
  const { allowsLoopback, deniedCidrs } = webhooksOf(config)
  return {
    mayRegister: config.OAUTH_DYNAMIC_REGISTRATION === 'on',
    documents: createClientDocuments({ allowsLoopback, deniedCidrs }),
  }
}

/**
 * The settings of webhooks. Receivers on this machine are only for trials of the gateway: webhooks
 * must not reach the services inside an operator's network.
 */
export function webhooksOf(config: Config): WebhookSettings {
  const { WEBHOOK_ALLOW_LOOPBACK: allowed, databases } = config
  const isTrial = databases.size === 0 && servesOwnMachine(config)
  const allowsLoopback = allowed === undefined ? isTrial : allowed === 'true'
  return {
    allowsLoopback,
    deniedCidrs: config.WEBHOOK_DENY_CIDRS,
    retentionDays: config.WEBHOOK_RETENTION_DAYS,
    keepsLoopbackAnswers: config.WEBHOOK_KEEP_LOOPBACK_ANSWERS === 'true',
  }
}

/** The storage of export results and their retention. */
export function exportsOf(config: Config): ExportOptions {
  return {
    files: openFileStorage(storageOf(config)),
    retentionDays: config.EXPORT_RETENTION_DAYS,
  }
}

function storageOf({ EXPORT_S3_URL, EXPORT_DIR, DATA_DIR }: Config): FileStorageSettings {
  if (EXPORT_S3_URL) return { s3: EXPORT_S3_URL }
  return { directory: resolve(EXPORT_DIR ?? join(DATA_DIR, 'exports')) }
}

/** The place of the daily digest; null: there is none, so that no digest is made. */
export function digestStorageOf({ DIGEST_S3_URL, DIGEST_DIR }: Config): FileStorageSettings | null {
  if (DIGEST_S3_URL) return { s3: DIGEST_S3_URL }
  return DIGEST_DIR === undefined ? null : { directory: resolve(DIGEST_DIR) }
}
