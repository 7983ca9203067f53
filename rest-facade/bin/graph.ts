import { join, resolve } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import { z } from 'zod'
import type { Caller } from '../../schema/caller.ts'
import { deriveKey } from '../../schema/secrets.ts'
import { account } from '../../subgraphs/account/index.ts'
import { keys } from '../../subgraphs/keys/index.ts'
import { oauth } from '../../subgraphs/oauth/index.ts'
import type {
  BillingSettings,
  ExportSettings,
  InvalidationNotice,
  KnownAccount,
  OAuthSettings,
  PaymentOptions,
  WebhookSettings,
} from '../../subgraphs/shared/context.ts'
import {
  type ConnectionUse,
  jobNamesOf,
  jobSettings,
  openDatabase,
} from '../../subgraphs/shared/database.ts'
import { DomainError } from '../../subgraphs/shared/errors.ts'
import {
  type FileStorageSettings,
  openFileStorage,
} from '../../subgraphs/shared/file-storage/open-file-storage.ts'
import { inProcessExecutor, type SubgraphExecutor } from '../../subgraphs/shared/in-process.ts'
import {
  type DeadLetter,
  listDeadLetters,
  retryDeadLetters,
  startWorker,
  type Worker,
} from '../../subgraphs/shared/jobs.ts'
import {
  migrate,
  pendingSteps,
  requireCurrentSchema,
  SchemaBehind,
} from '../../subgraphs/shared/migrate.ts'
import type { Subgraph } from '../../subgraphs/shared/subgraph.ts'
import { usage } from '../../subgraphs/usage/index.ts'
import type { AccountCache } from '../account-cache.ts'
import { isOutage } from '../errors.ts'
import { createGraphClient, type Execute, type GraphClient } from '../graph-client.ts'
import { type Config, type DatabaseUrls, servesOwnMachine } from './config.ts'

const subgraphs = [account, keys, oauth, usage]

/** Connections of each subgraph; few, because its hot statements serve hundreds of requests each. */
const poolSize = 8

export interface RememberedAccount extends KnownAccount {
  readonly accountId: string
}

/** Where exports are kept, and for how long. */
export type ExportOptions = Omit<ExportSettings, 'warn'>

interface SubgraphSettings {
  readonly gatewaySecret: string
  readonly keyPrefix: string
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  readonly billing: BillingSettings
  readonly oauth: OAuthSettings
  readonly usageLogRetentionDays?: number
  readonly payments?: Omit<PaymentOptions, 'warn'>
  /** What subgraphs remember of accounts, if anything: to be forgotten when an account changes. */
  readonly accounts?: AccountCache<RememberedAccount>
  readonly exports?: ExportOptions
  readonly webhooks?: WebhookSettings
  readonly invalidate: (notice: InvalidationNotice) => void
  readonly warn: (message: string) => void
}

interface OpenGraphOptions extends SubgraphSettings {
  /** One database for all, or that of each. */
  readonly serviceUrl: string | ((subgraph: string) => string)
}

export interface OpenGraph extends GraphClient {
  readonly subgraphs: ReadonlyMap<string, OpenSubgraph>
  /** Has what takes long give up: another process, or this one when it starts again, does it anew. */
  interrupt(): void
  close(): Promise<void>
}

/** All four subgraphs in this process, below one supergraph. */
export async function openGraph({ serviceUrl, ...settings }: OpenGraphOptions): Promise<OpenGraph> {
  const urlOf = typeof serviceUrl === 'string' ? () => serviceUrl : serviceUrl
  const opened = new Map<string, OpenSubgraph>()
  for (const { name } of subgraphs) {
    // Only asked once all are there.
    const execute: Execute = (...asked) => client.execute(...asked)
    opened.set(name, await openSubgraph(name, { ...settings, execute, serviceUrl: urlOf(name) }))
  }
  const client = createGraphClient((name) => {
    const subgraph = opened.get(name)
    if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
    return subgraph.execute
  })
  return {
    ...client,
    subgraphs: opened,
    interrupt() {
      for (const subgraph of opened.values()) subgraph.interrupt()
    },
    async close() {
      await Promise.all([...opened.values()].map((subgraph) => subgraph.close()))
    },
  }
}

