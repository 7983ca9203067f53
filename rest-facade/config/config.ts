import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { isAddressRange } from '../../schema/vocabulary/ip-allowlist.ts'
import { parseRedisUrl, type RedisAddress, redisUrlRule } from '../redis/redis-address.ts'
import { readCallerSecrets } from './caller-secrets.ts'
import { mailFrom, smtpUrl } from './mail-settings.ts'
import { commandRole, subgraphNames } from './role-names.ts'
import { missingForRole } from './role-variables.ts'
import { strongSecret } from './strong-secret.ts'

/** Configuration that cannot be used. Its message has a line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The databases for requests; a look into them may find further problems. */
  readonly serviceUrls: readonly string[]

  constructor(message: string, serviceUrls: readonly string[] = []) {
    super(message)
    this.serviceUrls = serviceUrls
  }
}

const port = integer(0, 65_535)
const url = z.url({ protocol: /^https?$/, message: 'must be an http or https URL', abort: true })
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, message: 'must be a postgres:// URL' })

const redisUrl = z.string().transform((text, context): RedisAddress => {
  const address = parseRedisUrl(text)
  if (address) return address
  context.addIssue({ code: 'custom', message: redisUrlRule })
  return z.NEVER
})

function integer(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
}

function isOrigin(text: string): boolean {
  const { origin, href } = new URL(text)
  return href === `${origin}/`
}

const trustProxy = z.string().transform((text, context): false | number | readonly string[] => {
  if (text === 'false' || text === '0') return false
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const ranges = text.split(',').map((range) => range.trim())
  if (ranges.every((range) => isAddressRange(range) && !isTooWide(range))) return ranges
  const message =
    text === 'true'
      ? 'must not be true: then anybody could forge an address; name the hops or CIDR blocks'
      : 'must be false, a number of hops, or a comma-separated list of CIDR blocks'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** The durations that a billing period can have. */
const durations = /^P(?:(?:[1-9]|10)Y|[1-9]\d?M|[1-9]\d{0,2}[WD]|T[1-9]\d{0,4}[HMS])$/
const duration = z
  .string()
  .regex(durations, 'must be an ISO 8601 duration in one unit, such as P1M, P2W or PT90S')

const thresholds = z
  .string()
  .regex(/^\d{1,15}(,\d{1,15}){0,9}$/, 'must be up to ten amounts of credits')
  .or(z.literal('none').transform(() => ''))
  .transform((text) => text.split(',').filter(Boolean).map(Number))
  .refine((amounts) => amounts.every((amount) => amount > 0), 'must be amounts from 1')

const cidrs = z
  .string()
  .transform((text): readonly string[] => text.split(',').map((range) => range.trim()))
  .refine(
    (ranges) => ranges.every(isAddressRange),
    'must be a comma-separated list of addresses and CIDR blocks',
  )

const hostNames = z
  .string()
  .transform((text): readonly string[] => text.split(',').map((name) => name.trim()))
  .refine(
    (names) => names.every((name) => /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i.test(name)),
    'must be a comma-separated list of host names, without ports',
  )

/** The widest networks that one organization has; a few wider ones would hold all addresses. */
const widestPrefixes = { v4: 8, v6: 16, v4InV6: 96 + 8 }

function isTooWide(range: string): boolean {
  const [address = '', prefix] = range.split('/')
  if (prefix === undefined) return false
  const isV4InV6 = address.toLowerCase().startsWith('::ffff:')
  const form = address.includes(':') ? (isV4InV6 ? 'v4InV6' : 'v6') : 'v4'
  return Number(prefix) < widestPrefixes[form]
}

/** The pauses after failed attempts at a delivery. The default lasts 31 hours. */
const defaultRetrySeconds: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400]

const retrySeconds = z
  .string()
  .regex(/^\d{1,6}(,\d{1,6}){0,19}$/, 'must be up to twenty pauses in seconds')
  .transform((text): readonly number[] => text.split(',').map(Number))

/** Requests of one client address in a minute; 0: no limit. `failures`: of an app at an address. */
const defaultOAuthLimits = {
  token: 600,
  authorize: 600,
  introspect: 6000,
  revoke: 600,
  register: 60,
  failures: 10,
}

const oauthLimits = z.string().transform((text, context): typeof defaultOAuthLimits => {
  const limits = { ...defaultOAuthLimits }
  const named = new Set<string>()
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = /^\s*([a-z]+)=(\d{1,7})\s*$/.exec(part) ?? []
    if (!isLimitName(name) || named.has(name)) {
      const names = Object.keys(defaultOAuthLimits).join(', ')
      context.addIssue({ code: 'custom', message: `must be name=number, each once, of ${names}` })
      return z.NEVER
    }
    named.add(name)
    limits[name] = Number(value)
  }
  return limits
})

