import { LRUCache } from 'lru-cache'

type Fields = Readonly<Record<string, unknown>>

/** Objects that accounts have created. Only its owner can read an object. */
export interface KeptObjects {
  /** Keeps the object, and replaces one with the same name. */
  keep(owner: string, name: string, object: Fields): void
  /** Returns the object; null if this owner has no object with that name. */
  find(owner: string, name: string): Fields | null
  /** The objects whose names have the prefix, newest first. */
  list(owner: string, prefix: string): readonly Fields[]
}

interface KeptObjectsOptions {
  readonly maxPerOwner?: number
  readonly maxBytes?: number
}

/** The most objects of all owners together. */
const maxObjects = 20_000
/** The largest object that is kept. */
const maxObjectBytes = 64 * 1024

/**
 * Keeps objects in memory, with limits. Above an owner's limit, the owner's oldest object is
 * removed. Above the limit of all, the objects that were not read for the longest time are removed.
 */
export function createKeptObjects({
  maxPerOwner = 200,
  maxBytes = 32 * 1024 * 1024,
}: KeptObjectsOptions = {}): KeptObjects {
  const namesOf = new Map<string, Set<string>>()
  const objects = new LRUCache<string, { readonly owner: string; readonly object: Fields }>({
    max: maxObjects,
    maxSize: maxBytes,
    maxEntrySize: maxObjectBytes,
    sizeCalculation: ({ object }, key) => key.length + JSON.stringify(object).length,
    noDisposeOnSet: true,
    dispose({ owner }, key) {
      const names = namesOf.get(owner)
      names?.delete(key.slice(owner.length + 1))
      if (names?.size === 0) namesOf.delete(owner)
    },
  })
  const keyOf = (owner: string, name: string) => `${owner} ${name}`

  return {
    keep(owner, name, object) {
      objects.delete(keyOf(owner, name))
      objects.set(keyOf(owner, name), { owner, object })
      if (!objects.has(keyOf(owner, name))) return
      const names = namesOf.get(owner) ?? new Set()
      namesOf.set(owner, names.add(name))
      const [oldest] = names
      if (names.size > maxPerOwner && oldest !== undefined) objects.delete(keyOf(owner, oldest))
    },
    find: (owner, name) => objects.get(keyOf(owner, name))?.object ?? null,
    list: (owner, prefix) =>
      [...(namesOf.get(owner) ?? [])]
        .filter((name) => name.startsWith(prefix))
        .toReversed()
        .map((name) => objects.peek(keyOf(owner, name))?.object)
        .filter((object) => object !== undefined),
  }
}
