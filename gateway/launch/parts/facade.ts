import { createSecretKey } from 'node:crypto'
import { type AppDependencies, createApp } from '../../../rest-facade/app.ts'
import {
  type BackendKeys,
  createCallerTokens,
} from '../../../rest-facade/backends/caller-tokens.ts'
import { createProbes } from '../../../rest-facade/backends/probes.ts'
import { createClientOrigins } from '../../../rest-facade/callers/client-origins.ts'
import { createKeyUse } from '../../../rest-facade/callers/key-use.ts'
import { createRefusedCallers } from '../../../rest-facade/callers/refused-callers.ts'
import { createVerifiedClients } from '../../../rest-facade/callers/verified-clients.ts'
import { createVerifiedKeys } from '../../../rest-facade/callers/verified-keys.ts'
import { orNullAfter } from '../../../rest-facade/charge/batching/or-null-after.ts'
import { createLedger, type Ledger } from '../../../rest-facade/charge/ledger.ts'
import {
  createUsageRecorder,
  type UsageRecorder,
} from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import type { DocsSite } from '../../../rest-facade/pages/docs/site-file.ts'
import { type WhenNeeded, whenNeeded } from '../../../rest-facade/pages/when-needed.ts'
import { createKeptAnswers } from '../../../rest-facade/routes/kinds/kept-answers.ts'
import type { ExportFiles } from '../../../rest-facade/routes/kinds/send-export.ts'
import { createAccountWork } from '../../../rest-facade/steps/account-work/account-work.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import type { ServedToAgents } from '../../../schema/vocabulary/audiences.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openapiBody } from '../../../site/configured-json.ts'
import type { Addresses } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import { loadBackendKeys } from '../../internal/backend-keys.ts'
import type { Readiness } from '../../listeners/readiness.ts'
import type { ProcessGroup } from '../../processes/group/process-group.ts'
import { probeTimeoutMs } from '../../processes/group/shared-probes.ts'
import { startHeartbeat } from '../../sweeps/heartbeat.ts'
import { startPeriodic } from '../../sweeps/periodic.ts'
import { processReport } from '../../sweeps/process-report.ts'
import { type Simulator, startSimulator } from '../../trial/simulator/simulator.ts'
import type { ProcessContext } from '../process/process-context.ts'
import { liveBackends, simulatedBackends } from './backends.ts'
import { readConsole } from './console-files.ts'
import type { Invalidation } from './invalidation.ts'
import type { Listeners } from './listeners.ts'
import { reportFacadeMetrics } from './report-metrics.ts'

interface FacadeOptions {
  readonly execute: Execute
  readonly gatewaySecret: string
  readonly addresses: Addresses
  readonly listeners: Listeners
  readonly readiness: Readiness
  readonly invalidation: Invalidation
  readonly exportFiles: ExportFiles
  /**
   * The keys that sign the tokens by which backend modules know the caller. They are refreshed from
   * now on.
   */
  readonly backendKeys: BackendKeys
  /** Whether live calls go to the simulator where no backend is configured. */
  readonly isEmbedded: boolean
  /** The simulated modules of another process; null: this process starts its own. */
  readonly simulator?: Pick<Simulator, 'urlOf'> | null
}

/** The objects of a facade that other parts of the process share. */
export interface Facade {
  readonly recorder: UsageRecorder
  readonly processId: string
  /** Resolves once every call that holds credits is settled. */
  readonly callsSettled: () => Promise<void>
}

/** Opens everything behind the two public listeners except the graph, and serves them. */
export async function startFacade(
  context: ProcessContext,
  options: FacadeOptions,
): Promise<Facade> {
  const { execute } = options
  const { DATABASE_TIMEOUT_MS: databaseTimeoutMs } = context.config
  const ledger = createLedger(execute, { databaseTimeoutMs })
  options.listeners.watchQueue(ledger.leastWaitMs)
  const reports = await openReports(context, {
    ...{ execute, ledger },
    // Whoever has the simulated modules of another process leaves the jobs to it.
    runsJobs: context.role === 'all' && !options.simulator,
  })
  await refreshBackendKeys(context, options.backendKeys)
  const simulator = options.simulator ?? (await openSimulator(context, options))
  const shared = await openShared(context, options)
  for (const environment of ['live', 'sandbox'] as const) {
    const own = openEnvironment(context, { ...options, environment, simulator })
    const app = createApp({ ...shared, ...reports, ledger, ...own })
    options.listeners[environment].serve(app.handle, app.express)
  }
  options.listeners.known.begin()
  return { recorder: reports.recorder, processId: reports.processId, callsSettled: ledger.idle }
}

