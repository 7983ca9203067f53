import type { Ask } from '../compare-with-ledger.ts'
import { digestNameOf, type SignedStatement } from './digest.ts'
import type { DigestKey } from './digest-key.ts'
import { type DigestStart, startDigest, takeDigest } from './take-digest.ts'

/** The place where digests are kept. The first digest of a name stays. */
export interface DigestPlace {
  has(name: string): Promise<boolean>
  /** Adds a digest. Returns null when another process was faster. If `fill` fails, no file remains. */
  add<Result>(
    name: string,
    fill: (write: (text: string) => Promise<void>) => Promise<Result>,
  ): Promise<Result | null>
}

interface StoreOptions {
  readonly ask: Ask
  readonly key: DigestKey
  readonly gateway: string
  readonly place: DigestPlace
}

/** Writes the digest of a day into its place. Null when the place already has one. */
export async function storeDigest(
  start: DigestStart,
  { place, ...options }: StoreOptions,
): Promise<SignedStatement | null> {
  const name = digestNameOf(start.day)
  if (await place.has(name)) return null
  return place.add(name, (write) => takeDigest(start, { ...options, write }))
}

export interface DailyDigest {
  /** Writes the digest of the day unless the place already has it. It may be called at any time. */
  write(ask: Ask): Promise<void>
}

interface DailyOptions extends Omit<StoreOptions, 'ask'> {
  /** Receives a digest that this process has written. */
  readonly show: (signed: SignedStatement) => void
  /** Receives the seconds for which the digest of the day has been missing; 0: it is there. */
  readonly noteOverdue: (seconds: number) => void
}

/** The pause after a failure, because to read the whole ledger every few seconds would be too much work. */
const pauseMs = 60_000

/** Writes one digest a day into one place, however many processes share the place. */
export function createDailyDigest({ show, noteOverdue, ...options }: DailyOptions): DailyDigest {
  let doneDay = ''
  let missingSinceMs: number | null = null
  let nextTryMs = 0
  return {
    async write(ask) {
      // Our clock only says when to ask the database, whose day counts (docs/promises.md R14).
      const now = Date.now()
      if (new Date(now).toISOString().slice(0, 10) === doneDay) return
      missingSinceMs ??= now
      noteOverdue((now - missingSinceMs) / 1000)
      if (now < nextTryMs) return
      nextTryMs = now + pauseMs
      const start = await startDigest(ask)
      if (start.day !== doneDay) {
        const signed = await storeDigest(start, { ...options, ask })
        if (signed) show(signed)
        doneDay = start.day
      }
      missingSinceMs = null
      noteOverdue(0)
    },
  }
}
