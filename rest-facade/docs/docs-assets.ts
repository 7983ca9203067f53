import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schema/process/project-root.ts'
import { palette } from '../html/palette.ts'
import { hashOf, staticBody } from '../http/static-answer.ts'
import { filePolicy } from './content-policy.ts'
import { findScalar } from './scalar.ts'
import { contentTypes, type SiteFile } from './site-file.ts'

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
  return readFileSync(join(projectRoot, 'rest-facade/docs/assets', name), 'utf8')
}
