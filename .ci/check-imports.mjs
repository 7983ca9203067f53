// Compares every import with the rules of .ci/dependency-cruiser.mjs, then compares folders:
//   node .ci/check-imports.mjs [--folders] folder…
// No folders import each other in a circle, and no folder holds more than 16 source files.
// `--folders` prints the number of source files in each folder.
// dependency-cruiser's own folder rules add the imports of a folder to all folders above it. They report circles
// that do not exist, and they do not see a folder and its parent that import each other.
import { posix as path } from 'node:path'
import { parseArgs } from 'node:util'
import { cruise, format } from 'dependency-cruiser'
import config from './dependency-cruiser.mjs'

const mostFiles = 16
/** A migration is never edited or regrouped, so these folders only grow. */
const growing = /\/migrations$/

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
console.log(String(report.output).trim())

const sources = result.modules
  .filter(({ source }) => !source.includes('node_modules/') && /\.tsx?$/.test(source))
  .filter(({ coreModule, couldNotResolve }) => !coreModule && !couldNotResolve)
const filesOf = Map.groupBy(sources, ({ source }) => path.dirname(source))
const importsOf = folderImports()

const complaints = [...crowded(), ...circles()]
for (const complaint of complaints) console.error(complaint)
if (values.folders) {
  for (const [folder, files] of [...filesOf].sort()) console.log(files.length, folder)
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

function crowded() {
  return [...filesOf]
    .filter(([folder, files]) => files.length > mostFiles && !growing.test(folder))
    .map(([folder, files]) => `error: ${folder} has ${files.length} source files; split it by noun`)
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
