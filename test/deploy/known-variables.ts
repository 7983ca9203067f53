import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schema/project-root.ts'

/** Where other processes are; only a role by itself reads them. */
const ofRoles = [
  ...['ACCOUNT_SUBGRAPH_URL', 'KEYS_SUBGRAPH_URL', 'OAUTH_SUBGRAPH_URL', 'USAGE_SUBGRAPH_URL'],
  ...['ACCOUNT_DATABASE_URL', 'KEYS_DATABASE_URL', 'OAUTH_DATABASE_URL', 'USAGE_DATABASE_URL'],
  ...['CALLER_KEYS_FILE', 'FACADE_URL', 'SANDBOX_FACADE_URL'],
]

/** What may come from a file, as `<NAME>_FILE`. */
const secret = /SECRET$|SECRET_KEY$|DATABASE_URL$|^REDIS_URL$/

/** The names that the gateway reads: those of `.env.example`, and `<NAME>_FILE` of its secrets. */
export function knownVariables(): ReadonlySet<string> {
  const text = readFileSync(join(projectRoot, '.env.example'), 'utf8')
  const named = [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
  const names = [...named, ...ofRoles]
  const files = names.filter((name) => secret.test(name))
  return new Set([...names, ...files.map((name) => `${name}_FILE`)])
}
