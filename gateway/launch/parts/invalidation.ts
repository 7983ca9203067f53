import type { AccountCache } from '../../../rest-facade/callers/account-cache.ts'
import { staleChannel } from '../../../subgraphs/shared/database/notices.ts'
import type { InvalidationNotice } from '../../../subgraphs/shared/graph/context.ts'
import type { SharedChanges } from '../../processes/group/process-group.ts'
import type { RedisAddress } from '../../processes/redis/redis-address.ts'
import { type NoticeSubscription, subscribe } from './notice-subscriptions.ts'

type Forgetful = Pick<AccountCache<never>, 'forget' | 'forgetAll'>

/** Makes this process forget cached accounts that have changed, here or in another process. */
export interface Invalidation {
  /** Adds caches that forget changed accounts. */
  add(...caches: readonly Forgetful[]): void
  /**
   * Forgets what is remembered of an account; must be called after a change in this process. This process
   * forgets the account at once, the others when they get the notice.
   */
  readonly invalidate: (notice: InvalidationNotice) => void
  /**
   * Listens to the notices of these databases. The invalidation forgets accounts by them; subscriptions get
   * the notices of their channels.
   */
  listen(databaseUrls: readonly string[], subscriptions?: readonly NoticeSubscription[]): void
  /** Listens as `listen` does, and passes the notices on to processes that listen to Redis only. */
  relay(databaseUrls: readonly string[]): void
}

export async function createInvalidation(
  redisAddress: RedisAddress | undefined,
  resources: AsyncDisposableStack,
  changes: SharedChanges | null = null,
): Promise<Invalidation> {
  const caches: Forgetful[] = []
  function forget(accountId: string): void {
    for (const cache of caches) cache.forget(accountId)
  }
  function forgetAll(): void {
    for (const cache of caches) cache.forgetAll()
  }
  /**
   * Databases announce everything too, so a process that listens to them misses nothing without
   * Redis.
   */
  let hearsDatabases = changes !== null
  function forgetUnlessTold(): void {
    if (!hearsDatabases) forgetAll()
  }
  async function openRedis(address: RedisAddress) {
    // Small installations have no Redis and need not load its client.
    const { redisNotices } = await import('../../processes/redis/redis-notices.ts')
    return redisNotices(address, {
      onStale: forget,
      onGap: forgetAll,
      onNoNotices: forgetUnlessTold,
    })
  }
  const redis = redisAddress ? await openRedis(redisAddress) : null
  resources.defer(() => redis?.close())

  changes?.watch((accountId) => {
    if (accountId === null) forgetAll()
    else forget(accountId)
  })

  function forgetAndTell(accountId: string): void {
    forget(accountId)
    changes?.tell(accountId)
    redis?.publish(accountId)
  }

  function listenTo(
    urls: readonly string[],
    onStale: (accountId: string) => void,
    subscriptions: readonly NoticeSubscription[] = [],
  ): void {
    hearsDatabases ||= urls.length > 0
    const own = urls.map((url) => ({
      ...{ url, channels: { [staleChannel]: onStale }, onGap: forgetAll },
    }))
    subscribe([...own, ...subscriptions], resources)
  }

  return {
    add: (...more) => void caches.push(...more),
    invalidate: ({ accountId }) => forgetAndTell(accountId),
    // In a gateway with workers, one process listens for all.
    listen: (urls, subscriptions) => listenTo(changes ? [] : urls, forget, subscriptions),
    relay: (urls) => listenTo(urls, forgetAndTell),
  }
}
