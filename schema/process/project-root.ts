import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json: data files are read from there, whether the code runs compiled or not. */
export const projectRoot = findUp(import.meta.dirname)

function findUp(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error(`No package.json above ${import.meta.dirname}.`)
  return findUp(parent)
}