function isLimitName(name: string): name is keyof typeof defaultOAuthLimits {
  return Object.hasOwn(defaultOAuthLimits, name)
}

/** An origin as a browser writes it. Patterns are not supported. */
function isWebOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

const origins = z.string().transform((text, context): readonly string[] => {
  const list = text.split(',').map((origin) => origin.trim())
  if (list.every(isWebOrigin)) return list
  const message = 'must be a comma-separated list of origins: http or https, host and port alone'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** The sampler names of OpenTelemetry. */
export type SamplerName = (typeof samplers)[number]

const share = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number)

const originAlone = url.refine(isOrigin, 'must be scheme, host and port alone')

/** A bucket of S3 or of a compatible service. */
const bucket = {
  ENDPOINT: originAlone.optional(),
  BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be a region, such as eu-central-1')
    .optional(),
  KEY: z.string().regex(/^\S+$/, 'must be the id of an access key').optional(),
  SECRET: z.string().regex(/^\S+$/, 'must be the secret of an access key').optional(),
}

const mostDefaultWorkers = 8

/** One core is left to PostgreSQL, and two are too few for a second process. */
export function defaultWorkers(cores: number): number {
  return cores <= 2 ? 1 : Math.min(mostDefaultWorkers, cores - 1)
}

const environment = z.object({
  PORT: port.default(8080),
  SANDBOX_PORT: port.default(8081),
  INTERNAL_PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  BASE_URL: url.optional(),
  SANDBOX_BASE_URL: url.optional(),
  DOCS_URL: url.optional(),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  WARM_UP: z.enum(['on', 'off'], 'must be on or off').default('on'),
  WORKERS: integer(1, 64).default(defaultWorkers(availableParallelism())),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: postgresUrl.optional(),
  MIGRATE_DATABASE_URL: postgresUrl.optional(),
  CALLER_KEYS_FILE: z.string().optional(),
  SUBGRAPH_TIMEOUT_MS: integer(1, 60_000).default(5000),
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
  RETURN_ORIGINS: origins.default([]),
  GATEWAY_JWKS_URL: url.optional(),
  BACKEND_TIMEOUT_MS: integer(1, 600_000).default(10_000),
  HOLD_TTL_SECONDS: integer(1, 86_400).default(60),
  IDEMPOTENCY_TTL_HOURS: integer(1, 8760).default(24),
  USAGE_LOG_RETENTION_DAYS: integer(0, 36_500)
    .refine((days) => days === 0 || days >= 31, 'must be 0, for ever, or at least 31')
    .default(0),
  EXPORT_URL_TTL_SECONDS: integer(1, 900).default(900),
  EXPORT_RETENTION_DAYS: integer(1, 3650).default(7),
  EXPORT_DIR: z.string().optional(),
  EXPORT_S3_ENDPOINT: bucket.ENDPOINT,
  EXPORT_S3_BUCKET: bucket.BUCKET,
  EXPORT_S3_REGION: bucket.REGION,
  EXPORT_S3_KEY: bucket.KEY,
  EXPORT_S3_SECRET: bucket.SECRET,
  DIGEST_DIR: z.string().optional(),
  DIGEST_S3_ENDPOINT: bucket.ENDPOINT,
  DIGEST_S3_BUCKET: bucket.BUCKET,
  DIGEST_S3_REGION: bucket.REGION,
  DIGEST_S3_KEY: bucket.KEY,
  DIGEST_S3_SECRET: bucket.SECRET,
  WEBHOOK_RETRY_SECONDS: retrySeconds.default(defaultRetrySeconds),
  WEBHOOK_TIMEOUT_MS: integer(100, 60_000).default(15_000),
  WEBHOOK_DISABLE_AFTER_HOURS: integer(1, 8760).default(120),
  WEBHOOK_RETENTION_DAYS: integer(8, 3650).default(30),
  WEBHOOK_DENY_CIDRS: cidrs.default([]),
  WEBHOOK_ALLOW_LOOPBACK: z.enum(['true', 'false'], 'must be true or false').optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailFrom.optional(),
  HEALTH_PROBE_TIMEOUT_MS: integer(1, 60_000).default(1000),
  DRAIN_TIMEOUT_SECONDS: integer(0, 3600).default(25),
  DRAIN_NOTICE_SECONDS: integer(0, 3600).default(0),
  MAX_CONCURRENT_REQUESTS: integer(1, 1_000_000).default(4000),
  MAX_QUEUE_DELAY_MS: integer(0, 10_000).default(100),
  MAX_CONNECTIONS_PER_ADDRESS: integer(0, 1_000_000).default(1000),
  KEY_CACHE_SECONDS: integer(0, 3600).default(5),
  INTERNAL_NAMES: hostNames.default([]),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w\-.~+/]{16,}=*$/, 'must be at least 16 letters, digits or -._~+/')
    .optional(),
  INTERNAL_TOKEN_MAX_TTL: integer(60, 2_592_000).default(86_400),
  TRUST_PROXY: trustProxy.default(false),
  BILLING_PERIOD: duration.default('P1M'),
  ALLOWANCE_GRACE_DAYS: integer(0, 365).default(0),
  LOW_CREDITS_THRESHOLDS: thresholds.default([1000, 100]),
  OAUTH_LIMITS: oauthLimits.default(defaultOAuthLimits),
  OAUTH_REFRESH_GRACE_SECONDS: integer(0, 30).default(0),
  SESSION_HOURS: integer(1, 720).default(12),
  STEP_UP_MINUTES: integer(1, 720).default(30),
  OAUTH_UI_URL: url.refine((text) => !text.includes('#'), 'must have no fragment').optional(),
  FIRST_PARTY_ORIGINS: origins.optional(),
  SIGNING_KEY_ROTATION_DAYS: integer(1, 3650).default(90),
  ANONYMOUS_RPS: integer(1, 1_000_000).default(50),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json', 'must be http/json').optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(1, 600_000).default(10_000),
  OTEL_BSP_SCHEDULE_DELAY: integer(1, 600_000).default(5000),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
})

