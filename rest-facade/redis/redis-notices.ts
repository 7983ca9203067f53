import type { Redis } from 'ioredis'
import { redisClient, redisListeners } from './client.ts'
import type { RedisAddress } from './redis-address.ts'

interface RedisNoticesOptions {
  /** Another process says that something about this account changed. */
  readonly onStale: (accountId: string) => void
  /** Notices may have been missed: nothing that is remembered can be trusted. */
  readonly onGap: () => void
  /** Again and again while nothing can be heard; within five seconds from when that began. */
  readonly onDeaf?: () => void
}

/** What PostgreSQL announces of changed accounts, a second time: one of both may be away. */
export interface RedisNotices {
  readonly publish: (accountId: string) => void
  close(): void
}

const channel = 'gateway_stale'
const pulseMs = 2000

/** Every process on this Redis hears what one of them has changed. */
export function redisNotices(address: RedisAddress, options: RedisNoticesOptions): RedisNotices {
  const publisher = redisClient(address)
  // The limiter, which has a connection of its own, says in the log that Redis is away.
  publisher.on('error', () => {})
  const listeners = redisListeners(address)
  for (const listener of listeners) listen(listener, options)
  /** Every one of them hears all there is. */
  function noteSilence(silent?: Redis): void {
    const isHeard = listeners.some((one) => one !== silent && one.status === 'ready')
    if (!isHeard) options.onDeaf?.()
  }
  const pulse = setInterval(() => {
    noteSilence()
    for (const listener of listeners) feelPulse(listener, () => noteSilence(listener))
  }, pulseMs)

  return {
    publish(accountId) {
      // PostgreSQL announces it too, and what is remembered is soon forgotten.
      if (publisher.status !== 'ready') return
      publisher.publish(channel, accountId).catch(() => {})
    },
    close() {
      clearInterval(pulse)
      publisher.disconnect()
      for (const listener of listeners) listener.disconnect()
    },
  }
}

function listen(listener: Redis, { onStale, onGap }: RedisNoticesOptions): void {
  listener.on('error', () => {})
  // Whatever changed before this answer may have been missed.
  listener.on('ready', () => void listener.subscribe(channel).then(onGap, () => {}))
  listener.on('message', (_channel, accountId) => onStale(accountId))
}

/** A connection that died without a word would be listened to for hours. */
function feelPulse(listener: Redis, onSilence: () => void): void {
  if (listener.status !== 'ready') return
  listener.ping().catch(() => {
    onSilence()
    if (listener.status === 'ready') listener.disconnect(true)
  })
}
