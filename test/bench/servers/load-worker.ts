import autocannon from 'autocannon'
import type { Served } from '../support/child.ts'
import { type LoadResult, loadSchema } from '../support/load.ts'

/** The load generator. */
export async function serve(): Promise<Served> {
  return { ready: null, answer: run, stop: async () => {} }
}

async function run(question: unknown): Promise<LoadResult> {
  const { url, method, path, headerSets, body, connections, seconds } = loadSchema.parse(question)
  const requests = (offset: number) =>
    [...headerSets.slice(offset), ...headerSets.slice(0, offset)].map((headers) => ({
      ...{ method, path, headers },
      ...(body === undefined ? {} : { body }),
    }))
  let clients = 0
  const { duration, errors, statusCodeStats, latency } = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: requests(0).slice(0, 1),
    setupClient(client) {
      // Else all connections would use the same key at the same moment.
      client.setRequests(requests(Math.floor((clients * headerSets.length) / connections)))
      clients += 1
    },
  })
  const counts = Object.entries(statusCodeStats).map(([status, { count }]) => [status, count])
  return {
    seconds: duration,
    errors,
    countByStatus: Object.fromEntries(counts),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }
}
