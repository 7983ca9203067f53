import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { version } from '../../../schema/process/version.ts'

/** Files that cannot read package.json, and what stands before the version in them. */
test.each([
  ['package-lock.json', /^ {2}"version": "([^"]+)"/m],
  ['sdk/package.json', /^ {2}"version": "([^"]+)"/m],
  ['docker-compose.yml', /image: credit-gateway:\$\{GATEWAY_VERSION:-([^}]+)\}/],
  ['deploy/overlays/production/kustomization.yaml', /newTag: (\S+)/],
  ['deploy/overlays/staging/kustomization.yaml', /newTag: (\S+)/],
  ['CHANGELOG.md', /^## (\S+)/m],
])('%s names the version of package.json', (file, place) => {
  const [, named] = place.exec(readFileSync(join(projectRoot, file), 'utf8')) ?? []

  expect(named).toBe(version)
})
