/**
 * What move.mjs cannot find by itself. `file` is the NEW path; `in` a pattern of new paths; `from` a text or a RegExp.
 * A patch that changes nothing is reported, unless it is optional.
 */
const top = 'gateway rest-facade schema site subgraphs tools'

export const patches = [
  // ── lists of folders ──
  { file: 'tsconfig.json', from: '"subgraphs", "rest-facade", "schema"', to: '"gateway", "rest-facade", "schema", "site", "subgraphs", "tools"' },
  { file: 'tsconfig.emit.json', from: '"subgraphs", "rest-facade", "schema"', to: '"gateway", "rest-facade", "schema", "site", "subgraphs", "tools"' },
  { file: 'package.json', from: 'subgraphs rest-facade schema', to: top },
  { file: 'package.json', from: '{subgraphs,rest-facade,schema,', to: '{gateway,rest-facade,schema,site,subgraphs,tools,' },
  { file: 'package.json', from: './rest-facade/commands/', to: './gateway/commands/' },
  { file: 'biome.json', from: '"rest-facade/**",', to: '"gateway/**",\n      "rest-facade/**",\n      "site/**",\n      "tools/**",' },
  { file: 'biome.json', from: /\n\s*"\.ci\/\*\*",/, to: '' },
  { file: 'biome.json', from: '"!schema/*.graphql"', to: '"!schema/generated/*.graphql"' },
  { file: 'biome.json', from: /\n\s*"!?\.ci\/move[^"]*",/, to: '', optional: true },
  { file: '.dockerignore', from: '!rest-facade\n', to: '!rest-facade\n!gateway\n!site\n' },
  { file: 'Dockerfile', from: 'COPY rest-facade rest-facade\n', to: 'COPY rest-facade rest-facade\nCOPY site site\nCOPY gateway gateway\n' },
  { file: 'Dockerfile', from: 'schema subgraphs rest-facade -', to: 'schema subgraphs rest-facade site gateway -' },
  {
    file: 'Dockerfile',
    from: 'COPY --from=build /gateway/rest-facade rest-facade\n',
    to: 'COPY --from=build /gateway/rest-facade rest-facade\nCOPY --from=build /gateway/site site\nCOPY --from=build /gateway/gateway gateway\n',
  },
  {
    file: 'gateway/commands/gateway.mjs',
    from: "['rest-facade', 'schema', 'subgraphs'].flatMap",
    to: "['gateway', 'rest-facade', 'schema', 'site', 'subgraphs', 'tools'].flatMap",
  },
  {
    file: 'test/support/processes/program.ts',
    from: "['rest-facade', 'schema', 'subgraphs'].every",
    to: "['gateway', 'rest-facade', 'schema', 'site', 'subgraphs', 'tools'].every",
  },
  { file: 'test/system/contract/schema-check.test.ts', from: "'rest-facade',", to: "'rest-facade',\n      'site',\n      'gateway'," },

  // ── paths in pieces ──
  { in: /\.(ts|mjs)$/, from: "'rest-facade', 'commands'", to: "'gateway', 'commands'" },
  { in: /\.(ts|mjs)$/, from: /join\(projectRoot, 'schema', /g, to: "join(projectRoot, 'schema/generated', " },
  { in: /\.(ts|mjs)$/, from: /`schema\/(\$\{[^}]+\}\.graphql)`/g, to: '`schema/generated/$1`' },
  { in: /\.(ts|mjs)$/, from: 'rest-facade\\/docs\\/guides\\/', to: 'site\\/guides\\/' },
  { in: /docker-compose\.test\.ts$/, from: '/rest-facade\\/\\S+\\.mjs/', to: '/gateway\\/commands\\/\\S+\\.mjs/' },
  { in: /supply-chain\.test\.ts$/, from: 'node \\.ci\\/check-lockfile', to: 'node tools\\/check-lockfile' },
  { file: 'tools/check/graphql/graph.ts', from: '/^schema\\/([^/]+)\\.graphql$/', to: '/^schema\\/generated\\/([^/]+)\\.graphql$/' },
  { in: /schema-check\.test\.ts$/, from: '/^schema\\/account.graphql:', to: '/^schema\\/generated\\/account.graphql:' },
  {
    in: /schema-check\.test\.ts$/,
    from: "['schema/a.graphql', 'schema/b.graphql'].map",
    to: "['schema/generated/a.graphql', 'schema/generated/b.graphql'].map",
  },
  { in: /schema-check\.test\.ts$/, from: "null], ['schema/a.graphql']])", to: "null], ['schema/generated/a.graphql']])" },
  { in: /schema-check\.test\.ts$/, from: "'whole/schema/a.graphql'", to: "'whole/schema/generated/a.graphql'" },
  { in: /schema-check\.test\.ts$/, from: "'whole/schema'), {", to: "'whole/schema/generated'), {" },
  { in: /schema-check\.test\.ts$/, from: /schema\/billing\.graphql/g, to: 'schema/generated/billing.graphql' },
  // The leftover test lists a file directly in schema/.
  {
    file: 'test/system/start/compile.test.ts',
    from: "for (const path of [commands, join(folder, 'schema'), join(folder, 'subgraphs')]) {\n    mkdirSync(path, { recursive: true })",
    to: "for (const name of ['gateway/commands', 'rest-facade', 'schema', 'site', 'subgraphs', 'tools']) {\n    mkdirSync(join(folder, name), { recursive: true })",
  },

  { in: /operation-areas\.test\.ts$/, from: "'schema/generated', file", to: "'schema', file" },
  { in: /operation-areas\.test\.ts$/, from: 'read(`${name}.graphql`)', to: 'read(`generated/${name}.graphql`)' },

  // ── the check of the contract ──
  {
    file: 'tools/check/graphql/callers.ts',
    from: /\/\*\* The files of rest-facade that name an operation, but for the route table\. \*\/[\s\S]*?\n\}\n/,
    to: `/** The files of the facade and of the program that name an operation, but for the route table. */
function namedInSource(
  root: string,
  operations: ReadonlySet<string>,
): (readonly [string, readonly string[]])[] {
  const files = ['rest-facade', 'gateway'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => \`\${folder}/\${name.replaceAll('\\\\', '/')}\`)
      .filter((file) => !/^rest-facade\\/routes\\/(?!kinds\\/)/.test(file))
      .sort(),
  )
  return files.map((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const literals = [...source.matchAll(/'([A-Z][A-Za-z]+)'/g)].map(([, literal = '']) => literal)
    const named = new Set(literals.filter((literal) => operations.has(literal)))
    return [file, [...named]]
  })
}
`,
  },
  { file: 'tools/check/graphql/callers.ts', from: 'source files of the facade below `root`', to: 'source files below `root`', optional: true },
  {
    file: 'tools/check/trees/base.ts',
    from: /  function list\(folder: string\)[\s\S]*?read: \(file\) => [^\n]*\n/,
    to: `  function filesIn(folder: string): readonly string[] {
    const names = run('ls-tree', '-r', '-z', '--name-only', hash, '--', folder)
    return names.split('\\0').filter((name) => name !== '')
  }

  // Older revisions have the generated files directly in schema/.
  const isOlder = filesIn(generatedFolder).length === 0
  const nowOf = (file: string) =>
    isOlder ? file.replace(/^schema\\/(?=[^/]+\\.(graphql|json)$)/, generatedFolder) : file
  const thenOf = (file: string) => (isOlder ? file.replace(generatedFolder, 'schema/') : file)
  const list = (folder: string) => filesIn(folder).map(nowOf)

  return {
    revision,
    commit: hash,
    list,
    read: (file) =>
      filesIn(thenOf(file)).includes(thenOf(file)) ? run('show', \`\${hash}:./\${thenOf(file)}\`) : null,
`,
  },
  {
    file: 'tools/check/trees/base.ts',
    from: "import type { Tree } from './tree.ts'\n",
    to: "import type { Tree } from './tree.ts'\n\nconst generatedFolder = 'schema/generated/'\n",
  },

  // ── import rules ──
  {
    file: 'tools/imports/dependency-cruiser.mjs',
    from: /\/\*\* Folders that combine both sides[\s\S]*?const settings = [^\n]*\n/,
    to: `/** Each may import itself and the folders below it: nothing imports upwards. */
const layers = {
  schema: [],
  subgraphs: ['schema'],
  'rest-facade': ['schema'],
  site: ['schema', 'rest-facade'],
  gateway: ['schema', 'subgraphs', 'rest-facade', 'site'],
  tools: ['schema', 'subgraphs', 'rest-facade', 'site', 'gateway'],
}
const ours = [...Object.keys(layers), 'console', 'sdk', 'test', 'proof'].join('|')

/** The folders of the program that open both sides of the graph and start the processes. */
const compositionRoot =
  '^gateway/(commands|launch|processes(?!/(group|redis)/)|trial/(demo|embedded-postgres))/'
/** They read and check the settings of both sides. */
const settings = '^gateway/config/'
`,
  },
  { file: 'tools/imports/dependency-cruiser.mjs', from: "const docsSite = '^site/docs-site", to: "const docsSite = '^site/docs-site", optional: true },
  {
    file: 'tools/imports/dependency-cruiser.mjs',
    from: /    \{\n      name: 'facade-knows-the-graph-only-through-schema',[\s\S]*?\n    \},\n/,
    to: `    ...Object.entries(layers).map(([layer, below]) => ({
      name: \`\${layer}-imports-nothing-above-it\`,
      severity: 'error',
      from: { path: \`^\${layer}/\` },
      to: { path: \`^(\${ours})/\`, pathNot: \`^(\${[layer, ...below].join('|')})/\` },
    })),
    {
      name: 'facade-knows-the-graph-only-through-schema',
      severity: 'error',
      from: { path: '^(rest-facade|site)/' },
      to: { path: 'node_modules/(@mikro-orm|type-graphql|pg)/' },
    },
    {
      name: 'the-composition-root-opens-the-subgraphs',
      severity: 'error',
      from: { path: '^gateway/', pathNot: [compositionRoot, settings] },
      to: { path: '^subgraphs/|node_modules/(@mikro-orm|type-graphql|pg)/' },
    },
    {
      name: 'the-facade-is-handed-what-it-uses',
      severity: 'error',
      // It listens on nothing, starts no process and opens no client of a service.
      from: { path: '^rest-facade/' },
      to: { path: '^(node:)?(child_process|cluster)$|node_modules/(ioredis|nodemailer|stripe)/' },
    },
`,
  },
  {
    file: 'tools/imports/dependency-cruiser.mjs',
    from: /      to: \{ path: '\^rest-facade\|node_modules\/express\/' \},/,
    to: "      to: { path: 'node_modules/express/' },",
  },
  {
    file: 'tools/imports/dependency-cruiser.mjs',
    from: /    \{\n      name: 'schema-is-the-contract',[\s\S]*?name: 'schema-tools-serve-nobody',[\s\S]*?\n    \},\n/,
    to: '',
  },
  { file: 'tools/imports/dependency-cruiser.mjs', from: "pathNot: ['^tools/', '^test", to: "pathNot: ['^tools/', '^test", optional: true },
  {
    file: 'tools/imports/dependency-cruiser.mjs',
    from: "'^(subgraphs|rest-facade|schema|test",
    to: "'^(gateway|site|tools|subgraphs|rest-facade|schema|test",
  },
  {
    file: 'tools/imports/check-imports.mjs',
    from: /\/\/ Compares every import[\s\S]*?import \{ posix as path \}/,
    to: `// Compares every import with the rules of dependency-cruiser.mjs, then compares folders:
//   node tools/imports/check-imports.mjs [--folders] folder…
// No folders import each other in a circle. A folder is one noun: the README above a folder of one file names it.
// \`--folders\` prints the number of source files in each folder.
// dependency-cruiser's own folder rules add the imports of a folder to all folders above it. They report circles
// that do not exist, and they do not see a folder and its parent that import each other.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix as path }`,
  },
  {
    file: 'tools/imports/check-imports.mjs',
    from: /const mostFiles = 16\n[\s\S]*?const growing = [^\n]*\n/,
    to: `/** Tests of one noun may be one file. */
const tests = /^(test|proof)\\//
`,
  },
  { file: 'tools/imports/check-imports.mjs', from: '[...crowded(), ...circles()]', to: '[...unnamed(), ...circles()]' },
  {
    file: 'tools/imports/check-imports.mjs',
    from: /function crowded\(\) \{[\s\S]*?\n\}\n/,
    to: `function unnamed() {
  return [...filesOf.keys()]
    .filter((folder) => !tests.test(folder) && folder.includes('/') && isAlone(folder))
    .filter((folder) => !readmeAbove(folder).includes(\`\${path.basename(folder)}/\`))
    .map((folder) => \`error: \${folder} has one file, and the README above it does not name the folder\`)
}

function isAlone(folder) {
  return readdirSync(folder).filter((name) => name !== 'README.md').length === 1
}

function readmeAbove(folder) {
  const parent = path.dirname(folder)
  const readme = path.join(parent, 'README.md')
  if (existsSync(readme)) return readFileSync(readme, 'utf8')
  return parent === '.' ? '' : readmeAbove(parent)
}
`,
  },

  {
    file: 'tools/imports/check-imports.mjs',
    from: 'console.log(String(report.output).trim())',
    to: "if (typeof report.output === 'string') console.log(report.output.trim())",
  },
  { file: 'tools/imports/check-imports.mjs', from: '[...filesOf].sort()', to: '[...filesOf].sort(([a], [b]) => (a < b ? -1 : 1))' },

  // ── texts ──
  { file: 'rest-facade/README.md', run: 'splitFolderTable' },
  {
    file: 'rest-facade/README.md',
    from: 'This folder is the HTTP side of the gateway. `app.ts` is the entry:',
    to: 'This folder answers requests, and does nothing else: it maps each route onto persisted operations. It listens on nothing and reads no environment; what it uses is handed in by [`gateway/`](../gateway/README.md). `app.ts` is the entry:',
  },
  { file: 'rest-facade/README.md', from: 'route-kinds     decide', to: 'routes/kinds    decide' },
  { file: 'rest-facade/README.md', from: 'writes the usage log and compares it with the ledger', to: 'writes the usage log' },
  { file: 'rest-facade/README.md', from: 'behind the links of mails, and the mailbox in memory', to: 'behind the links of mails' },
  { file: 'rest-facade/README.md', from: 'have general tools: escaped HTML, batches, repeated tasks', to: 'have general tools: escaped HTML, batches' },
  {
    file: 'sdk/src/README.md',
    content: `# src

\`generated/\` is made from the contract. \`operations/\` has the form of its rows; it is apart, because generated files and the client both import it.
`,
  },
  {
    file: 'tools/README.md',
    content: `# tools

Programs for those who change the gateway. They may import everything but tests, and nothing imports them.

| file or folder | what it is |
|---|---|
| \`compose.ts\` | \`npm run schema\`: writes the generated files of \`schema/\` and \`sdk/\` |
| \`check.ts\`, \`check/\` | \`npm run schema:check\` ([what it finds](../schema/README.md#the-check)) |
| \`generate/\`, \`openapi/\` | the generators |
| \`fragments/\` | puts the fields of fragments in the place of their names, for the generators and the check |
| \`imports/\` | who may import whom; \`npm run check\` compares every import with it |
| \`check-lockfile.mjs\` | compares the lockfile with what every platform needs |
| \`oxlint.json\` | the settings of the linter |
`,
  },
  {
    file: 'schema/README.md',
    from: /\| `tools\/` \| programs:[^\n]*\n\n[^\n]*\n/,
    to: `| \`catalog/\` | the product services with their operations and prices, as data files, and what reads them |
| \`generated/\` | what \`npm run schema\` writes: [below](#generated-files) |

This folder imports nothing of the others. [\`tools/\`](../tools/README.md) has the programs that generate and check it.

## Generated files

`,
  },
  { file: 'schema/README.md', from: /\| `vocabulary\/billing\/` \| ([^\n]*)\n(\| `vocabulary\/`[^\n]*\n)/, to: '$2| `vocabulary/billing/` | $1\n' },
  {
    file: 'schema/README.md',
    from: /commit them\. They stay directly in `schema\/`, because `schema:check` reads the same paths from older revisions, and because users of the API link to them\./,
    to: 'commit them. Only `acknowledged-breaks.yaml` is directly in `schema/`. `schema:check` reads older revisions too, which had all of them there.',
  },
  { file: 'schema/README.md', from: 'is a file of `rest-facade/` that names the operation', to: 'is a file of `rest-facade/` or `gateway/` that names the operation' },
  { file: 'README.md', from: /\| `\.ci\/` \|[^\n]*\n/, to: '| [`tools/`](tools/README.md) | the generators, the check of the contract, the import rules, the check of the lockfile |\n| `.ci/` | the gate (`run`) |\n' },
  {
    file: 'README.md',
    from: /\| \[`rest-facade\/`\]\(rest-facade\/README\.md\) \|[^\n]*\n/,
    to: `| [\`gateway/\`](gateway/README.md) | the program: command line, settings, processes, ports, jobs, and what a trial needs. \`launch/\` connects all parts |
| [\`rest-facade/\`](rest-facade/README.md) | the HTTP side. \`app.ts\` shows the order of all steps, \`routes/\` the API as rows of data, \`charge/\` the charged call |
| [\`site/\`](site/README.md) | the documentation for users of the API |
`,
  },
  { file: 'README.md', from: 'persisted operations, printed schemas, error codes, generators and checks |', to: 'persisted operations, printed schemas, error codes, and [the product services with their prices](schema/catalog/README.md) |' },
  {
    file: 'docs/architecture.md',
    from: /\| `rest-facade\/` \| everything about HTTP:[^\n]*\n\| `schema\/` \|[^\n]*\n/,
    to: `| \`rest-facade/\` | the answer to a request: callers, limits, routes, charged calls, pages | \`schema/\` |
| \`site/\` | the documentation for users of the API | \`schema/\`, \`rest-facade/\` |
| \`gateway/\` | the program: commands, settings, processes, ports, jobs, the trial | \`schema/\`, \`rest-facade/\`, \`site/\`; only what starts processes, reads settings or is a command imports \`subgraphs/\` |
| \`schema/\` | the contract between both: ids, scopes, error codes, operations, the product catalog, generated documents | nothing |
| \`tools/\` | generators, checks, import rules | everything but tests |
`,
  },
  { file: 'docs/architecture.md', from: 'and the README of each folder', to: 'and the README of each folder', optional: true },
  {
    file: 'CONTRIBUTING.md',
    from: /A new file goes into the folder of its noun\.[^\n]*\n/,
    to: 'A new file goes into the folder of its noun, however many it has; the README above a folder of one file names it. No folder imports what is above it (`schema/`, then `subgraphs/` and `rest-facade/`, then `site/`, `gateway/`, `tools/`, then tests), and no folders import each other in a circle: `npm run check` fails otherwise.\n',
  },
]
