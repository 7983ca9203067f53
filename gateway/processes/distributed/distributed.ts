import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { addressesOf, localUrl } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import type { DatabaseUrls } from '../../config/database-urls.ts'
import { internalTokenKeyOf } from '../../config/internal-settings.ts'
import { simulatesLive, subgraphSettings } from '../../config/subgraph-settings.ts'
import { backendJwksPath } from '../../internal/backend-keys.ts'
import { migrateDatabases } from '../../launch/databases/migrations.ts'
import { type OpenStore, openStore } from '../../launch/databases/store.ts'
import { createLog } from '../../launch/process/log.ts'
import { startOrClose } from '../../launch/process/process-context.ts'
import { watchShutdown } from '../../launch/process/shutdown.ts'
import { openGraph } from '../../launch/supergraph/graph.ts'
import { type SeededDemo, seedDemo } from '../../trial/demo/demo.ts'
import { freePort } from '../../trial/embedded-postgres/free-port.ts'
import { distributedBanner } from './banner.ts'
import { startProcess, startProcesses, type Variables } from './processes.ts'

/** The distance between the ports of the first facade and the ports of the second. */
const portStep = 10

/**
 * Runs every role as its own process on this machine, with two facades, until SIGINT or SIGTERM.
 * PostgreSQL is the configured one or embedded; Redis is the configured one or a `redis-server` of
 * this machine.
 */
export async function runDistributed(config: Config): Promise<void> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT })
  const shutdown = watchShutdown(log)
  const { banner, close } = await startOrClose(log, (resources) => start(config, resources))
  process.stdout.write(banner)
  await shutdown.requested
  // The facades stop before all other processes.
  await shutdown.finish(close, 2 * config.DRAIN_TIMEOUT_SECONDS * 1000)
}

async function start(
  config: Config,
  resources: AsyncDisposableStack,
): Promise<{ readonly banner: string }> {
  const store = await openStore(config)
  resources.defer(() => store.close())
  await migrateDatabases(store.databases, (message) => process.stderr.write(`${message}\n`))
  const redisUrl = config.REDIS_URL ? null : await startRedis(resources)
  const seeded = store.isEmbedded ? await seed(config, store) : null
  // Backend modules verify callers with the keys of a facade. Both facades have the same keys, so one address
  // is enough.
  const facadeInternalPort = String(await freePort())
  const simulator = await startProcess('simulator', {
    PORT: '0',
    GATEWAY_JWKS_URL: `${localUrl(config.INTERNAL_HOST, Number(facadeInternalPort))}${backendJwksPath}`,
  })
  resources.defer(async () => {
    simulator.signal('SIGTERM')
    await simulator.exited
  })
  const set = await startProcesses({
    variables: {
      ...inherited(),
      ...backendVariables(config, simulator.urls.modules ?? ''),
      ...storeVariables(store),
      PAYMENTS: simulatesLive(config) ? 'simulated' : 'stripe',
      ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
      ...baseVariables(config),
    },
    facades: [0, portStep].map((step) => ({
      PORT: String(config.PORT + step),
      SANDBOX_PORT: String(config.SANDBOX_PORT + step),
      ...(step === 0 ? { INTERNAL_PORT: facadeInternalPort } : {}),
    })),
    supergraph: { INTERNAL_PORT: String(config.INTERNAL_PORT) },
    worker: databaseVariables(store, 'workerUrl'),
  })
  resources.defer(() => set.stop())
  const redis = config.REDIS_URL ? 'as configured' : redisUrl
  return { banner: distributedBanner({ set, seeded, redis }) }
}

function localUrlsOf(config: Config) {
  return {
    live: localUrl(config.HOST, config.PORT),
    sandbox: localUrl(config.HOST, config.SANDBOX_PORT),
    internal: localUrl(config.INTERNAL_HOST, config.INTERNAL_PORT),
  }
}

function inherited(): Variables {
  const set = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return Object.fromEntries(set)
}

function baseVariables(config: Config): Variables {
  const { baseUrls } = addressesOf(config, localUrlsOf(config))
  return { BASE_URL: baseUrls.live, SANDBOX_BASE_URL: baseUrls.sandbox }
}

function storeVariables(store: OpenStore): Variables {
  return { ...databaseVariables(store, 'serviceUrl'), GATEWAY_SECRET: store.gatewaySecret }
}

function databaseVariables({ databases }: OpenStore, urlName: keyof DatabaseUrls): Variables {
  return Object.fromEntries(
    [...databases].map(([subgraph, urls]) => [
      `${subgraph.toUpperCase()}_DATABASE_URL`,
      urls[urlName],
    ]),
  )
}

/** Modules that are not configured are simulated. */
function backendVariables({ backendUrls }: Config, simulatorUrl: string): Variables {
  const modules = loadCatalog().services.map(({ backendModule }) => backendModule)
  return Object.fromEntries(
    modules.map((module) => [
      `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`,
      backendUrls.get(module) ?? `${simulatorUrl}/${module}`,
    ]),
  )
}

/** Makes the same demo account as the all-in-one process. */
async function seed(config: Config, store: OpenStore): Promise<SeededDemo | null> {
  const local = localUrlsOf(config)
  const graph = await openGraph({
    ...subgraphSettings(config, store.gatewaySecret, addressesOf(config, local)),
    serviceUrl: (subgraph) => store.databases.get(subgraph)?.serviceUrl ?? '',
    databaseTimeoutMs: config.DATABASE_TIMEOUT_MS,
    warn: (message) => process.stderr.write(`${message}\n`),
    // No other process runs yet that would have to forget accounts.
    invalidate: () => {},
  })
  try {
    const gateway = {
      ...{ graph, store, internalTokenKey: internalTokenKeyOf(store.gatewaySecret) },
      ...{ baseUrl: local.live, sandboxUrl: local.sandbox, internalUrl: local.internal },
    }
    return await seedDemo(gateway, {
      ...{ dataDir: resolve(config.DATA_DIR), catalog: loadCatalog() },
      maxTokenTtlSeconds: config.INTERNAL_TOKEN_MAX_TTL,
      hasConsole: config.CONSOLE === 'on',
    })
  } finally {
    await graph.close()
  }
}

const redisPatienceMs = 5000

/** Starts a server without persistence for this run; null without a `redis-server`. */
async function startRedis(resources: AsyncDisposableStack): Promise<string | null> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null
  const port = String(await freePort())
  const flags = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', flags, { stdio: 'ignore' })
  const exited = once(server, 'exit')
  resources.defer(async () => {
    server.kill('SIGTERM')
    await exited
  })
  const url = `redis://127.0.0.1:${port}`
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null })
  redis.on('error', () => {})
  const deadline = performance.now() + redisPatienceMs
  while (redis.status !== 'ready') {
    await redis.connect().catch(async (error: unknown) => {
      if (performance.now() > deadline) throw error
      await sleep(25)
    })
  }
  redis.disconnect()
  return url
}
