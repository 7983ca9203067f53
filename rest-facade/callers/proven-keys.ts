import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../schema/process/at-most.ts'

/** The hashes of keys and tokens that this process has accepted before. */
export interface ProvenKeys {
  has(plaintext: string): boolean
  /** Hashes a key once, however often it is accepted. */
  add(id: string, plaintext: string): void
  remove(plaintext: string): void
}

const maxKeys = 50_000

export function createProvenKeys(): ProvenKeys {
  const hashes = new Set<string>()
  const hashById = new LRUCache<string, string>({
    ...atMost(maxKeys),
    dispose: (secretHash) => hashes.delete(secretHash),
  })
  return {
    has: (plaintext) => hashes.has(hash('sha256', plaintext, 'hex')),
    add(id, plaintext) {
      const known = hashById.get(id)
      if (known !== undefined && hashes.has(known)) return
      const secretHash = hash('sha256', plaintext, 'hex')
      hashById.set(id, secretHash)
      hashes.add(secretHash)
    },
    remove(plaintext) {
      hashes.delete(hash('sha256', plaintext, 'hex'))
    },
  }
}
