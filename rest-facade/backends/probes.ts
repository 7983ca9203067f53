import { request } from 'undici'
import { z } from 'zod'

export const backendHealth = z
  .strictObject({
    module: z.string().describe('The service.'),
    status: z.enum(['up', 'down', 'timeout']).describe('How it answered.'),
    latency_ms: z.nullable(z.int()).describe('Null when there was no answer to time.'),
  })
  .describe('How one service is.')

export type BackendHealth = z.infer<typeof backendHealth>

/** Returns the findings for all backend modules of an environment. */
export type ProbeBackends = () => Promise<readonly BackendHealth[]>

/** Asks each module once per call. `urls`: module → its URL. */
export function createProbes(urls: ReadonlyMap<string, string>, timeoutMs: number): ProbeBackends {
  return () => Promise.all([...urls].map(([module, url]) => probe(module, url, timeoutMs)))
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