interface OpenSubgraphOptions extends SubgraphSettings {
  readonly serviceUrl: string
  /** The supergraph, for what it needs to know of others. */
  readonly execute: Execute
}

export interface OpenSubgraph {
  readonly schema: GraphQLSchema
  readonly execute: SubgraphExecutor
  /** What its connections are doing. */
  readonly connections: () => ConnectionUse
  /** Has what takes long give up. */
  interrupt(): void
  close(): Promise<void>
}

/** One subgraph in this process, on its database. */
export async function openSubgraph(
  name: string,
  { serviceUrl, warn, accounts, execute: ask, exports, ...options }: OpenSubgraphOptions,
): Promise<OpenSubgraph> {
  const subgraph = subgraphs.find((one) => one.name === name)
  if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
  async function lookUpAccount(accountId: string): Promise<RememberedAccount | null> {
    const answer = await ask('FindAccount', { id: accountId }, worker).catch(asDomainError)
    const found = knownAccount.parse(answer)
    return found && { ...found, accountId, isActive: found.status === 'ACTIVE' }
  }
  const stop = new AbortController()
  const database = await openDatabase(subgraph, { url: serviceUrl, poolSize, warn })
  const schema = await subgraph.buildSchema()
  const execute = inProcessExecutor(schema, {
    ...options,
    payments: { ...options.payments, warn },
    exports: exports && { ...exports, warn },
    database,
    cursorKey: deriveKey(options.gatewaySecret, 'cursor'),
    findAccount: (id) =>
      accounts ? accounts.find(id, () => lookUpAccount(id)) : lookUpAccount(id),
    stopping: stop.signal,
  })
  return {
    schema,
    execute,
    connections: database.connections,
    interrupt: () => stop.abort(new Error('This process stops.')),
    close: () => database.close(),
  }
}

/** What is away for a subgraph is away for whoever asked it. */
function asDomainError(error: unknown): never {
  if (!isOutage(error)) throw error
  const message = 'Accounts cannot be looked up for the moment.'
  throw new DomainError('SERVICE_UNAVAILABLE', message, { cause: error })
}

const knownAccount = z.nullable(z.object({ id: z.string(), name: z.string(), status: z.string() }))

/** What the configuration says of billing. */
export function billingOf(config: Config): BillingSettings {
  return {
    period: config.BILLING_PERIOD,
    lowCreditsThresholds: config.LOW_CREDITS_THRESHOLDS,
    allowanceGraceDays: config.ALLOWANCE_GRACE_DAYS,
  }
}

/** What it says of the OpenID provider. */
export function oauthOf(config: Config): OAuthSettings {
  return {
    signingKeyRotationDays: config.SIGNING_KEY_ROTATION_DAYS,
    refreshGraceSeconds: config.OAUTH_REFRESH_GRACE_SECONDS,
  }
}

/**
 * What it says of webhooks. Receivers on this machine are for whoever tries the gateway out: nobody else
 * may have what is sent go inside.
 */
export function webhooksOf(config: Config): WebhookSettings {
  const { WEBHOOK_ALLOW_LOOPBACK: allowed, databases } = config
  const isTrial = databases.size === 0 && servesOwnMachine(config)
  const allowsLoopback = allowed === undefined ? isTrial : allowed === 'true'
  return {
    allowsLoopback,
    allowsHttp: allowsLoopback,
    deniedCidrs: config.WEBHOOK_DENY_CIDRS,
    retentionDays: config.WEBHOOK_RETENTION_DAYS,
  }
}

