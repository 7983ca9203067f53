import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'

/** The time that a server has for each step of connecting. */
const connectPatienceMs = 400
/**
 * The longest pause between two attempts. With `connectPatienceMs` it permits counting again within two
 * seconds after an outage (docs/promises.md R1).
 */
const reconnectMaxMs = 200
/** Longer than a busy process may pause: losing a listener makes the process forget everything. */
const listenPatienceMs = 2000

/**
 * Sends each command once. Use it only while its status is `ready`: a cluster connects to its nodes
 * when they are needed, and would queue earlier commands and send them later.
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
 * Connections that can subscribe to a channel. Every node of a cluster receives all messages. With
 * a connection to each named node, no other node must be chosen when one is unavailable.
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
    // A server that does not answer commands does not answer QUIT either.
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

/** Copies options, because the library writes into its arguments. */
function copied<Item extends object>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item }))
}

function reconnectMs(attempt: number): number {
  return Math.min(attempt * 50, reconnectMaxMs)
}
