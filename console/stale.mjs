// Tells whether the console has to be built. Every start of the gateway asks, so this file loads no part of the
// builder.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The file in `console/dist` with the fingerprint of the sources that were built last. */
export const stampName = '.built'
const stamp = join(root, 'console/dist', stampName)
const sources = [
  ...['console/src', 'console/public', 'console/operator', 'console/graphiql'],
  ...['console/index.html', 'console/vite.config.ts', 'console/package.json'],
  ...['console/build.mjs', 'console/stale.mjs', 'console/browsers.ts', 'sdk/src'],
  ...['rest-facade/pages/html/palette.ts', 'schema/vocabulary/billing/countries.ts'],
  ...['schema/catalog/scenario.ts'],
]

/** Path, size and time of change of everything that the build depends on. */
export function fingerprint() {
  const hash = createHash('sha256')
  for (const name of sources.flatMap(withAllBelow).sort()) {
    const entry = statSync(join(root, name))
    if (entry.isFile()) hash.update(`${name} ${entry.size} ${entry.mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function withAllBelow(name) {
  if (!statSync(join(root, name)).isDirectory()) return [name]
  const below = readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
  return below.map((path) => join(name, path))
}

/**
 * Whether the source exists and differs from the source of the last build. An installation may have
 * no source.
 */
export function isConsoleStale() {
  if (!sources.every((name) => existsSync(join(root, name)))) return false
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()
}
