import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { request } from 'undici'
import { z } from 'zod'
import { projectRoot } from '../../schema/process/project-root.ts'
import { parseInput, shown } from '../http/input.ts'
import { sendJson } from '../http/respond.ts'

const backendHealth = z
  .strictObject({
    module: z.string().describe('The backend module.'),
    status: z.enum(['up', 'down', 'timeout']).describe('How it answered.'),
    latency_ms: z.nullable(z.int()).describe('Null when there was no answer to time.'),
  })
  .describe('The finding of a probe of one backend module.')

type BackendHealth = z.infer<typeof backendHealth>

/** The answer of GET /v1/ready. */
export const lightHealthAnswer = z
  .strictObject({
    status: z.enum(['ok', 'degraded']).describe('Degraded: a probed backend module is not up.'),
    version: z.string().describe('Of the gateway.'),
    uptime_seconds: z.int().min(0).describe('How long this process has been running.'),
  })
  .describe('That the process lives.')

/** The answer of GET /v1/health. */
export const healthAnswer = lightHealthAnswer
  .extend({
    backends: z.array(backendHealth).optional().describe('Only where they were asked for.'),
  })
  .describe('That the process lives and, where asked, how the backend modules are.')

interface HealthOptions {
  /** Module → its URL. */
  readonly backendUrls: ReadonlyMap<string, string>
  readonly probeTimeoutMs: number
}

/** Requests within this time share their probes, so that many requests do not multiply them. */
const probesFreshMs = 1000

const packageVersion = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))).version

/** The query of GET /v1/health. */
export const healthQuery = z.strictObject({
  backends: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .register(shown, {
      schema: { type: 'integer', enum: [0, 1], default: 0 },
      description: '1 probes each backend module too, for one second at most.',
    }),
})

/** GET /v1/health and, without probes, GET /v1/ready. */
export function healthHandlers({ backendUrls, probeTimeoutMs }: HealthOptions): {
  readonly health: RequestHandler
  readonly ready: RequestHandler
} {
  let probes: Promise<BackendHealth[]> | null = null
  let probedAtMs = Number.NEGATIVE_INFINITY

  function probeAll(): Promise<BackendHealth[]> {
    if (probes && performance.now() - probedAtMs < probesFreshMs) return probes
    probedAtMs = performance.now()
    const modules = [...backendUrls]
    probes = Promise.all(modules.map(([module, url]) => probe(module, url, probeTimeoutMs)))
    return probes
  }

  return {
    async health(req, res) {
      const input = parseInput(
        { query: healthQuery },
        { params: req.params, query: req.query, body: {} },
      )
      if (input.backends === '0') return sendJson(res, 200, lightHealth('ok'))
      const backends = await probeAll()
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
  return { status, version: packageVersion, uptime_seconds: Math.floor(process.uptime()) }
}

async function probe(module: string, url: string, timeoutMs: number): Promise<BackendHealth> {
  const startedMs = performance.now()
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { statusCode, body } = await request(`${url.replace(/\/$/, '')}/health`, { signal })
    await body.dump()
    const latency_ms = Math.round(performance.now() - startedMs)
    return { module, status: statusCode < 400 ? 'up' : 'down', latency_ms }
  } catch {
    // The caller learns that the module cannot be reached, but not why.
    return { module, status: signal.aborted ? 'timeout' : 'down', latency_ms: null }
  }
}
