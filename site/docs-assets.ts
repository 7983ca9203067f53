import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, staticBody } from '../rest-facade/http/static-answer.ts'
import { contentTypes, type SiteFile } from '../rest-facade/pages/docs/site-file.ts'
import { palette } from '../rest-facade/pages/html/palette.ts'
import { projectRoot } from '../schema/process/project-root.ts'
import { filePolicy } from './content-policy.ts'
import { findScalar } from './scalar.ts'

/** An asset. Its links have a hash of its content, so a cached copy is never outdated. */
export function asset(contentType: string, make: () => string | Buffer): SiteFile {
  let version: string | null = null
  return {
    ...{ route: '/docs/assets/{name}', contentType, policy: filePolicy },
    body: staticBody(make),
    version: () => {
      version ??= hashOf(make())
      return version
    },
  }
}

/**
 * The files that pages load, by name below `/docs/assets`. `scalar.js` exists only if it is
 * installed.
 */
export function staticAssets(): ReadonlyMap<string, SiteFile> {
  const assets = new Map([
    ['docs.css', asset(contentTypes.css, () => `${palette}\n${read('docs.css')}`)],
    ['docs.js', asset(contentTypes.script, () => read('docs.js'))],
    ['icon.svg', asset(contentTypes.svg, () => read('icon.svg'))],
  ])
  const scalar = findScalar()
  if (scalar === null) return assets
  return assets
    .set(
      'scalar.js',
      asset(contentTypes.script, () => readFileSync(scalar)),
    )
    .set(
      'reference.js',
      asset(contentTypes.script, () => read('reference.js')),
    )
}

function read(name: string): string {
  return readFileSync(join(projectRoot, 'site/assets', name), 'utf8')
}