/** A PostgreSQL database, as its users and as the role that owns it. */
export interface DatabaseUrls {
  readonly serviceUrl: string
  /** The login of processes that run its jobs. */
  readonly workerUrl: string
  readonly ownerUrl: string
}

export interface Config extends z.infer<typeof environment> {
  /** Module → URL, for every `BACKEND_<MODULE>_URL` that is set. */
  readonly backendUrls: ReadonlyMap<string, string>
  /** Subgraph → its database: `<SUBGRAPH>_DATABASE_URL`, else `DATABASE_URL`; empty: embedded. */
  readonly databases: ReadonlyMap<string, DatabaseUrls>
  /** Subgraph → origins of its instances, for every `<SUBGRAPH>_SUBGRAPH_URL` that is set. */
  readonly subgraphUrls: ReadonlyMap<string, readonly string[]>
}

/**
 * `<NAME>_FILE` can name a file with the value instead, because orchestrators provide such files.
 */
const secretNames = [
  'GATEWAY_SECRET',
  'METRICS_TOKEN',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  ...subgraphNames.flatMap((name) => [
    `${name.toUpperCase()}_DATABASE_URL`,
    `${name.toUpperCase()}_MIGRATE_DATABASE_URL`,
  ]),
  'REDIS_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'EXPORT_S3_SECRET',
  'DIGEST_S3_SECRET',
  'SMTP_URL',
]

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Reads the environment once, for a process of this role; throws a ConfigError that lists every
 * problem. An empty variable counts as unset.
 */
export function readConfig(
  variables: Variables,
  backendModules: readonly string[],
  role = 'all',
): Config {
  const { config, known, problems } = inspectConfig(variables, backendModules, role)
  if (config) return config
  const serviceUrls = new Set([...known.databases.values()].map(({ serviceUrl }) => serviceUrl))
  throw new ConfigError(problems.join('\n'), [...serviceUrls])
}

/** The valid part of a configuration, whatever else is wrong with it. */
export type KnownConfig = Partial<z.infer<typeof environment>> &
  Pick<Config, 'backendUrls' | 'databases' | 'subgraphUrls'>

export interface InspectedConfig {
  /** Null if there are problems. */
  readonly config: Config | null
  readonly known: KnownConfig
  readonly problems: readonly string[]
}

