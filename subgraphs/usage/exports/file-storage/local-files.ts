import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileStorage, FileWriter } from './file-storage.ts'

const unfinished = '.part'

/**
 * Stores files in a directory of this host that only this user can read; made with the first file.
 */
export function localFiles(directory: string): FileStorage {
  return {
    create: (name) => createFile(directory, name),
    async open(name) {
      const handle = await open(join(directory, name)).catch(nullIfMissing)
      if (!handle) return null
      const { size } = await handle.stat()
      // The stream closes its handle, however it ends.
      return { bytes: size, stream: handle.createReadStream({ highWaterMark: readBytes }) }
    },
    async remove(name) {
      const names = (await readdir(directory).catch(nullIfMissing)) ?? []
      const ours = names.filter(
        (one) => one === name || (one.startsWith(`${name}.`) && one.endsWith(unfinished)),
      )
      await Promise.all(ours.map((one) => rm(join(directory, one), { force: true })))
    },
    async close() {},
  }
}

const readBytes = 256 * 1024

/** Writes under a temporary name, then renames: under its own name the file is always whole. */
async function createFile(directory: string, name: string): Promise<FileWriter> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const beside = join(directory, `${name}.${randomUUID()}${unfinished}`)
  const handle = await open(beside, 'wx', 0o600)
  return {
    async write(chunk) {
      await handle.appendFile(chunk)
    },
    async finish() {
      await handle.sync()
      await handle.close()
      await rename(beside, join(directory, name))
      await syncFolder(directory)
    },
    async abort() {
      await handle.close()
      await rm(beside, { force: true })
    },
  }
}

/** The new name is durable only after its folder is synced. */
async function syncFolder(directory: string): Promise<void> {
  // Windows cannot sync folders.
  if (process.platform === 'win32') return
  const folder = await open(directory)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
