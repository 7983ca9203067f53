import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from './patience.ts'

/**
 * Resolves once it is so. As `vi.waitUntil`, also for programs that run without Vitest. Throws when it takes
 * longer than patience allows.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patience.timeout
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for: ${String(isSo)}`)
    await sleep(patience.interval)
  }
}
