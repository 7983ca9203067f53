import { readFileSync } from 'node:fs'
import { cpuUsOfTree } from './cpu-time.ts'
import { usPerTick } from './process-times.ts'

interface MachineTicks {
  /** The time of all processors, whatever they did or did not do. */
  readonly total: number
  /** The time in which a program ran, or in which the host of a virtual machine let others run. */
  readonly busy: number
}

/** Reads the first line of /proc/stat, which adds up all processors. */
export function parseMachineTicks(text: string): MachineTicks {
  const [name, ...fields] = (text.split('\n')[0] ?? '').split(/\s+/)
  // User, nice, system, idle, waiting for input or output, interrupts, soft interrupts, stolen; what
  // follows is part of the first two.
  const ticks = fields.slice(0, 8).map(Number)
  const [, , , idle = Number.NaN, waiting = Number.NaN] = ticks
  if (name !== 'cpu' || ticks.length < 8 || ticks.some(Number.isNaN)) {
    throw new Error(`This does not begin as /proc/stat: ${text.slice(0, 100)}`)
  }
  const total = ticks.reduce((sum, one) => sum + one, 0)
  return { total, busy: total - idle - waiting }
}

/**
 * Returns what tells the share of the machine's processor time that was used since by programs that
 * this process has not started.
 */
export function watchOtherPrograms(): () => number {
  const before = readAll()
  return () => {
    const now = readAll()
    return Math.max(0, (now.others - before.others) / (now.total - before.total))
  }
}

function readAll() {
  const { total, busy } = parseMachineTicks(readFileSync('/proc/stat', 'utf8'))
  return { total, others: busy - cpuUsOfTree(process.pid) / usPerTick }
}
