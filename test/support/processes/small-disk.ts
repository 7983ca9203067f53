import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of a test's own, in memory. A test that fills it fills nothing else. */
export interface SmallDisk {
  readonly folder: string
  /** Leaves no page free. */
  fill(): void
  /** Removes what has filled it. */
  clear(): void
  /** Removes the disk; no program may be running on it any more. */
  close(): void
}

/** Without the right to mount one (root has it), what needs a small disk is skipped. */
export const hasSmallDisks = canMount()

function canMount(): boolean {
  try {
    mountSmallDisk(1).close()
    return true
  } catch (error) {
    process.stdout.write(`skipped: no file system can be mounted: ${String(error)}\n`)
    return false
  }
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-disk-'))
  try {
    run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder])
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  // A run that is interrupted leaves nothing mounted.
  const unmountAnyway = () => void spawnSync('umount', ['--lazy', folder])
  process.once('exit', unmountAnyway)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => writeUntilFull(filler),
    clear: () => rmSync(filler),
    close() {
      run('umount', [folder])
      process.off('exit', unmountAnyway)
      rmdirSync(folder)
    },
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr?.trim() || String(error))
}

/** First fast, then to the last page. */
function writeUntilFull(file: string): void {
  const descriptor = openSync(file, 'a')
  try {
    for (const bytes of [2 ** 20, 4096]) {
      const chunk = Buffer.alloc(bytes)
      while (hasWritten(descriptor, chunk));
    }
  } finally {
    closeSync(descriptor)
  }
}

function hasWritten(descriptor: number, chunk: Buffer): boolean {
  try {
    return writeSync(descriptor, chunk) > 0
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
