import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import { clientBlock } from '../../schema/vocabulary/client-block.ts'
import type { ErrorCode, OAuthErrorCode } from '../../schema/vocabulary/error-codes.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { Call } from '../http/call.ts'
import { shareOf } from '../rate-limit/share-of.ts'

/**
 * Counts refusals of anonymous callers: each is added in memory to the sum of its hour and client,
 * and the sums are written periodically. So callers without an account cannot make a table grow.
 */
export interface AnonymousFailures {
  readonly note: (call: Call, code: ErrorCode | OAuthErrorCode, count?: number) => void
  /**
   * Writes the sums since the last time; sums that cannot be written are kept for the next time.
   */
  readonly write: () => Promise<void>
}

/**
 * The number of clients with sums of their own between two writes, of all processes of a gateway; the
 * others share one sum.
 */
const maxClientsOfAll = 1000
/** The client of the shared sum. */
const otherClients = 'others'
/** The usage subgraph takes no more at once. */
const batchSize = 500
const hourMs = 3_600_000

/** An `AnonymousFailuresInput`. */
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

export function createAnonymousFailures(execute: Execute, processes = 1): AnonymousFailures {
  const maxClients = shareOf(maxClientsOfAll, processes)
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

/** A v4 address, or the network of a v6 address, in its usual notation; otherwise unknown. */
function shownBlock(address: string): string {
  if (address === '') return 'unknown'
  return address.includes(':') ? `${clientBlock(address)}::/64` : address
}
