import type { Logger } from 'pino'
import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'

/** The origins of active apps. */
export interface ClientOrigins {
  /** Whether an app (if asked: a public app) has this origin; false while that is not known. */
  has(origin: string, publicOnly: boolean): Promise<boolean>
}

interface ClientOriginsOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly log: Logger
  /** The lifetime of the cache: the pages of a new app may have to wait that long. */
  readonly cacheSeconds: number
}

/**
 * The shortest time between two loads, failed ones too. An app with a document has an origin only since its approval,
 * and its page asks for a token at once.
 */
const againMs = 1000

/** Loads all origins at once, periodically, so the cost does not depend on the requests. */
export function createClientOrigins(options: ClientOriginsOptions): ClientOrigins {
  const { execute, environment, log, cacheSeconds } = options
  const caller = serviceCaller({ environment })
  /** Origin → whether a public app has it. */
  let known: ReadonlyMap<string, boolean> = new Map()
  let knownUntilMs = 0
  let readAgainAtMs = 0
  let loading: Promise<void> | null = null

  async function load(): Promise<void> {
    readAgainAtMs = performance.now() + againMs
    try {
      const found = await execute('ListClientOrigins', {}, caller)
      known = new Map(found.map(({ origin, isPublic }) => [origin, isPublic]))
      knownUntilMs = performance.now() + cacheSeconds * 1000
    } catch (error) {
      // Without a known origin, browsers withhold the answer from the page; other clients notice no
      // difference.
      log.warn({ err: error }, 'The origins of OAuth apps could not be read')
      known = new Map()
    }
  }

  function loadOnce(): Promise<void> {
    loading ??= load().finally(() => {
      loading = null
    })
    return loading
  }

  return {
    async has(origin, publicOnly) {
      const nowMs = performance.now()
      const isStale = !known.has(origin) || nowMs >= knownUntilMs
      if (isStale && (loading || nowMs >= readAgainAtMs)) await loadOnce()
      const isPublic = known.get(origin)
      return isPublic !== undefined && (isPublic || !publicOnly)
    },
  }
}
