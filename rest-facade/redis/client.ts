import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'

/** So long a server may take for each step until it is connected. */
const connectPatienceMs = 400
/** Together with that it leaves time to count again two seconds after an outage (docs/promises.md R1). */
const reconnectMaxMs = 200
/** Longer than a busy process may be away: whoever gives up a listener forgets everything. */
const listenPatienceMs = 2000

/**
 * Sends commands, once each. Ask it while its status is `ready` only: a cluster, whose nodes are
 * connected to when they are needed, would keep what it is asked before, to send it later.
 */
export function redisClient(address: RedisAddress): Redis | Cluster {
  if (address.topology !== 'cluster') {
    return new Redis({ ...serverOf(address), enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  }
  return new Cluster(copied(address.nodes), {
    redisOptions: connectionOf(address),
    clusterRetryStrategy: reconnectMs,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: connectPatienceMs,
  })
}

/**
 * Connections that hear what is published on a channel, once they are subscribed to it. Every node of
 * a cluster hears all of it: with one to each that is named nobody has to choose another when one is away.
 */
export function redisListeners(address: RedisAddress): readonly Redis[] {
  const options = { ...serverOf(address), commandTimeout: listenPatienceMs }
  if (address.topology !== 'cluster') return [new Redis(options)]
  return address.nodes.map((node) => new Redis({ ...options, ...node }))
}

function connectionOf({ isTls, username, password, database }: RedisAddress) {
  return {
    username,
    password,
    db: database,
    tls: isTls ? {} : undefined,
    connectTimeout: connectPatienceMs,
    commandTimeout: connectPatienceMs,
    maxLoadingRetryTime: reconnectMaxMs,
    // Whoever swallows what is sent does not answer a farewell either.
    disconnectTimeout: 50,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
  }
}

function serverOf(address: RedisAddress): RedisOptions {
  const { topology, nodes, isTls } = address
  const options = { ...connectionOf(address), retryStrategy: reconnectMs }
  if (topology !== 'sentinel') return { ...options, ...nodes[0] }
  return {
    ...options,
    sentinels: copied(nodes),
    name: address.masterName,
    sentinelUsername: address.sentinelUsername,
    sentinelPassword: address.sentinelPassword,
    sentinelCommandTimeout: connectPatienceMs,
    sentinelRetryStrategy: reconnectMs,
    sentinelTLS: isTls ? {} : undefined,
    enableTLSForSentinelMode: isTls,
  }
}

/** The library writes into what it is given. */
function copied<Item extends object>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item }))
}

function reconnectMs(attempt: number): number {
  return Math.min(attempt * 50, reconnectMaxMs)
}
