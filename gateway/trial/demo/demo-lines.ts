import type { SeededDemo } from './demo.ts'

/** The lines of a banner about the demo account: its keys, and a call to try. */
export function demoLines(baseUrl: string, seeded: SeededDemo): string[] {
  const { demo, file, isNew, balance, consoleUrl } = seeded
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
    ...(consoleUrl === null
      ? []
      : [
          `  Console          ${consoleUrl}`,
          '                   signs in once, within 15 minutes; another link:',
          `                   npx gateway portal link --account ${demo.account_id} --role OWNER`,
        ]),
    '',
    '  Try it:',
    '',
    `  curl -si ${baseUrl}/v1/contacts/reveal \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"contact_id":"con_5f1e0c7a9b3d2e48"}'`,
  ]
}
