import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileExists, type FileStorage, type FileWriter } from './file-storage.ts'

const unfinished = '.part'

/**
 * Stores files in a directory of this host that only this user can read; made with the first file.
 */
export function localFiles(directory: string): FileStorage {
  return {
    create: (name) => createFile(directory, name, rename),
    createOnce: (name) => createFile(directory, name, moveOnce),
    has: async (name) => (await stat(join(directory, name)).catch(nullIfMissing)) !== null,
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

/** Writes under a temporary name, then moves: under its own name the file is always whole. */
async function createFile(
  directory: string,
  name: string,
  move: (from: string, to: string) => Promise<void>,
): Promise<FileWriter> {
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
      await move(beside, join(directory, name))
      await syncFolder(directory)
    },
    async abort() {
      await handle.close()
      await rm(beside, { force: true })
    },
  }
}

/** A second name fails where the first one is taken; renaming would replace the file. */
async function moveOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new FileExists(`There is a file ${to} already.`, { cause: error })
  } finally {
    await rm(from, { force: true })
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
