import type { PoolSize } from '../../../subgraphs/shared/database/connections.ts'
import { shareOf } from '../../../subgraphs/shared/database/wire-statements.ts'
import type { ProcessGroup } from '../../processes/group/process-group.ts'

/** The pool of a process with one subgraph, and of a worker of a gateway with `WORKERS`. */
export const ownPool: PoolSize = { poolSize: 8, wire: { service: 3, tenant: 2 } }

/**
 * The sizes by the part that a process has in its gateway. Few connections are enough, because each
 * hot statement serves hundreds of requests; but whole transactions, such as those that list keys,
 * need some of their own. Together with the other connections of the process (jobs, webhooks,
 * notices, probes) the whole gateway has at most 25, and each worker beyond the first
 * at most 10 more.
 */
export const poolSizes: Readonly<Record<ProcessGroup['part'], PoolSize>> = {
  whole: { poolSize: 16, wire: { service: 4, tenant: 4 } },
  worker: ownPool,
  jobs: { poolSize: 6, wire: { service: 2, tenant: 1 } },
}

/**
 * The smallest pool: one connection for each kind of statement, of the hot path for many accounts, for one
 * account, and others.
 */
const leastPool = 3

/** The pool of each of these databases, when all of them together have this one. */
export function dividedPool(pool: PoolSize, databases: number): PoolSize {
  if (databases === 1) return pool
  const poolSize = Math.max(leastPool, Math.ceil(pool.poolSize / databases))
  return { poolSize, wire: shareOf(poolSize) }
}
