import type { Logger } from 'pino'
import { createDatabaseProbe } from '../../subgraphs/shared/database/database-probe.ts'
import type { Config, DatabaseUrls } from '../config/config.ts'
import { drain } from '../listeners/drain.ts'
import type { Listener } from '../listeners/listener.ts'
import { type Check, createReadiness, type Readiness } from '../listeners/readiness.ts'
import type { Cleanups } from './process/cleanups.ts'

interface ReadinessOptions {
  readonly log: Logger
  readonly cleanups: Cleanups
  /** What the process needs: databases by subgraph, and other processes with whether they are ready. */
  readonly databases?: ReadonlyMap<string, DatabaseUrls>
  readonly others?: ReadonlyMap<string, () => Promise<boolean>>
  /** What else the internal listener says of it. */
  readonly details?: Readonly<Record<string, string>>
}

/** Watches what a process needs, from now until it has left. */
export function openReadiness({
  log,
  cleanups,
  databases = new Map(),
  others = new Map(),
  details,
}: ReadinessOptions): Readiness {
  const checks = new Map<string, Check>()
  const byUrl = Map.groupBy(databases, ([, { serviceUrl }]) => serviceUrl)
  for (const [url, sharing] of byUrl) {
    const probe = createDatabaseProbe(url)
    cleanups.add(probe.close)
    const names = sharing.map(([name]) => name).join(', ')
    checks.set(byUrl.size === 1 ? 'database' : `database of ${names}`, probe.check)
  }
  for (const [name, isReady] of others) {
    checks.set(name, async () => {
      if (!(await isReady())) throw new Error(`${name} is not ready.`)
    })
  }
  const readiness = createReadiness({ checks, details, log })
  cleanups.add(readiness.stop)
  return readiness
}

interface ReadyOptions {
  readonly config: Config
  readonly cleanups: Cleanups
  readonly readiness: Readiness
  /** The public ones. */
  readonly listeners?: readonly Listener[]
  readonly internal: Listener
  readonly callsSettled?: () => Promise<void>
}

/**
 * Says that the process is ready. To be called last: what was added last is undone first, and no request
 * may run once something that it needs is gone.
 */
export function becomeReady({ config, cleanups, listeners = [], ...options }: ReadyOptions): void {
  cleanups.add(() =>
    drain({
      ...{ ...options, listeners },
      noticeMs: config.DRAIN_NOTICE_SECONDS * 1000,
      timeoutMs: config.DRAIN_TIMEOUT_SECONDS * 1000,
    }),
  )
  options.readiness.begin()
}
