import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import type { Row } from './bench.ts'

const heads = ['bench', 'goal', 'ours', 'floor', 'value', 'verdict'] as const

function cells({ bench, goal, ours, floor, value, isMet, problems }: Row): readonly string[] {
  const verdict = isMet === null ? '–' : isMet ? 'met' : 'missed'
  return [bench, goal, ours, floor, value, problems.length > 0 ? `${verdict} (see below)` : verdict]
}

/** One table for people, and below it what makes figures meaningless. */
export function linesOf(rows: readonly Row[]): readonly string[] {
  const lines = [[...heads], ...rows.map(cells)]
  const widths = heads.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const problems = rows.flatMap((row) => row.problems.map((text) => `${row.bench}: ${text}`))
  return [...table, ...problems]
}

/** Everything that was measured, for machines. */
export function writeResults(file: string, rows: readonly Row[]): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  }
  const results = { date: new Date().toISOString(), machine, rows }
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}
