import { readdirSync, readFileSync } from 'node:fs'
import { type ProcessTimes, parseStat, ticksOfTree, usPerTick } from './process-times.ts'

/** The CPU time in µs that a process has used so far, without its children. */
export function cpuUsOf(pid: number): number {
  const times = timesOf(pid)
  if (!times) throw new Error(`Process ${pid} has ended.`)
  return times.ownTicks * usPerTick
}

/** The same of a process and all that descend from it, ended ones included. */
export function cpuUsOfTree(pid: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const all = pids.map((name) => timesOf(Number(name))).filter((times) => times !== null)
  return ticksOfTree(all, pid) * usPerTick
}

export function parentOf(pid: number): number {
  const times = timesOf(pid)
  if (!times) throw new Error(`Process ${pid} has ended.`)
  return times.parentPid
}

/** Null of a process that has ended. */
function timesOf(pid: number): ProcessTimes | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
