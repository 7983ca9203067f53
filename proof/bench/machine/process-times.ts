/** The CPU time of one process, as /proc/<pid>/stat has it. */
export interface ProcessTimes {
  readonly pid: number
  readonly parentPid: number
  /** The time of all threads of the process, in user and in kernel mode. */
  readonly ownTicks: number
  /**
   * The time of the children of the process that ended and that it has waited for, with the time of theirs.
   */
  readonly endedChildrenTicks: number
}

/** Linux counts in hundredths of a second for programs, whatever its own clock is. */
export const usPerTick = 10_000

/** Reads the one line of /proc/<pid>/stat. The program's name may hold blanks and parentheses. */
export function parseStat(line: string): ProcessTimes {
  const nameEnd = line.lastIndexOf(')')
  const pid = Number(line.slice(0, line.indexOf(' ')))
  // The state comes first after the name; proc(5) counts it as field 3.
  const fields = line.slice(nameEnd + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  const times = {
    pid,
    parentPid: field(4),
    ownTicks: field(14) + field(15),
    endedChildrenTicks: field(16) + field(17),
  }
  if (nameEnd < 0 || Object.values(times).some(Number.isNaN)) {
    throw new Error(`This is not a line of /proc/<pid>/stat: ${line}`)
  }
  return times
}

/** The time of a process and all that descend from it, ended ones included. */
export function ticksOfTree(all: readonly ProcessTimes[], rootPid: number): number {
  let ticks = 0
  for (const one of all) {
    if (one.pid === rootPid) ticks += one.ownTicks + one.endedChildrenTicks
    else if (one.parentPid === rootPid) ticks += ticksOfTree(all, one.pid)
  }
  return ticks
}
