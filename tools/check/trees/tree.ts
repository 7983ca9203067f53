import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a project at one time. Names have `/` on every system. */
export interface Tree {
  /** Reads a file; null if it does not exist. */
  read(file: string): string | null
  /** All files of a folder and its subfolders. */
  list(folder: string): readonly string[]
}

/** A tree of the files in a map. */
export function treeOf(files: ReadonlyMap<string, string>): Tree {
  return {
    read: (file) => files.get(file) ?? null,
    list: (folder) => [...files.keys()].filter((file) => file.startsWith(`${folder}/`)),
  }
}

/** The files below a folder of this machine, as they are now. */
export function openTree(root: string): Tree {
  return {
    read(file) {
      const path = join(root, file)
      return existsSync(path) ? readFileSync(path, 'utf8') : null
    },
    list: (folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(root.length))
        .map((file) => file.replaceAll('\\', '/').replace(/^\//, ''))
        .sort(),
  }
}
