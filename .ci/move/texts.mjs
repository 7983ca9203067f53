import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The rows of rest-facade/README.md about folders that are elsewhere now become the table of gateway/README.md. */
export function splitFolderTable(root) {
  const file = `${root}/rest-facade/README.md`
  const lines = readFileSync(file, 'utf8').split('\n')
  const isRow = (line) => /^\| (?:\[`|`)/.test(line)
  const kept = []
  const rows = []
  for (const line of lines) {
    if (isRow(line) && /^\| \[?`gateway\//.test(line)) rows.push(line)
    else if (isRow(line) && /^\| \[?`(?:schema|site)\//.test(line)) continue
    else kept.push(line)
  }
  writeFileSync(file, kept.join('\n'))
  if (rows.length === 0 || existsSync(`${root}/gateway/README.md`)) return
  const own = rows
    .map((row) => row.replaceAll('`gateway/', '`').replaceAll('](../gateway/', ']('))
    .map((row) => row.replace(/^\| `processes\/distributed\/`, `trial\/embedded-postgres\/` \|.*$/, '| `processes/distributed/`, `trial/embedded-postgres/` | run all roles, and a PostgreSQL, on one machine |'))
  const more = [
    '| `processes/` | one process (`all-in-one.ts`), workers on a machine (`workers/`), roles on machines (`roles.ts`) |',
    '| `books/` | compares the ledger with the usage log, and verifies the audit trail |',
    '| `trial/` | what a gateway needs that is only tried: an embedded PostgreSQL, the simulator, the demo account, the mailbox in memory |',
  ]
  writeFileSync(
    `${root}/gateway/README.md`,
    `# gateway

This folder is the program around the facade. It reads the settings, opens the databases and the ports, starts the processes, and hands the facade what it uses. Only tools and tests import it.

| folder | what it is for |
| --- | --- |
${[...own, ...more].sort().join('\n')}
`,
  )
}
