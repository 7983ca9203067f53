// Checks that package-lock.json has the hash of every package on every platform. npm installs an
// entry without `integrity` unverified, and `npm ci` refuses a lockfile without the optional
// packages of other platforms. Both happen when npm cannot reach a package: then choose a version of
// its dependent that exists for all platforms.
import { readFileSync } from 'node:fs'

const file = process.argv[2] ?? new URL('../package-lock.json', import.meta.url)
const { packages } = JSON.parse(readFileSync(file, 'utf8'))
const installed = Object.entries(packages).filter(([path, { link }]) => isInstalled(path) && !link)

const problems = [
  ...installed
    .filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => `${path} has no integrity`),
  // The registry is chosen by the installing user, not by the lockfile.
  ...installed
    .filter(([, { resolved }]) => resolved !== undefined)
    .map(([path]) => `${path} names a registry`),
  ...Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isThere(path, name))
      .map((name) => `${name}, which ${path || 'the project'} may need, is missing`),
  ),
]

for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`)
process.exitCode = problems.length > 0 ? 1 : 0

/** Excludes the project itself and its workspaces. */
function isInstalled(path) {
  return path.includes('node_modules/')
}

/** Whether the package is found from `path`, as Node would look for it. */
function isThere(path, name) {
  for (let folder = path; ; ) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true
    if (folder === '') return false
    const parent = folder.lastIndexOf('/node_modules/')
    folder = parent < 0 ? '' : folder.slice(0, parent)
  }
}
