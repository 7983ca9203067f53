import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { projectRoot } from '../../schema/process/project-root.ts'

const manifestSchema = z.record(z.string(), z.object({ sha256: z.string(), document: z.string() }))

/** The total length of remembered documents that tools have sent with their hash. */
const maxCharacters = 4 * 1024 * 1024

/** Apollo Server puts this prefix before the hash. */
const keyPrefix = 'apq:'

/**
 * The known documents by their hash (Apollo's automatic persisted queries). The operations of the
 * manifest are always known. Other documents become known when they are first sent with their hash.
 * A hash grants nothing: the role decides.
 */
export function knownDocuments() {
  const manifest = manifestSchema.parse(
    JSON.parse(readFileSync(join(projectRoot, 'schema/generated/operations.json'), 'utf8')),
  )
  const registered = new Map(
    Object.values(manifest).map(({ sha256, document }) => [keyPrefix + sha256, document]),
  )
  const sent = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (document) => document.length,
  })
  return {
    get: async (key: string) => registered.get(key) ?? sent.get(key),
    async set(key: string, document: string) {
      if (!registered.has(key)) sent.set(key, document)
    },
    delete: async (key: string) => sent.delete(key),
  }
}
