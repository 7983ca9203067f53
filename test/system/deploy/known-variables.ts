import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretNames } from '../../../gateway/config/secret-variables.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** The names that the gateway reads: those of `.env.example`, and `<NAME>_FILE` of its secrets. */
export function knownVariables(): ReadonlySet<string> {
  const text = readFileSync(join(projectRoot, '.env.example'), 'utf8')
  const names = [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
  return new Set([...names, ...secretNames.map((name) => `${name}_FILE`)])
}
