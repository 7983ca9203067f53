import { readFileSync } from 'node:fs'
import { subgraphNames } from './role-names.ts'
import type { Variables } from './variables/variables.ts'

/**
 * `<NAME>_FILE` can name a file with the value instead, because orchestrators provide such files.
 */
export const secretNames: readonly string[] = [
  'GATEWAY_SECRET',
  'METRICS_TOKEN',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  ...subgraphNames.flatMap((name) => [
    `${name.toUpperCase()}_DATABASE_URL`,
    `${name.toUpperCase()}_MIGRATE_DATABASE_URL`,
  ]),
  'REDIS_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'EXPORT_S3_URL',
  'DIGEST_S3_URL',
  'SMTP_URL',
  'OPERATOR_OIDC_CLIENT_SECRET',
]

export function withSecretFiles(given: Variables, problems: string[]): Variables {
  const found = { ...given }
  for (const name of secretNames) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    if (given[name] !== undefined) problems.push(`${name} cannot be used beside ${name}_FILE`)
    try {
      found[name] = readFileSync(file, 'utf8').trim()
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      problems.push(`${name}_FILE cannot be read: ${reason}`)
    }
  }
  return found
}
