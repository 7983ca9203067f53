// Builds the console into console/dist, if it is missing or older than its source: node
// console/build.mjs [--always] [--leniently] `--leniently`: if the build fails, this reports it and
// succeeds; the gateway works without the console.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { fingerprint, isConsoleStale, stampName } from './stale.mjs'

// NODE_ENV is set for every build, also in a test: otherwise the build would take the libraries for
// development.
process.env.NODE_ENV = 'production'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'console/dist')

/** A running gateway serves the old files until the new ones are complete. */
async function buildConsole() {
  const now = fingerprint()
  const { build } = await import('vite')
  const made = join(root, 'node_modules/.cache', `console-${process.pid}`)
  mkdirSync(dirname(made), { recursive: true })
  const output = { outDir: made, emptyOutDir: true }
  await build({ root: join(root, 'console'), logLevel: 'warn', build: output })
  // Pages of the internal listener, which share no file with the console. Warnings are about packages.
  for (const name of ['operator', 'graphiql']) {
    const below = { ...output, outDir: join(made, name) }
    await build({ root: join(root, 'console', name), logLevel: 'error', build: below })
  }
  for (const folder of [made, join(made, 'operator')]) compressAll(folder)
  writeFileSync(join(made, stampName), now)
  rmSync(target, { recursive: true, force: true })
  renameSync(made, target)
}

function compressAll(folder) {
  const assets = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)
  for (const name of ['icon.svg', ...assets]) compress(join(folder, name))
}

function compress(file) {
  const body = readFileSync(file)
  const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }
  writeFileSync(`${file}.br`, brotliCompressSync(body, best))
  writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }))
}

const options = { always: { type: 'boolean' }, leniently: { type: 'boolean' } }
const { always, leniently } = parseArgs({ options }).values
try {
  if (always || isConsoleStale()) await buildConsole()
} catch (error) {
  if (!leniently) throw error
  process.stderr.write(`The console cannot be built here: ${error.message}\n`)
}