/** Like `readConfig`, but returns the valid part and the problems instead of throwing. */
export function inspectConfig(
  variables: Variables,
  backendModules: readonly string[],
  role: string,
): InspectedConfig {
  const problems: string[] = []
  const present = Object.entries(variables).filter(([, value]) => value !== '')
  const given = withSecretFiles(Object.fromEntries(present), problems)
  const parsed = environment.safeParse(given)
  const partly = environment.partial().safeParse(withoutProblems(given, parsed.error))
  for (const { path, message } of parsed.error?.issues ?? []) {
    problems.push(`${path.join('.')} ${message}`)
  }
  const backendUrls = new Map<string, string>()
  for (const module of backendModules) {
    const name = `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`
    const backendUrl = url.optional().safeParse(given[name])
    if (!backendUrl.success) problems.push(`${name} must be an http or https URL`)
    else if (backendUrl.data !== undefined) backendUrls.set(module, backendUrl.data)
  }
  const databases = readDatabases(given, problems)
  const subgraphUrls = readSubgraphUrls(given, problems)
  if (partly.success) problems.push(...contradictions(partly.data))
  problems.push(...missingForRole(role, given), ...unusableCallerKeys(given.CALLER_KEYS_FILE))
  const isWhole = role === 'all' || role === commandRole
  if (isWhole && databases.size > 0 && given.GATEWAY_SECRET === undefined) {
    problems.push('GATEWAY_SECRET is required with DATABASE_URL: every process must use the same')
  }
  problems.push(
    ...paymentProblems(given, role, databases.size > 0),
    ...missingForS3(given, 'EXPORT'),
  )
  problems.push(...missingForS3(given, 'DIGEST'))
  const understood = partly.success ? partly.data : {}
  const known = { ...understood, backendUrls, databases, subgraphUrls }
  if (!parsed.success || problems.length > 0) return { config: null, known, problems }
  return { config: Object.freeze({ ...known, ...parsed.data }), known, problems }
}

function withSecretFiles(given: Variables, problems: string[]): Variables {
  const found = { ...given }
  for (const name of secretNames) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    if (given[name] !== undefined) problems.push(`${name} cannot be used beside ${name}_FILE`)
    try {
      found[name] = readFileSync(file, 'utf8').trim()
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      problems.push(`${name}_FILE cannot be read: ${reason}`)
    }
  }
  return found
}

function unusableCallerKeys(file: string | undefined): string[] {
  if (file === undefined) return []
  try {
    readCallerSecrets(file)
    return []
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error ? `cannot be read: ${String(error.code)}` : error.message
    return [`CALLER_KEYS_FILE ${reason}`]
  }
}

/** The databases of all subgraphs, or only of the subgraphs that have their own. */
function readDatabases(given: Variables, problems: string[]): ReadonlyMap<string, DatabaseUrls> {
  function read(name: string): string | undefined {
    const found = postgresUrl.optional().safeParse(given[name])
    if (!found.success) problems.push(`${name} must be a postgres:// URL`)
    return found.data
  }
  const databases = new Map<string, DatabaseUrls>()
  for (const subgraph of subgraphNames) {
    const prefix = subgraph.toUpperCase()
    const own = read(`${prefix}_DATABASE_URL`)
    const ownOwner = read(`${prefix}_MIGRATE_DATABASE_URL`)
    if (own === undefined && ownOwner !== undefined) {
      problems.push(`${prefix}_MIGRATE_DATABASE_URL needs ${prefix}_DATABASE_URL`)
    }
    const serviceUrl = own ?? given.DATABASE_URL
    if (serviceUrl === undefined) continue
    const ownerUrl = ownOwner ?? (own === undefined ? given.MIGRATE_DATABASE_URL : undefined)
    databases.set(subgraph, {
      serviceUrl,
      workerUrl: serviceUrl,
      ownerUrl: ownerUrl ?? serviceUrl,
    })
  }
  return databases
}

function readSubgraphUrls(
  given: Variables,
  problems: string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const subgraph of subgraphNames) {
    const name = `${subgraph.toUpperCase()}_SUBGRAPH_URL`
    const text = given[name]
    if (text === undefined) continue
    const urls = text.split(',').map((part) => part.trim())
    if (urls.every((part) => url.safeParse(part).success && isOrigin(part)))
      found.set(subgraph, urls)
    else problems.push(`${name} must be a comma-separated list of http or https origins`)
  }
  return found
}

/** The configuration without the variables that have a problem. */
function withoutProblems(given: object, error: z.ZodError | undefined): object {
  const names = new Set(error?.issues.map(({ path }) => path[0]))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)))
}

/** The roles that collect payments. */
const collectsPayments = new Set(['all', 'account', 'worker'])

/**
 * Stripe needs both secrets: with one alone the gateway would collect payments without
 * notifications, or get notifications that it cannot check. Live payments are never simulated by
 * accident, because that would give credits without a payment.
 */
