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

/** The problem of this file, as a line; none without a file. */
export function unusableCallerKeys(file: string | undefined): string[] {
  if (file === undefined) return []
  try {
    readCallerSecrets(file)
    return []
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error ? `cannot be read: ${String(error.code)}` : error.message
    return [`CALLER_KEYS_FILE ${reason}`]
  }
}
