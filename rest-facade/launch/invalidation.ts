import { listenForNotices, staleChannel } from '../../subgraphs/shared/database/notices.ts'
import type { InvalidationNotice } from '../../subgraphs/shared/graph/context.ts'
import type { AccountCache } from '../callers/account-cache.ts'
import type { RedisAddress } from '../redis/redis-address.ts'
import { redisNotices } from '../redis/redis-notices.ts'
import type { Cleanups } from './process/cleanups.ts'

type Forgetful = Pick<AccountCache<never>, 'forget' | 'forgetAll'>

/** What this process remembers of accounts, and how it hears that it must not any longer. */
export interface Invalidation {
  /** Adds what is to forget. */
  add(...caches: readonly Forgetful[]): void
  /** Something changed here: this process forgets it at once, the others when they hear of it. */
  readonly invalidate: (notice: InvalidationNotice) => void
  /** Also hears what these databases announce. */
  listen(databaseUrls: readonly string[]): void
  /** The same, and tells those who hear Redis only. */
  relay(databaseUrls: readonly string[]): void
}

export function createInvalidation(
  redisAddress: RedisAddress | undefined,
  cleanups: Cleanups,
): Invalidation {
  const caches: Forgetful[] = []
  function forget(accountId: string): void {
    for (const cache of caches) cache.forget(accountId)
  }
  function forgetAll(): void {
    for (const cache of caches) cache.forgetAll()
  }
  /** Databases announce everything too: whoever hears them misses nothing when Redis is away. */
  let hearsDatabases = false
  function forgetUnlessTold(): void {
    if (!hearsDatabases) forgetAll()
  }
  const redis = redisAddress
    ? redisNotices(redisAddress, { onStale: forget, onGap: forgetAll, onDeaf: forgetUnlessTold })
    : null
  cleanups.add(() => redis?.close())

  function forgetAndTell(accountId: string): void {
    forget(accountId)
    redis?.publish(accountId)
  }

  function listenTo(urls: readonly string[], onStale: (accountId: string) => void): void {
    for (const url of urls) {
      hearsDatabases = true
      const notices = listenForNotices({
        ...{ url, channel: staleChannel },
        ...{ onNotice: onStale, onGap: forgetAll },
      })
      cleanups.add(() => notices.close())
    }
  }

  return {
    add: (...more) => void caches.push(...more),
    invalidate: ({ accountId }) => forgetAndTell(accountId),
    listen: (urls) => listenTo(urls, forget),
    relay: (urls) => listenTo(urls, forgetAndTell),
  }
}