function paymentProblems(given: Variables, role: string, hasDatabase: boolean): string[] {
  const isMissing = (name: string) => given[name] === undefined
  const secrets = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
  const ofStripe = [...secrets, 'STRIPE_API_URL'].filter((name) => !isMissing(name))
  if (given.PAYMENTS === 'simulated' && ofStripe.length > 0) {
    const names = ofStripe.join(', ')
    return [`PAYMENTS must not be simulated beside ${names}: nothing would be collected`]
  }
  const collects = collectsPayments.has(role)
  if (given.STRIPE_TAX === 'on' && collects && ofStripe.length === 0) {
    return [
      'STRIPE_TAX needs Stripe: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or turn it off',
    ]
  }
  if (ofStripe.length > 0 || (given.PAYMENTS === 'stripe' && collects)) {
    return secrets.filter(isMissing).map((name) => `${name} is required to use Stripe`)
  }
  if (role !== 'all' || !hasDatabase || !isMissing('PAYMENTS')) return []
  return [
    'PAYMENTS is required with DATABASE_URL: stripe, with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or simulated, which gives credits for nothing',
  ]
}

function isPlainHttp(text: string | undefined): boolean {
  return text !== undefined && new URL(text).protocol === 'http:' && !isLocal(text)
}

/** Whether the address is on this machine; an unset one is our own listener. */
function isLocal(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || isLoopbackHost(new URL(baseUrl).hostname)
}

/** Whether only this machine can reach this address. */
function isLoopbackHost(host: string): boolean {
  return ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)
}

type Reach = Pick<z.infer<typeof environment>, 'HOST' | 'BASE_URL' | 'SANDBOX_BASE_URL'>

/** Whether all clients are on this machine: all addresses of the gateway are on loopback. */
export function servesOwnMachine(config: Partial<Reach>): boolean {
  const { HOST = '127.0.0.1', BASE_URL, SANDBOX_BASE_URL } = config
  return isLoopbackHost(HOST) && isLocal(BASE_URL) && isLocal(SANDBOX_BASE_URL)
}

/** Requires all five variables of a bucket, and no directory beside them. */
function missingForS3(given: Variables, use: 'EXPORT' | 'DIGEST'): string[] {
  const names = Object.keys(bucket).map((name) => `${use}_S3_${name}`)
  const missing = names.filter((name) => given[name] === undefined)
  if (missing.length === names.length) return []
  const directory = `${use}_DIR`
  const both =
    given[directory] === undefined ? [] : [`${directory} cannot be used beside ${use}_S3_*`]
  const purpose = { EXPORT: 'export to S3', DIGEST: 'keep digests in S3' }[use]
  return [...missing.map((name) => `${name} is required to ${purpose}`), ...both]
}

function contradictions(config: Partial<z.infer<typeof environment>>): string[] {
  const problems: string[] = []
  const { HOLD_TTL_SECONDS = 60, BACKEND_TIMEOUT_MS = 10_000 } = config
  if (HOLD_TTL_SECONDS * 1000 <= BACKEND_TIMEOUT_MS) {
    problems.push('HOLD_TTL_SECONDS must exceed BACKEND_TIMEOUT_MS: a hold must outlive its call')
  }
  const { DRAIN_NOTICE_SECONDS = 0, DRAIN_TIMEOUT_SECONDS = 25 } = config
  if (DRAIN_NOTICE_SECONDS > 0 && DRAIN_NOTICE_SECONDS >= DRAIN_TIMEOUT_SECONDS) {
    problems.push('DRAIN_TIMEOUT_SECONDS must exceed DRAIN_NOTICE_SECONDS, which is a part of it')
  }
  const { IDEMPOTENCY_TTL_HOURS = 24 } = config
  if (HOLD_TTL_SECONDS >= IDEMPOTENCY_TTL_HOURS * 3600) {
    problems.push(
      'IDEMPOTENCY_TTL_HOURS must exceed HOLD_TTL_SECONDS: an answer must outlive its call',
    )
  }
  for (const name of ['BASE_URL', 'SANDBOX_BASE_URL'] as const) {
    if (isPlainHttp(config[name])) {
      problems.push(`${name} must be https, or http on loopback: tokens are issued in its name`)
    }
  }
  if (config.WEBHOOK_ALLOW_LOOPBACK === 'true' && !servesOwnMachine(config)) {
    problems.push(
      'WEBHOOK_ALLOW_LOOPBACK needs HOST and base URLs on loopback: customers could reach this machine',
    )
  }
  if (config.MIGRATE_DATABASE_URL && !config.DATABASE_URL) {
    problems.push('MIGRATE_DATABASE_URL needs DATABASE_URL')
  }
  return problems
}
