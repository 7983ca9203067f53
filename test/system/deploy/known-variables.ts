import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** Variables that may come from a file, as `<NAME>_FILE`. */
const secret = /SECRET$|SECRET_KEY$|DATABASE_URL$|^REDIS_URL$|^SMTP_URL$/

/** The names that the gateway reads: those of `.env.example`, and `<NAME>_FILE` of its secrets. */
export function knownVariables(): ReadonlySet<string> {
  const text = readFileSync(join(projectRoot, '.env.example'), 'utf8')
  const names = [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
  const files = names.filter((name) => secret.test(name))
  return new Set([...names, ...files.map((name) => `${name}_FILE`)])
}