/** Where results of exports are kept, and for how long. */
export function exportsOf(config: Config): ExportOptions {
  return {
    files: openFileStorage(storageOf(config)),
    urlTtlSeconds: config.EXPORT_URL_TTL_SECONDS,
    retentionDays: config.EXPORT_RETENTION_DAYS,
  }
}

function storageOf(config: Config): FileStorageSettings {
  const { EXPORT_S3_ENDPOINT: endpoint, EXPORT_S3_BUCKET: bucket } = config
  const { EXPORT_S3_REGION: region, EXPORT_S3_KEY: keyId, EXPORT_S3_SECRET: secret } = config
  // The configuration has all of them or none.
  if (endpoint && bucket && region && keyId && secret) {
    return { s3: { endpoint, bucket, region, keyId, secret } }
  }
  return { directory: resolve(config.EXPORT_DIR ?? join(config.DATA_DIR, 'exports')) }
}

interface JobOptions {
  readonly workerUrl: string
  readonly execute: Execute
  readonly warn: (message: string, cause: unknown) => void
  readonly noteAttempt?: (operation: string, outcome: 'completed' | 'failed') => void
}

/** Works off the jobs of all subgraphs: each is a persisted operation with its variables. */
export function startJobs({
  workerUrl: url,
  execute,
  warn,
  noteAttempt,
}: JobOptions): Promise<Worker> {
  return startWorker({
    url,
    warn,
    noteAttempt,
    sessionSettings: jobSettings,
    ...jobNamesOf(subgraphs),
    run: (operation, variables) => execute(operation, variables, worker),
  })
}

const worker: Caller = {
  kind: 'service',
  environment: 'live',
  requestId: '',
  traceId: '',
  address: null,
}

/** Jobs that failed too often, oldest first. */
export function deadJobs(workerUrl: string): Promise<DeadLetter[]> {
  return listDeadLetters(workerUrl, jobSettings)
}

/** Has them tried again, or those of one operation; how many. */
export function retryDeadJobs(workerUrl: string, operation?: string): Promise<number> {
  return retryDeadLetters(workerUrl, jobSettings, operation)
}

/** Brings the schemas of all subgraphs up to date, as the role that owns them. Returns what was pending. */
export function migrateAll(ownerUrl: string): Promise<readonly string[]> {
  return migrate(subgraphs, ownerUrl)
}

/** Brings every database up to date, as the role that owns it. Returns what was pending. */
export function migrateDatabases(
  databases: ReadonlyMap<string, DatabaseUrls>,
  warn: (message: string) => void,
): Promise<readonly string[]> {
  return inEach(databases, 'ownerUrl', (storages, url) => migrate(storages, url, { warn }))
}

/** What that would do. */
export function pendingOfDatabases(
  databases: ReadonlyMap<string, DatabaseUrls>,
): Promise<readonly string[]> {
  return inEach(databases, 'ownerUrl', pendingSteps)
}

/** Throws where one of these databases is older than this build. */
export async function requireCurrentDatabases(
  databases: ReadonlyMap<string, DatabaseUrls>,
): Promise<void> {
  await inEach(databases, 'serviceUrl', async (storages, url) => {
    await requireCurrentSchema(storages, url)
    return []
  })
}

/** Migrates where something is pending; elsewhere nobody need be able to. */
export async function migrateWhereBehind(
  databases: ReadonlyMap<string, DatabaseUrls>,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await requireCurrentDatabases(databases)
  } catch (error) {
    if (!(error instanceof SchemaBehind)) throw error
    await migrateDatabases(databases, warn)
  }
}

/** One after the other, each with what it keeps. */
async function inEach(
  databases: ReadonlyMap<string, DatabaseUrls>,
  urlName: keyof DatabaseUrls,
  work: (storages: readonly Subgraph[], url: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const url of new Set([...databases.values()].map((urls) => urls[urlName]))) {
    const storages = subgraphs.filter(({ name }) => databases.get(name)?.[urlName] === url)
    found.push(...(await work(storages, url)))
  }
  return found
}
