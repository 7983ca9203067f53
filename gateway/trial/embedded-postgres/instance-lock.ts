import { createHash } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** Proof that no other process uses a folder. */
export interface InstanceLock {
  release(): Promise<void>
}

/** Another living process uses the folder. */
class FolderInUse extends Error {
  override readonly name = 'FolderInUse'

  constructor(folder: string) {
    super(
      `Another gateway is running on ${folder}. Stop it first, or give this one a DATA_DIR of its own.`,
    )
  }
}

/**
 * A listening socket is the lock: the kernel removes it with the process, however that ends. So a
 * crash leaves nothing to clean up, and a reused pid does no harm.
 */
export async function acquireInstanceLock(folder: string): Promise<InstanceLock> {
  const path = socketPath(realpathSync(folder))
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const server = await listen(path)
    if (server) return { release: () => close(server) }
    if (await isAlive(path)) break
    rmSync(path, { force: true })
  }
  throw new FolderInUse(folder)
}

/** A socket's path has at most 107 bytes: the lock of a deeper folder is below /tmp. */
function socketPath(folder: string): string {
  const name = `credit-gateway-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  const path = join(folder, 'gateway.lock')
  return Buffer.byteLength(path) < 100 ? path : join('/tmp', `${name}.lock`)
}

function listen(path: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    // A process of a cluster must have a lock of its own, which must not outlive it.
    server.listen({ path, exclusive: true }, () => {
      server.unref()
      resolve(server)
    })
  })
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
