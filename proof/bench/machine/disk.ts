import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile } from '../generator/percentile.ts'

const pageBytes = 8192
const filePages = 2048
const writes = 300

/**
 * The median time in ms of one write of 8 kB with its fdatasync, on the file system that has the
 * databases of the benches, in a file that is never made longer: as PostgreSQL writes its log.
 */
export function measureDiskMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-disk-'))
  const file = openSync(join(folder, 'log'), 'w')
  try {
    writeSync(file, Buffer.alloc(pageBytes * filePages))
    fdatasyncSync(file)
    const page = Buffer.alloc(pageBytes, 1)
    const timesMs = Array.from({ length: writes }, (_, index) => {
      const startedAtMs = performance.now()
      writeSync(file, page, 0, pageBytes, index * pageBytes)
      fdatasyncSync(file)
      return performance.now() - startedAtMs
    })
    return percentile(Float64Array.from(timesMs).sort(), 0.5)
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true })
  }
}
