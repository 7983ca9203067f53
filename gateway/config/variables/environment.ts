import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { bucketUrl } from './bucket.ts'
import {
  cidrs,
  duration,
  hostName,
  hostNames,
  integer,
  issuer,
  originAlone,
  origins,
  port,
  postgresUrl,
  redisUrl,
  retrySeconds,
  thresholds,
  url,
} from './formats.ts'
import { contact, mailFrom, smtpUrl } from './mail-settings.ts'
import { defaultOAuthLimits, oauthLimits } from './oauth-limits.ts'
import { operatorRoles } from './operator-roles.ts'
import { strongSecret } from './strong-secret.ts'
import { traces } from './traces.ts'
import { trustProxy } from './trust-proxy.ts'

/** The pauses after failed attempts at a delivery. The default lasts 31 hours. */
const defaultRetrySeconds: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400]

const mostDefaultWorkers = 8

/**
 * The number of workers without a setting: one core is left to PostgreSQL, and two are too few for a second
 * process.
 */
export function defaultWorkers(cores: number): number {
  return cores <= 2 ? 1 : Math.min(mostDefaultWorkers, cores - 1)
}

export const environment = z.object({
  PORT: port.default(8080),
  SANDBOX_PORT: port.default(8081),
  INTERNAL_PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  BASE_URL: url.optional(),
  SANDBOX_BASE_URL: url.optional(),
  DOCS_URL: url.optional(),
  OPERATOR_BASE_URL: originAlone.optional(),
  PASSKEY_RP_ID: hostName.optional(),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  MCP: z.enum(['on', 'off'], 'must be on or off').default('on'),
  WORKERS: integer(1, 64).default(defaultWorkers(availableParallelism())),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: postgresUrl.optional(),
  MIGRATE_DATABASE_URL: postgresUrl.optional(),
  CALLER_KEYS_FILE: z.string().optional(),
  DATABASE_TIMEOUT_MS: integer(2000, 60_000).default(5000),
  FACADE_URL: originAlone.optional(),
  SANDBOX_FACADE_URL: originAlone.optional(),
  REDIS_URL: redisUrl.optional(),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,15}$/, 'must be 2 to 16 lower-case letters and digits')
    .default('svc'),
  GATEWAY_SECRET: strongSecret.optional(),
  PAYMENTS: z.enum(['stripe', 'simulated'], 'must be stripe or simulated').optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^[rs]k_\w+$/, 'must be a secret key (sk_…) or a restricted one (rk_…)')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, 'must be the signing secret of a webhook endpoint (whsec_…)')
    .optional(),
  STRIPE_API_URL: originAlone.optional(),
  STRIPE_TAX: z.enum(['on', 'off'], 'must be on or off').default('off'),
  INVOICE_FONTS: z.string().optional(),
  RETURN_ORIGINS: origins.default([]),
  GATEWAY_JWKS_URL: url.optional(),
  BACKEND_TIMEOUT_MS: integer(1, 600_000).default(10_000),
  HOLD_TTL_SECONDS: integer(1, 43_200).default(60),
  USAGE_LOG_RETENTION_DAYS: integer(0, 36_500)
    .refine((days) => days === 0 || days >= 31, 'must be 0, for ever, or at least 31')
    .default(0),
  EXPORT_RETENTION_DAYS: integer(1, 3650).default(7),
  EXPORT_DIR: z.string().optional(),
  EXPORT_S3_URL: bucketUrl.optional(),
  DIGEST_DIR: z.string().optional(),
  DIGEST_S3_URL: bucketUrl.optional(),
  WEBHOOK_RETRY_SECONDS: retrySeconds.default(defaultRetrySeconds),
  WEBHOOK_TIMEOUT_MS: integer(100, 60_000).default(15_000),
  WEBHOOK_RETENTION_DAYS: integer(8, 3650).default(30),
  WEBHOOK_DENY_CIDRS: cidrs.default([]),
  WEBHOOK_ALLOW_LOOPBACK: z.enum(['true', 'false'], 'must be true or false').optional(),
  WEBHOOK_KEEP_LOOPBACK_ANSWERS: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false'),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailFrom.optional(),
  SUPPORT_CONTACT: contact.optional(),
  TOP_UP_URL: url.optional(),
  PLANS_CONTACT_URL: url.optional(),
  DRAIN_TIMEOUT_SECONDS: integer(0, 3600).default(25),
  DRAIN_NOTICE_SECONDS: integer(0, 3600).default(0),
  MAX_CONCURRENT_REQUESTS: integer(1, 1_000_000).default(4000),
  MAX_QUEUE_DELAY_MS: integer(0, 10_000).default(20),
  ACCOUNT_WORK_MS: integer(0, 1_000_000).default(500),
  MAX_CONNECTIONS_PER_ADDRESS: integer(0, 1_000_000).default(1000),
  KEY_CACHE_SECONDS: integer(0, 3600).default(5),
  INTERNAL_NAMES: hostNames.default([]),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w\-.~+/]{16,}=*$/, 'must be at least 16 letters, digits or -._~+/')
    .optional(),
  OPERATOR_READS: z.enum(['shown', 'internal'], 'must be shown or internal').default('internal'),
  INTERNAL_TOKEN_MAX_TTL: integer(60, 2_592_000).default(86_400),
  TRUST_PROXY: trustProxy.default(false),
  BILLING_PERIOD: duration.default('P1M'),
  ALLOWANCE_GRACE_DAYS: integer(0, 365).default(0),
  LOW_CREDITS_THRESHOLDS: thresholds.default([1000, 100]),
  OAUTH_LIMITS: oauthLimits.default(defaultOAuthLimits),
  OAUTH_DYNAMIC_REGISTRATION: z.enum(['on', 'off'], 'must be on or off').default('on'),
  OAUTH_REFRESH_GRACE_SECONDS: integer(0, 30).default(0),
  SESSION_HOURS: integer(1, 720).default(12),
  STEP_UP_MINUTES: integer(1, 720).default(30),
  OAUTH_UI_URL: url.refine((text) => !text.includes('#'), 'must have no fragment').optional(),
  FIRST_PARTY_ORIGINS: origins.optional(),
  OPERATOR_OIDC_ISSUER: issuer.optional(),
  OPERATOR_OIDC_CLIENT_ID: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, 'must be at most 255 printable ASCII characters')
    .optional(),
  OPERATOR_OIDC_CLIENT_SECRET: z
    .string()
    .regex(/^[\x20-\x7e]{1,1000}$/, 'must be at most 1000 printable ASCII characters')
    .optional(),
  OPERATOR_ROLES: operatorRoles.optional(),
  ANONYMOUS_RPS: integer(1, 1_000_000).default(50),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
  ...traces,
})

/** The variables of the gateway itself, once they are read. */
export type Settings = z.infer<typeof environment>
