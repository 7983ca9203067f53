import { Redis } from 'ioredis'

interface RedisNoticesOptions {
  /** Another process says that something about this account changed. */
  readonly onStale: (accountId: string) => void
  /** Notices may have been missed: nothing that is remembered can be trusted. */
  readonly onGap: () => void
}

/** What PostgreSQL announces of changed accounts, a second time: one of both may be away. */
export interface RedisNotices {
  readonly publish: (accountId: string) => void
  close(): void
}

const channel = 'gateway_stale'
const reconnectMs = 1000

/** Every process on this Redis hears what one of them has changed. */
export function redisNotices(
  redisUrl: string,
  { onStale, onGap }: RedisNoticesOptions,
): RedisNotices {
  const options = {
    connectTimeout: 1000,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, reconnectMs),
  }
  const publisher = new Redis(redisUrl, {
    ...options,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 1000,
  })
  const subscriber = new Redis(redisUrl, { ...options, autoResubscribe: false })
  // The limiter, which has a connection of its own, says in the log that Redis is away.
  publisher.on('error', () => {})
  subscriber.on('error', () => {})
  // Whatever changed before this answer may have been missed.
  subscriber.on('ready', () => void subscriber.subscribe(channel).then(onGap, () => {}))
  subscriber.on('message', (_channel, accountId) => onStale(accountId))

  return {
    publish(accountId) {
      // PostgreSQL announces it too, and what is remembered is soon forgotten.
      publisher.publish(channel, accountId).catch(() => {})
    },
    close() {
      publisher.disconnect()
      subscriber.disconnect()
    },
  }
}
