import type { SeededDemo } from '../../trial/demo/demo.ts'
import { demoLines } from '../../trial/demo/demo-lines.ts'
import type { ProcessSet } from './processes.ts'

interface DistributedOptions {
  readonly set: ProcessSet
  readonly seeded: SeededDemo | null
  /** The URL of Redis; null if there is none. */
  readonly redis: string | null
}

/**
 * The text that a person sees after the start: all addresses, and a command that works as it is.
 */
export function distributedBanner({ set, seeded, redis }: DistributedOptions): string {
  const lines = ['']
  for (const { role, pid, urls } of set.processes) {
    const where = Object.entries(urls).map(([listener, url]) => `${listener} ${url}`)
    lines.push(`  ${role.padEnd(12)}${String(pid).padEnd(9)}${where.join('  ')}`)
  }
  lines.push(
    redis === null
      ? '  No Redis: each facade counts alone, and sees changes after KEY_CACHE_SECONDS.'
      : `  ${'redis'.padEnd(21)}${redis}`,
    '',
  )
  const [facade] = set.of('facade')
  if (seeded && facade) lines.push(...demoLines(facade.urls.live ?? '', seeded), '')
  return `${lines.join('\n')}\n`
}
