import autocannon, { type Request } from 'autocannon'
import type { z } from 'zod'
import type { Served } from '../support/child.ts'
import { type LoadResult, loadSchema } from '../support/load.ts'

/** The load generator. */
export async function serve(): Promise<Served> {
  return { ready: null, answer: run, stop: async () => {} }
}

async function run(question: unknown): Promise<LoadResult> {
  const load = loadSchema.parse(question)
  const { url, connections, seconds: duration, perSecond: overallRate } = load
  const shareOf = sharesOf(load)
  let clients = 0
  const result = await autocannon({
    ...{ url, connections, duration, overallRate },
    requests: shareOf(0).slice(0, 1),
    setupClient(client) {
      client.setRequests(shareOf(clients))
      clients += 1
    },
  })
  const { errors, statusCodeStats, latency } = result
  const counts = Object.entries(statusCodeStats).map(([status, { count }]) => [status, count])
  return {
    seconds: result.duration,
    errors,
    countByStatus: Object.fromEntries(counts),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }
}

/** What each connection sends, by its number. */
function sharesOf(load: z.infer<typeof loadSchema>): (client: number) => readonly Request[] {
  const { method, path, headerSets, body, bodies, isDivided, connections } = load
  const all = headerSets.map((headers, index): Request => {
    const sent = bodies?.[index] ?? body
    return { method, path, headers, ...(sent === undefined ? {} : { body: sent }) }
  })
  const startOf = (client: number) => Math.floor((client * all.length) / connections)
  if (isDivided) return (client) => all.slice(startOf(client), startOf(client + 1))
  // Else all connections would use the same key at the same moment.
  return (client) => [...all.slice(startOf(client)), ...all.slice(0, startOf(client))]
}
