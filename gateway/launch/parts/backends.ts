import type { Backend, ModulePlace } from '../../../rest-facade/backends/backend.ts'
import { createBackend } from '../../../rest-facade/backends/backend-client.ts'
import {
  type BackendCounts,
  backendCountsOf,
} from '../../../rest-facade/backends/backend-counts.ts'
import { unavailable } from '../../../rest-facade/http/errors.ts'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Simulator } from '../../trial/simulator/simulator.ts'
import type { ProcessContext } from '../process/process-context.ts'

/** The backend modules of one environment. */
export interface Backends {
  readonly urls: ReadonlyMap<string, string>
  readonly backendOf: (backendModule: string) => Backend
  close(): Promise<void>
}

/** The sandbox's modules: always the simulator. */
export function simulatedBackends(
  catalog: Catalog,
  simulator: Pick<Simulator, 'urlOf'>,
  options: BackendOptions,
): Backends {
  return connect(catalog, simulator.urlOf, { ...options, isSimulated: true })
}

/**
 * The live modules: the configured ones, else the simulator, if this process has everything
 * embedded.
 */
export function liveBackends(
  catalog: Catalog,
  simulator: Pick<Simulator, 'urlOf'> | null,
  options: BackendOptions,
): Backends {
  const { backendUrls } = options.config
  const urlOf = (module: string) => backendUrls.get(module) ?? simulator?.urlOf(module)
  return connect(catalog, urlOf, { ...options, isSimulated: false })
}

type BackendOptions = Pick<ProcessContext, 'config' | 'processGroup' | 'metrics'>

interface ConnectOptions extends BackendOptions {
  readonly isSimulated: boolean
}

function connect(
  { services }: Catalog,
  urlOf: (module: string) => string | undefined,
  { config, processGroup, metrics, isSimulated }: ConnectOptions,
): Backends {
  const { BACKEND_TIMEOUT_MS: timeoutMs } = config
  const shared = {
    timeoutMs,
    isSimulated,
    processes: processGroup.workers,
    peers: processGroup.breakers,
  }
  const urls = new Map<string, string>()
  const backends = new Map<string, Backend>()
  for (const { backendModule: module } of services) {
    const url = urlOf(module)
    if (url !== undefined) urls.set(module, url)
    const counts = backendCountsOf(module, metrics, isSimulated ? 'sandbox' : 'live')
    const backend =
      url === undefined
        ? missing(module, counts)
        : createBackend({ module, url, counts, ...shared })
    // A simulated backend has no breaker: a caller that makes it fail must not harm other callers.
    if (!isSimulated) metrics.watchBreaker(module, backend.isRefusing)
    backends.set(module, backend)
  }
  return {
    urls,
    backendOf(module) {
      const backend = backends.get(module)
      if (!backend) throw new Error(`The catalog has no module ${module}.`)
      return backend
    },
    async close() {
      await Promise.all([...backends.values()].map((backend) => backend.close()))
    },
  }
}

/** A module that is not configured: its calls are refused and cost nothing. */
function missing(module: string, counts: BackendCounts): Backend {
  const place: ModulePlace = {
    send(_, client) {
      const error = unavailable(`The backend module ${module} is not configured.`)
      counts.unanswered(error, performance.now())
      client.unanswered(error)
    },
    leave() {},
  }
  return {
    module,
    enter: () => place,
    requirePlace: () => {},
    isRefusing: () => false,
    close: async () => {},
  }
}
