import { serviceCaller } from '../../schema/credentials/caller.ts'
import { maxKeyUses } from '../../schema/credentials/key-uses.ts'
import type { Execute } from '../graph/graph-client.ts'

/** Records the last use of keys: noted in memory, written periodically in batches. */
export interface KeyUse {
  note(keyId: string, usedAt: Date): void
  /**
   * Writes the notes since the last time; notes that cannot be written are kept. A crash loses
   * them.
   */
  readonly write: () => Promise<void>
}

const caller = serviceCaller()

export function createKeyUse(execute: Execute): KeyUse {
  /** The last use of each key. Notes are changed in place, so a busy key needs nothing new in memory. */
  const noted = new Map<string, { usedAtMs: number }>()

  /** Writes the oldest notes. */
  async function writeBatch(): Promise<void> {
    const batch: [string, { usedAtMs: number }][] = []
    for (const note of noted) {
      if (batch.length === maxKeyUses) break
      batch.push(note)
    }
    for (const [keyId] of batch) noted.delete(keyId)
    const keyIds = batch.map(([keyId]) => keyId)
    const usedAtMs = batch.map(([, note]) => note.usedAtMs)
    try {
      await execute('MarkKeysUsed', { keyIds, usedAtMs }, caller)
    } catch (error) {
      for (const [keyId, note] of batch) if (!noted.has(keyId)) noted.set(keyId, note)
      throw error
    }
  }

  return {
    note(keyId, usedAt) {
      const known = noted.get(keyId)
      if (known) known.usedAtMs = usedAt.getTime()
      else noted.set(keyId, { usedAtMs: usedAt.getTime() })
    },
    async write() {
      // Keys that are noted meanwhile wait for the next time.
      const batches = Math.ceil(noted.size / maxKeyUses)
      for (let batch = 0; batch < batches; batch += 1) await writeBatch()
    },
  }
}
