import type { RequestHandler } from 'express'
import { z } from 'zod'
import { version } from '../../schema/process/version.ts'
import { backendHealth, type ProbeBackends } from '../backends/probes.ts'
import { unavailable } from '../http/errors.ts'
import { parseInput, shown } from '../http/input.ts'
import { sendJson } from '../http/respond.ts'

/** The answer of GET /v1/ready. */
export const lightHealthAnswer = z
  .strictObject({
    status: z.enum(['ok', 'degraded']).describe('Degraded: a service that was asked is not up.'),
    version: z.string().describe('The version of the gateway.'),
    uptime_seconds: z.int().min(0).describe('How long this process has been running.'),
  })
  .describe('That the process lives.')

/** The answer of GET /v1/health. */
export const healthAnswer = lightHealthAnswer
  .extend({
    backends: z.array(backendHealth).optional().describe('Only where they were asked for.'),
  })
  .describe('That the process lives and, where asked, how the services are.')

interface HealthOptions {
  /** Finds the states of backends, and shares its findings among many requests. */
  readonly probeBackends: ProbeBackends
}

/** The query of GET /v1/health. */
export const healthQuery = z.strictObject({
  backends: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .register(shown, {
      schema: { type: 'integer', enum: [0, 1], default: 0 },
      description: '1 asks each service too, for one second at most.',
    }),
})

/** GET /v1/health and, without probes, GET /v1/ready. */
export function healthHandlers({ probeBackends }: HealthOptions): {
  readonly health: RequestHandler
  readonly ready: RequestHandler
} {
  return {
    async health(req, res) {
      const input = parseInput(
        { query: healthQuery },
        { params: req.params, query: req.query, body: {} },
      )
      if (input.backends === '0') return sendJson(res, 200, lightHealth('ok'))
      const backends = await probeBackends()
      const isWhole = backends.every(({ status }) => status === 'up')
      sendJson(res, 200, { ...lightHealth(isWhole ? 'ok' : 'degraded'), backends })
    },
    ready(_req, res) {
      sendJson(res, 200, lightHealth('ok'))
    },
  }
}

/** Says that the process lives, without checking anything else. */
export function lightHealth(status: 'ok' | 'degraded'): z.infer<typeof lightHealthAnswer> {
  return { status, version, uptime_seconds: Math.floor(process.uptime()) }
}

/** Whether this process can serve requests. */
export interface ReadyState {
  /** Returns the public reason why this process cannot serve requests; null if it can. */
  problem(): string | null
}

/** Answers 503 while the process is not ready. */
export function requireReadiness(readiness: ReadyState): RequestHandler {
  return function requireReadiness(_req, _res, next) {
    const problem = readiness.problem()
    next(problem === null ? undefined : unavailable(problem))
  }
}
