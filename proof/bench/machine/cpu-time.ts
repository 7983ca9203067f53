import { readdirSync, readFileSync } from 'node:fs'
import { type ProcessTimes, parseStat, ticksOfTree, usPerTick } from './process-times.ts'

/** The CPU time in µs that a process has used so far, without its children. */
export function cpuUsOf(pid: number): number {
  const times = timesOf(pid)
  if (!times) throw new Error(`Process ${pid} has ended.`)
  return times.ownTicks * usPerTick
}

/** The CPU time of a process and all that descend from it, ended ones included. */
export function cpuUsOfTree(pid: number): number {
  return ticksOfTree(allTimes(), pid) * usPerTick
}

function allTimes(): ProcessTimes[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((name) => timesOf(Number(name))).filter((times) => times !== null)
}

function childrenOf(pid: number): ProcessTimes[] {
  return allTimes().filter(({ parentPid }) => parentPid === pid)
}

/** Empty of a process that has ended. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
}

/**
 * The part of a PostgreSQL server's that its autovacuum workers have used, and sessions that have ended. A
 * worker that ends stays in this sum.
 */
export function shortLivedUsOf(serverPid: number): number {
  const server = timesOf(serverPid)
  if (!server) throw new Error(`Process ${serverPid} has ended.`)
  const workers = childrenOf(serverPid).filter(({ pid }) =>
    titleOf(pid).startsWith('postgres: autovacuum worker'),
  )
  const ticks = workers.reduce((sum, { ownTicks }) => sum + ownTicks, server.endedChildrenTicks)
  return ticks * usPerTick
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
