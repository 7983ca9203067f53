import type { Redis } from 'ioredis'
import type { ChangeTransport } from '../group/process-group.ts'
import { redisClient, redisListeners } from './client.ts'
import type { RedisAddress } from './redis-address.ts'

interface RedisNoticesOptions {
  /**
   * Is called when another process has changed this account. Null: notices of any account may have been
   * missed.
   */
  readonly onChange: (accountId: string | null) => void
  /** Is called repeatedly while no notice can arrive, for the first time within five seconds. */
  readonly onNoNotices?: () => void
}

/**
 * Repeats PostgreSQL's notices of changed accounts, because either of the two may be unavailable.
 */
export interface RedisNotices extends ChangeTransport {
  close(): void
}

const channel = 'gateway_stale'
const heartbeatMs = 2000

/** Every process on this Redis learns of changes by the others. */
export function redisNotices(address: RedisAddress, options: RedisNoticesOptions): RedisNotices {
  const publisher = redisClient(address)
  // The limiter, which has its own connection, logs that Redis is unavailable.
  publisher.on('error', () => {})
  const listeners = redisListeners(address)
  for (const listener of listeners) listen(listener, options)
  /** One working listener is enough: each receives all notices. */
  function noteSilence(silent?: Redis): void {
    const isListening = listeners.some((one) => one !== silent && one.status === 'ready')
    if (!isListening) options.onNoNotices?.()
  }
  const heartbeat = setInterval(() => {
    noteSilence()
    for (const listener of listeners) checkHeartbeat(listener, () => noteSilence(listener))
  }, heartbeatMs)

  return {
    tell(accountId) {
      // Each process knows of its own gaps. PostgreSQL announces a change too, and remembered keys expire soon.
      if (accountId === null || publisher.status !== 'ready') return
      publisher.publish(channel, accountId).catch(() => {})
    },
    close() {
      clearInterval(heartbeat)
      publisher.disconnect()
      for (const listener of listeners) listener.disconnect()
    },
  }
}

function listen(listener: Redis, { onChange }: RedisNoticesOptions): void {
  listener.on('error', () => {})
  // Changes before this moment may have been missed.
  listener.on('ready', () => {
    listener
      .subscribe(channel)
      .then(() => onChange(null))
      .catch(() => {})
  })
  listener.on('message', (_channel, accountId) => onChange(accountId))
}

/** Finds a connection that died silently, which would otherwise stay open for hours. */
function checkHeartbeat(listener: Redis, onSilence: () => void): void {
  if (listener.status !== 'ready') return
  listener.ping().catch(() => {
    onSilence()
    if (listener.status === 'ready') listener.disconnect(true)
  })
}
