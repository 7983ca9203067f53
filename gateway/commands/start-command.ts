import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { type Catalog, loadCatalog } from '../../schema/catalog/load-catalog.ts'
import type { Config } from '../config/config.ts'
import { printsInvoices, requirePrintableInvoices } from '../config/invoice-problems.ts'
import { openStore } from '../launch/databases/store.ts'
import { createLog } from '../launch/process/log.ts'
import { watchShutdown } from '../launch/process/shutdown.ts'
import type { Gateway } from '../processes/all-in-one.ts'
import { ownPurpose } from '../processes/workers/fork.ts'
import { hasCluster } from '../trial/embedded-postgres/embedded-postgres.ts'
import { banner } from './banner.ts'

/** Runs until SIGINT or SIGTERM, then drains and exits with 0; 1 after an uncaught error. */
export async function runStart(config: Config, role: string): Promise<void> {
  if (printsInvoices(role)) await requirePrintableInvoices(config)
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT })
  if (role === 'all' && !ownPurpose()) sayFirstStart(config)
  if (role === 'all' && config.WORKERS > 1) return runWorkers(config, log)
  const shutdown = watchShutdown(log)
  const start = role === 'all' ? startAll : startOneRole
  const close = await start({ role, config, log, stopped: shutdown.requested })
  await shutdown.requested
  await shutdown.finish(close, config.DRAIN_TIMEOUT_SECONDS * 1000)
}

/** The first start takes several times as long as others. */
function sayFirstStart({ databases, DATA_DIR }: Config): void {
  if (databases.size > 0 || hasCluster(DATA_DIR)) return
  const where = resolve(DATA_DIR)
  process.stderr.write(`This is the first start: it makes a PostgreSQL database in ${where}.\n`)
}

/** Runs the primary, or a process that the primary has started. Each loads only what it needs. */
async function runWorkers(config: Config, log: Logger): Promise<void> {
  const purpose = ownPurpose()
  if (purpose) {
    const { runChild } = await import('../processes/workers/child.ts')
    const catalog = loadCatalog()
    return runChild({
      ...{ purpose, config, catalog, log },
      announce: (gateway, stopped) => announceGateway(gateway, { config, catalog, log, stopped }),
    })
  }
  const shutdown = watchShutdown(log)
  const { startPrimary } = await import('../processes/workers/primary.ts')
  const { banner, drainMs, close } = await startPrimary({ config, log })
  process.stdout.write(banner)
  await shutdown.requested
  await shutdown.finish(close, drainMs)
}

interface StartOptions {
  readonly role: string
  readonly config: Config
  readonly log: Logger
  /** Resolves at the signal to stop. */
  readonly stopped: Promise<void>
}

async function startAll({ config, log, stopped }: StartOptions): Promise<() => Promise<void>> {
  // The embedded PostgreSQL starts while this process loads its modules. A configured database is opened
  // later: a busy process would take its own connections for slow.
  const opening = config.databases.size === 0 ? openStore(config) : undefined
  // The store is awaited below. If it fails before that, the rejection must not count as unhandled.
  opening?.catch(() => {})
  const catalog = loadCatalog()
  const { startGateway } = await import('../processes/all-in-one.ts')
  const gateway = await startGateway(config, catalog, log, { opening })
  process.stdout.write(await announceGateway(gateway, { config, catalog, log, stopped }))
  return gateway.close
}

type AnnouncedGateway = Omit<Gateway, 'close'>

interface AnnounceOptions extends Omit<StartOptions, 'role'> {
  readonly catalog: Catalog
}

/**
 * Makes the demo account, if the database is embedded. Returns the text for the operator; the usage
 * log of the account follows.
 */
async function announceGateway(
  gateway: AnnouncedGateway,
  { config, catalog, log, stopped }: AnnounceOptions,
): Promise<string> {
  if (!gateway.store.isEmbedded) return banner(gateway, null)
  const { completeDemo, seedDemo } = await import('../trial/demo/demo.ts')
  const seeded = await seedDemo(gateway, {
    dataDir: resolve(config.DATA_DIR),
    catalog,
    maxTokenTtlSeconds: config.INTERNAL_TOKEN_MAX_TTL,
    hasConsole: config.CONSOLE === 'on',
  })
  if (seeded) {
    // A gateway that stops need not wait for the history, nor report that the history is missing.
    const { demo } = seeded
    const completed = completeDemo(gateway, { catalog, demo, keyPrefix: config.KEY_PREFIX })
    Promise.race([completed, stopped]).catch((error: unknown) => {
      log.warn({ err: error }, 'The demo account lacks its history; the next start writes it')
    })
  }
  return banner(gateway, seeded)
}

async function startOneRole({
  role,
  config,
  log,
  stopped,
}: StartOptions): Promise<() => Promise<void>> {
  const { startRole } = await import('../processes/roles.ts')
  const starting = startRole(role, config, loadCatalog(), log)
  // The start may wait for other processes for ever; before it ends there is nothing to close.
  const running = await Promise.race([starting, stopped.then(() => null)])
  if (!running) return async () => {}
  const { urls, close } = running
  // Tells the parent process the addresses.
  process.stdout.write(`${JSON.stringify({ role, ...urls })}\n`)
  return close
}
