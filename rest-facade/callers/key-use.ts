import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { Execute } from '../graph/graph-client.ts'

/** Which keys were accepted lately: noted in memory, written in one batch now and then. */
export interface KeyUse {
  note(keyId: string, usedAt: Date): void
  /** Writes what was noted since the last time; what could not be written is kept for the next. A crash loses at most that. */
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