/** How long this process goes on writing after the drain: another process writes the rest from the ledger. */
const flushPatienceMs = 3000

interface ReportsOptions {
  readonly execute: Execute
  readonly ledger: Ledger
  readonly runsJobs: boolean
}

/** Opens everything by which the facade records calls, and announces this process. */
async function openReports(
  { role, config, metrics, log, processGroup, resources }: ProcessContext,
  { execute, ledger, runsJobs }: ReportsOptions,
) {
  const { DATABASE_TIMEOUT_MS: databaseTimeoutMs } = config
  const recorder = createUsageRecorder(execute, log, { databaseTimeoutMs })
  reportFacadeMetrics(metrics, ledger, recorder)
  const processId = newId('proc')
  const keyUse = createKeyUse(execute)
  const trail = createRefusedCallers(execute, { processes: processGroup.workers })
  const heartbeat = await startHeartbeat({ execute, recorder, keyUse, trail, processId, log })
  const report = processReport({ execute, metrics, role, processId, isWorker: runsJobs })
  resources.defer(startPeriodic([report], log))
  resources.defer(async () => {
    // The process reports that the log has all its charges. Without this report, other processes
    // write the missing entries.
    await orNullAfter(flushPatienceMs, ledger.idle().then(recorder.recorded).then(heartbeat.leave))
    await orNullAfter(flushPatienceMs, recorder.endEpoch())
  })
  resources.defer(async () => {
    // A subgraph that hangs must not cost the time that charges need.
    await orNullAfter(flushPatienceMs, heartbeat.stop())
  })
  return { recorder, processId, keyUse, trail }
}

/** Loads the keys of calls to modules now, and then periodically. */
export async function refreshBackendKeys(
  { log, resources }: ProcessContext,
  backendKeys: BackendKeys,
): Promise<void> {
  await loadBackendKeys(backendKeys, log)
  const refresh = { name: 'refresh backend keys', intervalMs: 1000, run: backendKeys.refresh }
  resources.defer(startPeriodic([refresh], log))
}

interface SimulatorOptions extends Pick<FacadeOptions, 'backendKeys' | 'addresses'> {
  readonly port?: number
}

/** Starts the simulated modules, by default on any free port. */
export async function openSimulator(
  { catalog, resources }: ProcessContext,
  { backendKeys, addresses, port }: SimulatorOptions,
): Promise<Simulator> {
  const issuer = addresses.baseUrls.live
  const simulator = await startSimulator(catalog, { keys: backendKeys.jwks, issuer, port })
  resources.defer(() => simulator.close())
  return simulator
}

/** Opens everything that the two environments share. */
async function openShared(context: ProcessContext, options: FacadeOptions) {
  const { config, catalog, log, metrics, processGroup } = context
  const { execute, addresses, readiness, exportFiles, gatewaySecret } = options
  return {
    ...{ execute, catalog, log, metrics, readiness, exportFiles },
    limiter: await openLimiter(context),
    accountWork: createAccountWork({ ...processGroup, msPerSecond: config.ACCOUNT_WORK_MS }),
    anonymousLimiter: processGroup.windowLimiter('anonymous'),
    docsUrl: addresses.docsUrl,
    docs: openDocs(context, addresses),
    openapi: openapiBody({
      ...addresses,
      keyPrefix: config.KEY_PREFIX,
      ...servedToAgents(config),
    }),
    anonymousRps: config.ANONYMOUS_RPS,
    holdTtlSeconds: config.HOLD_TTL_SECONDS,
    idempotency: {
      keyPrefix: config.KEY_PREFIX,
      backendSecret: createSecretKey(deriveKey(gatewaySecret, 'backend-idempotency')),
      answerSecret: deriveKey(gatewaySecret, 'stored-answer'),
    },
    mcp: config.MCP === 'off' ? null : { patienceMs: config.BACKEND_TIMEOUT_MS + 2000 },
    supportContact: config.SUPPORT_CONTACT ?? null,
    oauthUiUrl: config.OAUTH_UI_URL ?? null,
    stepUpMinutes: config.STEP_UP_MINUTES,
    ...minuteLimitsOf(config, processGroup),
    trustProxy: config.TRUST_PROXY,
  }
}

/**
 * The documentation with all pages and what fills them in. It is loaded when a page is asked for,
 * because most processes serve none.
 */
