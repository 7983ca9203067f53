import { z } from 'zod'
import type { LookedUp } from '../../rest-facade/callers/verified-keys.ts'

/** A credential by the SHA-256 of its text, and when it was accepted; null: it is no longer valid. */
export const credentialNote = z.object({
  name: z.string(),
  agoMs: z.nullable(z.number().min(0)),
})
export type CredentialNote = z.infer<typeof credentialNote>

/** Passes notes on to the other processes of a gateway. */
export interface CredentialPeers {
  /** Tells the others. */
  tell(notes: readonly CredentialNote[]): void
  /** Calls back with what others have told. */
  watch(take: (notes: readonly CredentialNote[]) => void): void
}

/** The credentials that a gateway has accepted lately: keys, tokens, sessions, secrets of apps. */
export interface KnownCredentials extends LookedUp {
  /** Tells that requests are served from now on. */
  readonly begin: () => void
  /**
   * Whether the credential is known. In the first ten seconds after `begin` every credential counts
   * as known, because none had the time to be accepted.
   */
  has(name: string): boolean
  readonly close: () => void
}

/** What one process knows of credentials. */
export interface CredentialMemory {
  /** When the credential was accepted last, by the clock of this memory; undefined: not lately. */
  acceptedAtMs(name: string): number | undefined
  note(note: CredentialNote): void
  all(): CredentialNote[]
}

/** A further accept within this time is not noted. */
const refreshMs = 60_000
/** How long a credential is kept: ten minutes after its last accept, whether or not that accept was noted. */
const keptMs = 10 * 60_000 + refreshMs
const maxCredentials = 50_000
const firstMs = 10_000
const batchMs = 200

type Clock = () => number
const monotonic: Clock = () => performance.now()

/**
 * Remembers accepted credentials only, so no invented credential evicts one. Of too many, the one that was
 * accepted least recently is forgotten.
 */
export function createCredentialMemory(clockMs: Clock = monotonic): CredentialMemory {
  const acceptedAt = new Map<string, number>()

  function acceptedAtMs(name: string): number | undefined {
    const atMs = acceptedAt.get(name)
    return atMs !== undefined && clockMs() - atMs < keptMs ? atMs : undefined
  }

  return {
    acceptedAtMs,
    note({ name, agoMs }) {
      const before = acceptedAt.get(name) ?? Number.NEGATIVE_INFINITY
      // The last one in the map is the most recent one.
      acceptedAt.delete(name)
      if (agoMs === null) return
      acceptedAt.set(name, Math.max(before, clockMs() - agoMs))
      const [oldest] = acceptedAt.keys()
      if (acceptedAt.size > maxCredentials && oldest !== undefined) acceptedAt.delete(oldest)
    },
    all: () =>
      [...acceptedAt.keys()].flatMap((name) => {
        const atMs = acceptedAtMs(name)
        return atMs === undefined ? [] : [{ name, agoMs: clockMs() - atMs }]
      }),
  }
}

/**
 * Shares known credentials: what one process has accepted, all processes know a moment later. A
 * credential that is accepted again and again costs a look into a map, and a message each minute.
 */
export function createKnownCredentials(
  peers: CredentialPeers | null = null,
  clockMs: Clock = monotonic,
): KnownCredentials {
  const memory = createCredentialMemory(clockMs)
  let untold = new Map<string, CredentialNote>()
  let begunAtMs = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  peers?.watch((notes) => {
    for (const note of notes) memory.note(note)
  })

  function note(name: string, agoMs: number | null): void {
    memory.note({ name, agoMs })
    if (!peers) return
    untold.set(name, { name, agoMs })
    timer ??= setTimeout(tell, batchMs).unref()
  }

  function tell(): void {
    timer = undefined
    peers?.tell([...untold.values()])
    untold = new Map()
  }

  return {
    begin() {
      begunAtMs = clockMs()
    },
    has: (name) => clockMs() - begunAtMs < firstMs || memory.acceptedAtMs(name) !== undefined,
    accept(name) {
      const atMs = memory.acceptedAtMs(name)
      if (atMs === undefined || clockMs() - atMs >= refreshMs) note(name, 0)
    },
    refuse(name) {
      if (memory.acceptedAtMs(name) !== undefined) note(name, null)
    },
    close: () => clearTimeout(timer),
  }
}
