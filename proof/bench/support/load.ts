import { z } from 'zod'
import { type Child, startChild } from './child.ts'

/** Stands in a body for the key that each request has there, instead of in a header. */
export const keyInBody = '{key}'

/** One load: every connection goes through all header sets, each from a different one on. */
export const loadSchema = z.object({
  url: z.string(),
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  headerSets: z.array(z.record(z.string(), z.string())).min(1),
  body: z.string().optional(),
  /** One for each header set, instead of the same for all. */
  bodies: z.array(z.string()).optional(),
  /** Every connection goes through a share of its own instead. */
  isDivided: z.boolean().default(false),
  /** Each request has a key of its own: in the body where that has a place for it, else as `Idempotency-Key`. */
  hasFreshKeys: z.boolean().default(false),
  connections: z.int(),
  seconds: z.number(),
  /** The seconds for which the same load is sent before; its answers are not counted. */
  leadSeconds: z.number().default(0),
  /**
   * Requests that are sent in a second, whatever becomes of those before (an open loop). Without it,
   * each connection sends the next request when it has its answer (a closed loop).
   */
  perSecond: z.number().optional(),
})

export const loadResult = z.object({
  seconds: z.number(),
  /** Connections that broke and requests that were never answered. */
  errors: z.int(),
  countByStatus: z.record(z.string(), z.number()),
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
})

export type Load = z.input<typeof loadSchema>
export type LoadResult = z.infer<typeof loadResult>

export type RunLoad = (load: Load) => Promise<LoadResult>

export interface LoadGenerator {
  readonly run: RunLoad
  stop(): Promise<void>
}

/** With more connections the rate is no higher. */
const peak = { connections: 128, leadSeconds: 3, seconds: 5 } as const
/** The connections of an open loop above the peak. */
export const openConnections = 3000

/** Charged calls in a second of connections that each wait for their answer. */
export async function peakOf(
  runLoad: RunLoad,
  load: Omit<Load, 'connections' | 'seconds'>,
): Promise<number> {
  const { countByStatus } = await runLoad({ ...load, ...peak })
  return (countByStatus[200] ?? 0) / peak.seconds
}

/** The load generator in its own process. */
export async function startLoadGenerator(): Promise<LoadGenerator> {
  const child: Child<unknown> = await startChild({ role: 'load', ready: z.unknown() })
  return {
    run: (load) => child.ask(load, loadResult),
    stop: () => child.stop(),
  }
}