function openDocs({ config, catalog }: ProcessContext, addresses: Addresses): WhenNeeded<DocsSite> {
  return whenNeeded(async () => {
    const { createDocsSite } = await import('../../../site/docs-site.ts')
    return createDocsSite({ ...addresses, catalog, ...documentedSettingsOf(config) })
  })
}

/** What of the documents is for agents. */
function servedToAgents({ MCP, OAUTH_DYNAMIC_REGISTRATION }: Config): ServedToAgents {
  return { hasAgents: MCP === 'on', takesRegistrations: OAUTH_DYNAMIC_REGISTRATION === 'on' }
}

/** The settings whose values the documentation shows. */
function documentedSettingsOf(config: Config) {
  return {
    keyPrefix: config.KEY_PREFIX,
    ...servedToAgents(config),
    hasConsole: config.CONSOLE !== 'off',
    anonymousRps: config.ANONYMOUS_RPS,
    accountWorkMs: config.ACCOUNT_WORK_MS,
    backendTimeoutMs: config.BACKEND_TIMEOUT_MS,
    webhookTimeoutMs: config.WEBHOOK_TIMEOUT_MS,
    webhookRetrySeconds: config.WEBHOOK_RETRY_SECONDS,
  }
}

interface EnvironmentOptions extends FacadeOptions {
  readonly environment: AppDependencies['environment']
  readonly simulator: Pick<Simulator, 'urlOf'>
}

/** Opens everything that belongs to one environment. */
function openEnvironment(
  { config, catalog, log, metrics, processGroup, resources }: ProcessContext,
  options: EnvironmentOptions,
) {
  const { environment, simulator, execute, addresses, backendKeys, isEmbedded } = options
  const backends =
    environment === 'live'
      ? liveBackends(catalog, isEmbedded ? simulator : null, { config, metrics, processGroup })
      : simulatedBackends(catalog, simulator, { config, metrics, processGroup })
  resources.defer(() => backends.close())
  const probes = createProbes(backends.urls, probeTimeoutMs)
  const baseUrl = addresses.baseUrls[environment]
  const remembered = { execute, environment, cacheSeconds: config.KEY_CACHE_SECONDS }
  const { known } = options.listeners
  const keys = createVerifiedKeys({ ...remembered, known, keyPrefix: config.KEY_PREFIX })
  const clients = createVerifiedClients(remembered)
  const keptAnswers = createKeptAnswers()
  options.invalidation.add(keys, clients, keptAnswers)
  const issuer = addresses.baseUrls.live
  return {
    ...{ environment, keys, clients, known, keptAnswers },
    callerTokens: createCallerTokens({ keys: backendKeys, issuer, environment }),
    issuer: `${baseUrl}/v1`,
    topUpUrl: config.TOP_UP_URL ?? (config.CONSOLE === 'off' ? null : `${baseUrl}/console/billing`),
    otherBaseUrl: addresses.baseUrls[environment === 'live' ? 'sandbox' : 'live'],
    console: config.CONSOLE === 'off' ? ('off' as const) : readConsole(pathOf(baseUrl)),
    clientOrigins: createClientOrigins({ ...remembered, log }),
    firstPartyOrigins: new Set(config.FIRST_PARTY_ORIGINS ?? [new URL(baseUrl).origin]),
    probeBackends: processGroup.shareProbes(environment, probes),
    backendOf: backends.backendOf,
  }
}

async function openLimiter({ config, log, processGroup, metrics, resources }: ProcessContext) {
  const { REDIS_URL } = config
  if (!REDIS_URL) return processGroup.windowLimiter('account')
  const { redisRateLimiter } = await import('../../processes/redis/redis-rate-limiter.ts')
  const redis = await redisRateLimiter(REDIS_URL, log)
  resources.defer(() => redis.close())
  metrics.watchLimiter(redis)
  return redis.limit
}

function minuteLimitsOf({ OAUTH_LIMITS: limits }: Config, processGroup: ProcessGroup) {
  const limitOf = (name: keyof typeof limits) => processGroup.minuteLimit(name, limits[name])
  return {
    failures: limitOf('failures'),
    minuteLimits: {
      token: limitOf('token'),
      authorize: limitOf('authorize'),
      introspect: limitOf('introspect'),
      revoke: limitOf('revoke'),
      register: limitOf('register'),
      dcr: limitOf('dcr'),
    },
  }
}

/** The path of an address, without a slash at the end. */
function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '')
}
