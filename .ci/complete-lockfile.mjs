// Run after `npm install`: adds the optional packages of other platforms that npm left out of
// package-lock.json because they could not be reached. Without them `npm ci` refuses the lockfile.
// Entries that npm wrote are left as they are.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lockfile = JSON.parse(readFileSync(file, 'utf8'))
const { packages } = lockfile

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'sunos', 'win32']
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
]

let added = 0
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const isThere = resolvable(path, name)
    const os = systems.find((system) => name.includes(system))
    const cpu = processors.find((processor) => name.includes(processor))
    if (isThere || !os || !cpu || !/^\d/.test(version)) continue
    packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(dev ? { dev } : {}),
      ...(name.includes('musl') ? { libc: ['musl'] } : {}),
      optional: true,
      os: [os],
    }
    added += 1
  }
}

lockfile.packages = Object.fromEntries(
  Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)),
)
writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
process.stdout.write(`${added} packages of other platforms added\n`)

/** Whether the package is found from `path`, as Node would look for it. */
function resolvable(path, name) {
  for (let folder = path; ; ) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[candidate]) return true
    if (folder === '') return false
    const parent = folder.lastIndexOf('/node_modules/')
    folder = parent < 0 ? '' : folder.slice(0, parent)
  }
}
