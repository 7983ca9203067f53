import type { AccountCache } from '../../../rest-facade/callers/account-cache.ts'
import { staleChannel } from '../../../subgraphs/shared/database/notices.ts'
import type { InvalidationNotice } from '../../../subgraphs/shared/graph/context.ts'
import type { ChangeTransport, SharedChanges } from '../../processes/group/process-group.ts'
import type { RedisAddress } from '../../processes/redis/redis-address.ts'
import { type NoticeSubscription, subscribe } from './notice-subscriptions.ts'

type Forgetful = Pick<AccountCache<never>, 'forget' | 'forgetAll'>

/** Tells of changed accounts, and makes this process forget those that have changed here or elsewhere. */
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
  /**
   * Listens as `listen` does, and passes the notices on to processes that do not hear the databases: to the
   * others of its group, or without a group through Redis.
   */
  relay(databaseUrls: readonly string[], subscriptions?: readonly NoticeSubscription[]): void
}

/**
 * A change in this process is told through all of `changes` and Redis. Databases tell of it too: a trigger
 * notifies all who listen when the change commits.
 */
export async function createInvalidation(
  redisAddress: RedisAddress | undefined,
  resources: AsyncDisposableStack,
  changes: SharedChanges | null = null,
): Promise<Invalidation> {
  const caches: Forgetful[] = []
  /** Null: notices may have been missed, so nothing that is remembered is reliable. */
  function forget(accountId: string | null): void {
    for (const cache of caches) {
      if (accountId === null) cache.forgetAll()
      else cache.forget(accountId)
    }
  }
  /** Databases tell of everything, so a process that hears them misses nothing without Redis. */
  let hearsDatabases = changes !== null
  async function openRedis(address: RedisAddress) {
    // Small installations have no Redis and need not load its client.
    const { redisNotices } = await import('../../processes/redis/redis-notices.ts')
    return redisNotices(address, {
      onChange: forget,
      onNoNotices: () => hearsDatabases || forget(null),
    })
  }
  const redis = redisAddress ? await openRedis(redisAddress) : null
  resources.defer(() => redis?.close())
  changes?.watch(forget)

  function publish(
    accountId: string | null,
    transports: readonly (ChangeTransport | null)[],
  ): void {
    forget(accountId)
    for (const transport of transports) transport?.tell(accountId)
  }

  function listenTo(
    urls: readonly string[],
    hear: (accountId: string | null) => void,
    subscriptions: readonly NoticeSubscription[] = [],
  ): void {
    hearsDatabases ||= urls.length > 0
    const own = urls.map((url) => ({
      ...{ url, channels: { [staleChannel]: hear }, onGap: () => hear(null) },
    }))
    subscribe([...own, ...subscriptions], resources)
  }

  return {
    add: (...more) => void caches.push(...more),
    invalidate: ({ accountId }) => publish(accountId, [changes, redis]),
    // In a gateway with workers, one process listens for all.
    listen: (urls, subscriptions) => listenTo(changes ? [] : urls, forget, subscriptions),
    relay(urls, subscriptions) {
      listenTo(urls, (accountId) => publish(accountId, [changes ?? redis]), subscriptions)
    },
  }
}
