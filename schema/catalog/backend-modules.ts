import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { projectRoot } from '../process/project-root.ts'

/** The files of this build's catalog, one of each service. */
export const catalogFolder = join(projectRoot, 'schema/catalog')

/** The names of the catalog's files in a folder, in order. */
export function catalogFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
}

/**
 * The backend modules of this build's catalog, in the order of its files. Nothing else of the
 * catalog is checked: a command that serves no product operation does not wait for that.
 */
export function backendModules(): string[] {
  return catalogFilesIn(catalogFolder).map((name) =>
    String(parseDocument(readFileSync(join(catalogFolder, name), 'utf8')).get('backend_module')),
  )
}
