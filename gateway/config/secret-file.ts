import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file atomically that only this user can read. */
export function writeSecretFile(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.tmp`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, file)
}
