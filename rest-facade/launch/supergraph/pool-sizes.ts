import type { Member } from '../../cluster/member.ts'

/** The most connections of one subgraph to its database. */
export interface PoolSize {
  readonly poolSize: number
  /** Whether hot statements have connections of their own among them. */
  readonly keepsConnections: boolean
}

/** A process with one subgraph. */
export const ownPool: PoolSize = { poolSize: 8, keepsConnections: true }

/**
 * The sizes by the part that a process has in its gateway. Few connections are enough, because each
 * hot statement serves hundreds of requests; but whole transactions, such as those that list keys,
 * need some of their own. Together with the other connections of the process (jobs, webhooks,
 * notices, probes) the whole gateway has at most 25, and each worker beyond the first at most 10
 * more.
 */
const sizes: Readonly<Record<Member['part'], Readonly<Record<string, number>>>> = {
  whole: { account: 6, keys: 4, oauth: 4, usage: 3 },
  worker: { account: 4, keys: 2, oauth: 1, usage: 2 },
  jobs: { account: 3, keys: 1, oauth: 1, usage: 2 },
}

/** The pools of a process that has all subgraphs. */
export function poolSizeIn(part: Member['part'], subgraph: string): PoolSize {
  const poolSize = sizes[part][subgraph] ?? 1
  // Kept connections are of two kinds, and one connection remains for all other statements.
  return { poolSize, keepsConnections: poolSize > 1 }
}
