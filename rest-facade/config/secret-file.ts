import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file that only we can read, whole or not at all. */
export function writeSecretFile(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.tmp`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, file)
}
