import { deriveKey } from '../../schema/secrets.ts'
import type { StripeOptions } from '../../subgraphs/shared/context.ts'
import type { Config, KnownConfig } from './config.ts'
import { billingOf, oauthOf, webhooksOf } from './graph.ts'

/** Where this gateway is, as others know it: absolute, without a trailing slash. */
export interface Addresses {
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
}

/** As configured; `fallback` is where its own listeners are. */
export function addressesOf(
  config: Config,
  fallback: { readonly live: string; readonly sandbox: string } = { live: '', sandbox: '' },
): Addresses {
  const live = trim(config.BASE_URL ?? fallback.live)
  const sandbox = trim(config.SANDBOX_BASE_URL ?? fallback.sandbox)
  return { baseUrls: { live, sandbox }, docsUrl: trim(config.DOCS_URL ?? `${live}/docs`) }
}

/** What every subgraph needs of the configuration. */
export function subgraphSettings(config: Config, gatewaySecret: string, addresses: Addresses) {
  return {
    ...addresses,
    gatewaySecret,
    keyPrefix: config.KEY_PREFIX,
    billing: billingOf(config),
    oauth: oauthOf(config),
    webhooks: webhooksOf(config),
    usageLogRetentionDays: config.USAGE_LOG_RETENTION_DAYS,
  }
}

/** How payments are collected; `facade` is where notifications of payments are taken. */
export function paymentsOf(
  config: Config,
  facade: { readonly live: string; readonly sandbox: string },
) {
  return {
    notificationUrls: {
      live: `${trim(config.FACADE_URL ?? facade.live)}/v1/billing/notifications`,
      sandbox: `${trim(config.SANDBOX_FACADE_URL ?? facade.sandbox)}/v1/billing/notifications`,
    },
    stripe: stripeOf(config),
    simulatesLive: simulatesLive(config),
  }
}

/** Whether live credits are given and nobody pays: what PAYMENTS says, and what is tried out by default. */
export function simulatesLive(config: KnownConfig): boolean {
  const isTriedOut = config.databases.size === 0 && stripeOf(config) === undefined
  return config.PAYMENTS === 'simulated' || (config.PAYMENTS === undefined && isTriedOut)
}

function stripeOf(config: KnownConfig): StripeOptions | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) return undefined
  return { secretKey, webhookSecret, apiUrl: config.STRIPE_API_URL }
}

/** What internal tokens are signed with. */
export function internalTokenKeyOf(gatewaySecret: string): Uint8Array {
  return deriveKey(gatewaySecret, 'internal-token')
}

/** What the internal listener of a role is called, and what its metrics need. */
export function internalSettingsOf(config: Config, role: string) {
  return {
    // Where roles are processes, each is a host of its name to the others.
    names: [role, config.INTERNAL_HOST, ...config.INTERNAL_NAMES],
    metricsToken: config.METRICS_TOKEN ?? null,
  }
}

export function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

function trim(url: string): string {
  return url.replace(/\/+$/, '')
}
