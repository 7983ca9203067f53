import { describe, expect, it } from 'vitest'
import {
  type ProcessTimes,
  parseStat,
  ticksOfTree,
} from '../../../proof/bench/machine/process-times.ts'

const rest = '34 16 0 0 20 0 11 0 5000 1000000 900 18446744073709551615'

describe('parseStat', () => {
  it('reads the parent, the own time and that of ended children', () => {
    const line = `812 (postgres) S 801 812 812 0 -1 4194560 9000 700 3 0 210 90 ${rest}\n`
    expect(parseStat(line)).toEqual({
      pid: 812,
      parentPid: 801,
      ownTicks: 300,
      endedChildrenTicks: 50,
    })
  })

  it('reads it also when the name of the program has blanks and parentheses', () => {
    const line = `9 (a) S (1 2 3) R 4 9 9 0 -1 0 0 0 0 0 5 6 ${rest}`
    expect(parseStat(line)).toMatchObject({ pid: 9, parentPid: 4, ownTicks: 11 })
  })

  it.each(['', '12', '12 (node', '12 (node) S 1 2'])('refuses %j', (line) => {
    expect(() => parseStat(line)).toThrow('/proc/<pid>/stat')
  })
})

describe('ticksOfTree', () => {
  const one = (pid: number, parentPid: number, ownTicks: number, endedChildrenTicks = 0) =>
    ({ pid, parentPid, ownTicks, endedChildrenTicks }) satisfies ProcessTimes

  it('adds up a process, its descendants, and those of all of them that have ended', () => {
    const all = [one(10, 1, 5, 1000), one(11, 10, 20), one(12, 10, 30, 7), one(13, 12, 2)]
    expect(ticksOfTree([...all, one(14, 1, 999), one(1, 0, 999, 999)], 10)).toBe(1064)
  })

  it('is the same before and after a child ends', () => {
    const before = [one(10, 1, 5), one(11, 10, 20)]
    expect(ticksOfTree(before, 10)).toBe(ticksOfTree([one(10, 1, 5, 20)], 10))
  })

  it('is 0 without the process', () => {
    expect(ticksOfTree([one(1, 0, 5)], 10)).toBe(0)
  })
})
