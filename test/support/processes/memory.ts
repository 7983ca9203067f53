import { readFileSync, writeFileSync } from 'node:fs'

/** The resident memory of a process, in MiB. */
interface Memory {
  readonly nowMb: number
  /** The most since its start, or since `forgetPeakOf`. */
  readonly peakMb: number
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
  return { nowMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') }
}

/** The peak is counted from now on. */
export function forgetPeakOf(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
