import type { Gateway } from './all-in-one.ts'
import type { SeededDemo } from './demo.ts'
import type { ProcessSet } from './processes.ts'

/** What a person sees once everything runs: where it is, and a command that works when pasted. */
export function banner(gateway: Gateway, seeded: SeededDemo | null): string {
  const { baseUrl, sandboxUrl, internalUrl } = gateway
  const lines = [
    '',
    `  Credit gateway   ${baseUrl}/v1`,
    `  Sandbox          ${sandboxUrl}/v1`,
    `  Internal GraphQL ${internalUrl}/graphql`,
    `  Documentation    ${baseUrl}/docs`,
    '',
  ]
  if (seeded) lines.push(...demoLines(baseUrl, seeded), '')
  return `${lines.join('\n')}\n`
}

interface DistributedOptions {
  readonly set: ProcessSet
  readonly seeded: SeededDemo | null
  /** Where it is; null: there is none. */
  readonly redis: string | null
}

/** The same of a gateway that is many processes. */
export function distributedBanner({ set, seeded, redis }: DistributedOptions): string {
  const lines = ['']
  for (const { role, pid, urls } of set.processes) {
    const where = Object.entries(urls).map(([listener, url]) => `${listener} ${url}`)
    lines.push(`  ${role.padEnd(12)}${String(pid).padEnd(9)}${where.join('  ')}`)
  }
  lines.push(
    redis === null
      ? '  No Redis: each facade counts for itself, and hears of changes after KEY_CACHE_SECONDS.'
      : `  ${'redis'.padEnd(21)}${redis}`,
    '',
  )
  const [facade] = set.of('facade')
  if (seeded && facade) lines.push(...demoLines(facade.urls.live ?? '', seeded), '')
  return `${lines.join('\n')}\n`
}

function demoLines(baseUrl: string, seeded: SeededDemo): string[] {
  const { demo, file, isNew, balance } = seeded
  const key = isNew
    ? demo.live_key
    : `$(node -p 'require(process.argv[1]).live_key' '${file.replaceAll("'", "'\\''")}')`
  return [
    ...(isNew
      ? [
          `  Demo account     ${demo.account_id}, ${balance} credits`,
          `  Live key         ${demo.live_key}`,
          `  Sandbox key      ${demo.sandbox_key}`,
          `                   shown this once; kept in ${file}`,
        ]
      : [`  Demo account     ${demo.account_id}, ${balance} credits; its keys are in ${file}`]),
    '',
    '  Try it:',
    '',
    `  curl -si ${baseUrl}/v1/contacts/reveal \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"contact_id":"con_5f1e0c7a9b3d2e48"}'`,
  ]
}
