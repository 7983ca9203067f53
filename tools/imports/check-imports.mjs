// Compares every import with the rules of dependency-cruiser.mjs, then compares folders:
//   node tools/imports/check-imports.mjs [--folders] folder…
// No folders import each other in a circle. A folder is one noun: the README above a folder of one file names it.
// `--folders` prints the number of source files in each folder.
// dependency-cruiser's own folder rules add the imports of a folder to all folders above it. They report circles
// that do not exist, and they do not see a folder and its parent that import each other.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix as path } from 'node:path'
import { parseArgs } from 'node:util'
import { cruise, format } from 'dependency-cruiser'
import config from './dependency-cruiser.mjs'

/** Tests of one noun may be one file. */
const tests = /^(test|proof)\//

const { values, positionals } = parseArgs({
  options: { folders: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const { forbidden, options } = config
const { output: result } = await cruise(positionals, {
  ...options,
  validate: true,
  ruleSet: { forbidden },
})
const report = await format(result, { outputType: 'err' })
if (typeof report.output === 'string') console.log(report.output.trim())

const sources = result.modules
  .filter(({ source }) => !source.includes('node_modules/') && /\.tsx?$/.test(source))
  .filter(({ coreModule, couldNotResolve }) => !coreModule && !couldNotResolve)
const filesOf = Map.groupBy(sources, ({ source }) => path.dirname(source))
const importsOf = folderImports()

const complaints = [...unnamed(), ...circles()]
for (const complaint of complaints) console.error(complaint)
if (values.folders) {
  for (const [folder, files] of [...filesOf].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(files.length, folder)
}
if (report.exitCode !== 0 || complaints.length > 0) process.exitCode = 1

/** Folder → imported folder → the imports, as `file → file`. */
function folderImports() {
  const known = new Set(sources.map(({ source }) => source))
  const imports = new Map([...filesOf.keys()].map((folder) => [folder, new Map()]))
  for (const { source, dependencies } of sources) {
    const from = path.dirname(source)
    for (const { resolved } of dependencies) {
      const to = path.dirname(resolved)
      if (!known.has(resolved) || to === from) continue
      const found = imports.get(from)
      found.set(to, [...(found.get(to) ?? []), `${source} → ${resolved}`])
    }
  }
  return imports
}

function unnamed() {
  return [...filesOf.keys()]
    .filter((folder) => !tests.test(folder) && folder.includes('/') && isAlone(folder))
    .filter((folder) => !readmeAbove(folder).includes(`${path.basename(folder)}/`))
    .map(
      (folder) => `error: ${folder} has one file, and the README above it does not name the folder`,
    )
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

function circles() {
  return stronglyConnected()
    .filter((folders) => folders.length > 1)
    .map((folders) => {
      const arrows = folders.flatMap((from) =>
        [...importsOf.get(from)]
          .filter(([to]) => folders.includes(to))
          .flatMap(([, files]) => files.map((file) => `  ${file}`)),
      )
      return `error: these folders import each other: ${folders.join(', ')}\n${arrows.join('\n')}`
    })
}

/** Tarjan's algorithm. */
function stronglyConnected() {
  const found = []
  const index = new Map()
  const lowest = new Map()
  const path = []
  for (const folder of importsOf.keys()) if (!index.has(folder)) visit(folder)
  return found

  function visit(folder) {
    index.set(folder, index.size)
    lowest.set(folder, index.get(folder))
    path.push(folder)
    for (const next of importsOf.get(folder).keys()) {
      if (!index.has(next)) visit(next)
      if (path.includes(next)) lowest.set(folder, Math.min(lowest.get(folder), lowest.get(next)))
    }
    if (lowest.get(folder) === index.get(folder)) found.push(path.splice(path.indexOf(folder)))
  }
}
