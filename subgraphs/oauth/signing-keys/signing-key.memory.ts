import type { Database } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { KeyRing } from './signing-key.store.ts'

interface Memory<Result> {
  readonly startedAtMs: number
  readonly result: Promise<Result>
  isRunning: boolean
}

/** `earlier` is the result of the last look-up. */
type LookUp<Result> = (
  context: OAuthContext,
  ring: KeyRing,
  earlier: Result | undefined,
) => Promise<Result>

/**
 * Caches a look-up whose result is the same for every caller of a ring: one look-up at a time for
 * each database, whose result counts for `maxAgeMs` from its start. A failure is not cached.
 */
export function remembering<Result>(
  maxAgeMs: number,
  lookUp: LookUp<Result>,
): (context: OAuthContext, ring: KeyRing) => Promise<Result> {
  const memories = new WeakMap<Database, Map<string, Memory<Result>>>()

  function memoriesOf(database: Database): Map<string, Memory<Result>> {
    const known = memories.get(database) ?? new Map<string, Memory<Result>>()
    memories.set(database, known)
    return known
  }

  return (context, ring) => {
    const name = `${ring.use} ${ring.environment}`
    const database = context.database.as(allTenants)
    const known = memoriesOf(database)
    const last = known.get(name)
    const isFresh = last && performance.now() - last.startedAtMs < maxAgeMs
    if (last && (last.isRunning || isFresh)) return last.result
    const startedAtMs = performance.now()
    const work = async () => lookUp({ ...context, database }, ring, await last?.result)
    const memory: Memory<Result> = { startedAtMs, result: work(), isRunning: true }
    known.set(name, memory)
    memory.result.then(
      () => {
        memory.isRunning = false
      },
      () => known.delete(name),
    )
    return memory.result
  }
}
