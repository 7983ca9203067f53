import type { KeptShare } from '../../../subgraphs/shared/database/kept-statements.ts'
import type { Member } from '../../cluster/member.ts'

/** The connections of one subgraph to its database. */
export interface PoolSize {
  /** The most of them. */
  readonly poolSize: number
  /** Those among them that hot statements keep; null: hot statements share the pool with all others. */
  readonly kept: KeptShare | null
}

/** A process with one subgraph. */
export const ownPool: PoolSize = { poolSize: 8, kept: { service: 3, tenant: 2 } }

/** One connection remains for all other statements, such as whole transactions. */
const small: PoolSize = { poolSize: 2, kept: { service: 1, tenant: 1 } }
/** Two remain: one transaction that waits for a lock does not hold up all others. */
const medium: PoolSize = { poolSize: 4, kept: { service: 1, tenant: 1 } }
const one: PoolSize = { poolSize: 1, kept: null }

/**
 * The sizes by the part that a process has in its gateway. Few connections are enough, because each
 * hot statement serves hundreds of requests; but whole transactions, such as those that list keys,
 * need some of their own. Together with the other connections of the process (jobs, webhooks,
 * notices, probes) the whole gateway has at most 25, and each worker beyond the first at most 10
 * more.
 */
const sizes: Readonly<Record<Member['part'], Readonly<Record<string, PoolSize>>>> = {
  whole: {
    account: { poolSize: 5, kept: { service: 2, tenant: 1 } },
    ...{ keys: medium, oauth: medium, usage: medium },
  },
  worker: {
    account: { poolSize: 4, kept: { service: 2, tenant: 1 } },
    ...{ keys: small, oauth: one, usage: small },
  },
  jobs: {
    account: { poolSize: 3, kept: { service: 1, tenant: 1 } },
    ...{ keys: one, oauth: one, usage: small },
  },
}

/** The pools of a process that has all subgraphs. */
export function poolSizeIn(part: Member['part'], subgraph: string): PoolSize {
  return sizes[part][subgraph] ?? one
}
