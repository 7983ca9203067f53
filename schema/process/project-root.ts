import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json. Data files are read from there, in compiled and uncompiled runs. */
export const projectRoot = findUp(import.meta.dirname)

function findUp(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error(`No package.json above ${import.meta.dirname}.`)
  return findUp(parent)
}
