import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { type Catalog, loadCatalog } from '../catalog/load-catalog.ts'
import type { Config } from '../config/config.ts'
import { seedDemo } from '../demo/demo.ts'
import { startGateway } from '../launch/all-in-one.ts'
import { createLog } from '../launch/process/log.ts'
import { watchShutdown } from '../launch/process/shutdown.ts'
import { startRole } from '../launch/roles.ts'
import { banner } from './banner.ts'

/** Runs until SIGINT or SIGTERM, then drains and exits with 0; 1 after an uncaught error. */
export async function runStart(config: Config, role: string): Promise<void> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT })
  const shutdown = watchShutdown(log)
  const catalog = loadCatalog()
  const start = role === 'all' ? startAll : startOneRole
  const close = await start({ role, config, catalog, log, stopped: shutdown.requested })
  await shutdown.requested
  await shutdown.finish(close, config.DRAIN_TIMEOUT_SECONDS * 1000)
}

interface StartOptions {
  readonly role: string
  readonly config: Config
  readonly catalog: Catalog
  readonly log: Logger
  /** Resolves at the signal to stop. */
  readonly stopped: Promise<void>
}

async function startAll({ config, catalog, log }: StartOptions): Promise<() => Promise<void>> {
  const gateway = await startGateway(config, catalog, log)
  const dataDir = resolve(config.DATA_DIR)
  const seeded = gateway.store.isEmbedded
    ? await seedDemo(gateway, {
        dataDir,
        catalog,
        maxTokenTtlSeconds: config.INTERNAL_TOKEN_MAX_TTL,
      })
    : null
  process.stdout.write(banner(gateway, seeded))
  return gateway.close
}

async function startOneRole({
  role,
  config,
  catalog,
  log,
  stopped,
}: StartOptions): Promise<() => Promise<void>> {
  const starting = startRole(role, config, catalog, log)
  // The start may wait for other processes for ever; before it ends there is nothing to close.
  const running = await Promise.race([starting, stopped.then(() => null)])
  if (!running) return async () => {}
  const { urls, close } = running
  // Tells the parent process the addresses.
  process.stdout.write(`${JSON.stringify({ role, ...urls })}\n`)
  return close
}
