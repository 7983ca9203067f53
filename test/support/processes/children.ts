import { readdirSync, readFileSync } from 'node:fs'

/** The processes that this one has started and that have not ended, from /proc. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

/** The processes that the primary of a gateway with workers has started for this. */
export function pidsOf(primary: number, kind: 'worker' | 'jobs'): number[] {
  return childrenOf(primary).filter((pid) =>
    readIfThere(`/proc/${pid}/environ`).includes(`"kind":"${kind}"`),
  )
}

export function workerPids(primary: number): number[] {
  return pidsOf(primary, 'worker')
}

/** The name of the program that a process runs; '' when it has ended. */
export function programOf(pid: number): string {
  return readIfThere(`/proc/${pid}/comm`).trim()
}

function parentOf(pid: number): number | null {
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(readIfThere(`/proc/${pid}/status`)) ?? []
  return parent === undefined ? null : Number(parent)
}

/** A process may end while it is looked at. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
