import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'

/** Records the last use of keys: noted in memory, written periodically in one batch. */
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
  let noted = new Map<string, Date>()
  return {
    note(keyId, usedAt) {
      noted.set(keyId, usedAt)
    },
    async write() {
      if (noted.size === 0) return
      const uses = [...noted].map(([keyId, usedAt]) => ({ keyId, usedAt: usedAt.toISOString() }))
      const written = noted
      noted = new Map()
      try {
        await execute('MarkKeysUsed', { uses }, caller)
      } catch (error) {
        noted = new Map([...written, ...noted])
        throw error
      }
    },
  }
}
