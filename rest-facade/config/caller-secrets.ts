import { readFileSync } from 'node:fs'

const minLength = 32

/** One secret a line, the first of which seals. Throws when the file cannot be read, or is not that. */
export function readCallerSecrets(file: string): readonly string[] {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (secrets.length > 0 && secrets.every(({ length }) => length >= minLength)) return secrets
  throw new Error(`must hold one secret a line, each of at least ${minLength} characters`)
}
