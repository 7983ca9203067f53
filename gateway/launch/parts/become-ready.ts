import { createDatabaseProbe } from '../../../subgraphs/shared/database/health/database-probe.ts'
import type { DatabaseUrls } from '../../config/database-urls.ts'
import { drain } from '../../listeners/drain.ts'
import type { Listener } from '../../listeners/listener.ts'
import { type Check, createReadiness, type Readiness } from '../../listeners/readiness.ts'
import type { ProcessContext } from '../process/process-context.ts'

interface ReadinessOptions {
  /** The databases that the process needs, by subgraph. */
  readonly databases?: ReadonlyMap<string, DatabaseUrls>
  /** The other processes that this process needs: each function tells whether one is ready. */
  readonly others?: ReadonlyMap<string, () => Promise<boolean>>
  /** Further facts for the answer of the internal listener about readiness. */
  readonly details?: Readonly<Record<string, string>>
}

/** Checks everything that a process needs, until its resources are closed. */
export function openReadiness(
  { log, processGroup, resources }: ProcessContext,
  { databases = new Map(), others = new Map(), details }: ReadinessOptions,
): Readiness {
  const checks = new Map<string, Check>()
  const byUrl = Map.groupBy(databases, ([, { serviceUrl }]) => serviceUrl)
  for (const [url, sharing] of byUrl) {
    const probe = createDatabaseProbe(url)
    resources.defer(probe.close)
    const names = sharing.map(([name]) => name).join(', ')
    checks.set(byUrl.size === 1 ? 'database' : `database of ${names}`, probe.check)
  }
  for (const [name, isReady] of others) {
    checks.set(name, async () => {
      if (!(await isReady())) throw new Error(`${name} is not ready.`)
    })
  }
  const readiness = createReadiness({ checks, details, log })
  resources.defer(readiness.stop)
  processGroup.answerFor(() => readiness.problem())
  return { ...readiness, problem: () => readiness.problem() ?? processGroup.problem() }
}

interface ReadyOptions {
  readonly readiness: Readiness
  /** The public listeners. */
  readonly listeners?: readonly Listener[]
  readonly internal: Listener
  readonly callsSettled?: () => Promise<void>
}

/**
 * Says that the process is ready. A start calls this last: resources are closed in reverse order,
 * so the drain comes first, and no request runs after something that it needs is closed.
 */
export function becomeReady(
  { config, processGroup, resources }: ProcessContext,
  { listeners = [], ...options }: ReadyOptions,
): void {
  resources.defer(() =>
    drain({
      ...{ ...options, listeners, isReplaced: processGroup.isReplaced() },
      noticeMs: config.DRAIN_NOTICE_SECONDS * 1000,
      timeoutMs: config.DRAIN_TIMEOUT_SECONDS * 1000,
    }),
  )
  options.readiness.begin()
}
