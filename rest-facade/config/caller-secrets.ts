import { readFileSync } from 'node:fs'

const minLength = 32

/**
 * Reads one secret per line; the first one seals. Throws if the file is unreadable or malformed.
 */
export function readCallerSecrets(file: string): readonly string[] {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (secrets.length > 0 && secrets.every(({ length }) => length >= minLength)) return secrets
  throw new Error(`must hold one secret a line, each of at least ${minLength} characters`)
}
