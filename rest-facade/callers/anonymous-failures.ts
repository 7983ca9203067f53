import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import type { ErrorCode, OAuthErrorCode } from '../../schema/vocabulary/error-codes.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Call } from '../http/call.ts'
import { clientBlock } from '../rate-limit/client-block.ts'

/**
 * Refusals of callers that nobody knows: each is added to the sum of its hour and client, in memory, and
 * the sums are written now and then. Whoever has no account cannot make anything grow.
 */
export interface AnonymousFailures {
  readonly note: (call: Call, code: ErrorCode | OAuthErrorCode, count?: number) => void
  /** Adds what was noted since the last time; what could not be added is kept for the next. */
  readonly write: () => Promise<void>
}

/** So many clients are told apart between two writings; what others do is counted together. */
const maxClients = 1000
/** Stands for them. */
const otherClients = 'others'
/** What the usage subgraph takes at once. */
const batchSize = 500
const hourMs = 3_600_000

/** As the usage subgraph takes it: `AnonymousFailuresInput`. */
interface Sum {
  readonly hour: string
  readonly environment: Environment
  readonly client: string
  readonly result: string
  failures: number
  firstAt: string
  lastAt: string
  lastRoute: string
  lastRequestId: string
}

const caller = serviceCaller()

export function createAnonymousFailures(execute: Execute): AnonymousFailures {
  let sums = new Map<string, Sum>()

  function add(sum: Sum): void {
    const place = placeOf(sum)
    const { client } = place
    const name = `${place.hour} ${place.environment} ${client} ${place.result}`
    const known = sums.get(name)
    if (!known) return void sums.set(name, { ...sum, client })
    known.failures += sum.failures
    if (sum.firstAt < known.firstAt) known.firstAt = sum.firstAt
    if (sum.lastAt < known.lastAt) return
    known.lastAt = sum.lastAt
    known.lastRoute = sum.lastRoute
    known.lastRequestId = sum.lastRequestId
  }

  function placeOf(sum: Sum): Sum {
    const name = `${sum.hour} ${sum.environment} ${sum.client} ${sum.result}`
    return sums.has(name) || sums.size < maxClients ? sum : { ...sum, client: otherClients }
  }

  async function writeBatch(batch: readonly Sum[]): Promise<void> {
    try {
      await execute('CountAnonymousFailures', { sums: batch }, caller)
    } catch (error) {
      for (const sum of batch) add(sum)
      throw error
    }
  }

  return {
    note(call, code, count = 1) {
      const { arrivedAt, environment, address, route, requestId } = call
      const at = arrivedAt.toISOString()
      const hour = new Date(Math.floor(arrivedAt.getTime() / hourMs) * hourMs).toISOString()
      const client = shownBlock(address)
      const seen = { firstAt: at, lastAt: at, lastRoute: route, lastRequestId: requestId }
      add({ hour, environment, client, result: code, failures: count, ...seen })
    },
    async write() {
      const written = [...sums.values()]
      sums = new Map()
      const batches = Array.from({ length: Math.ceil(written.length / batchSize) }, (_, index) =>
        written.slice(index * batchSize, (index + 1) * batchSize),
      )
      const outcomes = await Promise.allSettled(batches.map(writeBatch))
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

/** As people write it: a v4 address, or the network of a v6 one. Nobody knows what a proxy's nonsense means. */
function shownBlock(address: string): string {
  if (address === '') return 'unknown'
  return address.includes(':') ? `${clientBlock(address)}::/64` : address
}
