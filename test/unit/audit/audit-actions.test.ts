import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { auditActions } from '../../../schema/vocabulary/audit-actions.ts'

/** The actions that a source names by `action: '…'`. */
function actionsIn(folder: string): string[] {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(projectRoot, folder, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\baction: '([a-z_]+(?:\.[a-z_]+)+)'/g)])
    .map(([, action = '']) => action)
}

test('every action that the audit trail gets has words for people', () => {
  const actions = new Set(['subgraphs', 'gateway', 'rest-facade'].flatMap(actionsIn))

  expect(actions.size).toBeGreaterThan(40)
  expect([...actions].filter((action) => !Object.hasOwn(auditActions, action))).toEqual([])
})
