import type { Gateway } from './all-in-one.ts'
import type { SeededDemo } from './demo.ts'

/** What a person sees once everything runs: where it is, and a command that works when pasted. */
export function banner(gateway: Gateway, seeded: SeededDemo | null): string {
  const { baseUrl, sandboxUrl, internalUrl } = gateway
  const lines = [
    '',
    `  Credit gateway   ${baseUrl}/v1`,
    `  Sandbox          ${sandboxUrl}/v1`,
    `  Internal GraphQL ${internalUrl}/graphql`,
    '',
  ]
  if (seeded) lines.push(...demoLines(gateway, seeded), '')
  return `${lines.join('\n')}\n`
}

function demoLines({ baseUrl }: Gateway, seeded: SeededDemo): string[] {
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
