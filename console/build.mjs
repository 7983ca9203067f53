// Builds the console into console/dist, if it is missing or older than its source: node
// console/build.mjs [--always] [--leniently] `--leniently`: if the build fails, this reports it and
// succeeds; the gateway works without the console.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

// It is set for every build, also in a test: otherwise the build would take the libraries for
// development.
process.env.NODE_ENV = 'production'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'console/dist')
/** Holds the fingerprint of the sources that were built last. */
const stamp = join(target, '.built')
const sources = [
  ...['console/src', 'console/public', 'console/index.html', 'console/vite.config.ts'],
  ...['console/package.json', 'console/build.mjs', 'sdk/src', 'rest-facade/html/palette.ts'],
  'schema/billing/countries.ts',
]

/** Size and time of change of everything that the build depends on. */
function fingerprint() {
  const hash = createHash('sha256')
  for (const name of sources.flatMap(filesOf).sort()) {
    const { size, mtimeMs } = statSync(join(root, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function filesOf(name) {
  if (!statSync(join(root, name)).isDirectory()) return [name]
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
}

/**
 * Whether the source exists and differs from the source of the last build. An installation may have
 * no source.
 */
export function isConsoleStale() {
  if (!sources.every((name) => existsSync(join(root, name)))) return false
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()
}

/** A running gateway serves the old files until the new ones are complete. */
export async function buildConsole() {
  const now = fingerprint()
  const { build } = await import('vite')
  const made = join(root, 'node_modules/.cache', `console-${process.pid}`)
  mkdirSync(dirname(made), { recursive: true })
  const output = { outDir: made, emptyOutDir: true }
  await build({ root: join(root, 'console'), logLevel: 'warn', build: output })
  for (const name of ['icon.svg', ...readdirSync(join(made, 'assets')).map(inAssets)]) {
    compress(join(made, name))
  }
  writeFileSync(join(made, '.built'), now)
  rmSync(target, { recursive: true, force: true })
  renameSync(made, target)
}

function inAssets(name) {
  return `assets/${name}`
}

function compress(file) {
  const body = readFileSync(file)
  const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }
  writeFileSync(`${file}.br`, brotliCompressSync(body, best))
  writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { always: { type: 'boolean' }, leniently: { type: 'boolean' } }
  const { always, leniently } = parseArgs({ options }).values
  try {
    if (always || isConsoleStale()) await buildConsole()
  } catch (error) {
    if (!leniently) throw error
    process.stderr.write(`The console cannot be built here: ${error.message}\n`)
  }
}
