import { LRUCache } from 'lru-cache'
import { atMost } from '../../../schema/process/at-most.ts'
import type { Owned } from './batch-columns.ts'

/** How long a balance counts as locked. A batch finds out in up to 200 ms that it is locked. */
const lockedMs = 1000

/** Balances that another transaction kept a moment ago: a batch that waited for them would delay the requests of others. */
const locked = new LRUCache<string, true>({
  ...atMost(10_000),
  ttl: lockedMs,
  ttlAutopurge: true,
})

type Owner = Omit<Owned, 'credits'>

export function isKnownLocked(batch: Owner, place: number): boolean {
  // The list is nearly always empty, and then no name is built.
  return locked.size > 0 && locked.has(nameAt(batch, place))
}

export function rememberLocked(batch: Owner, places: readonly number[]): void {
  for (const place of places) locked.set(nameAt(batch, place), true)
}

function nameAt({ accountIds, environments }: Owner, place: number): string {
  return `${environments[place]} ${accountIds[place]}`
}
