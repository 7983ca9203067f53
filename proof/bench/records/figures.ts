import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { type Figure, readFigures } from '../../../site/content/reliability.ts'
import type { Row } from '../support/bench.ts'

export type { Figure }

/** What docs/figures.json keeps of a bench. Rows that mean nothing are left out. */
export function figuresOf(bench: string, rows: readonly Row[], now = new Date()): Figure[] {
  const machine = `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores, Node ${process.versions.node}`
  return rows
    .filter(({ problems }) => problems.length === 0)
    .map(({ bench: what, goal, value, isMet }) => ({
      id: bench.toUpperCase(),
      ...{ what, goal, value },
      verdict: isMet === null ? '–' : isMet ? 'met' : 'missed',
      measured_on: now.toISOString().slice(0, 10),
      machine,
      command: `npm run bench -- ${bench}`,
    }))
}

/** The new figures in place of all that these benches had. */
export function withFigures(before: readonly Figure[], measured: readonly Figure[]): Figure[] {
  const again = new Set(measured.map(({ id }) => id))
  return [...before.filter(({ id }) => !again.has(id)), ...measured]
}

export function recordFigures(file: string, measured: readonly Figure[]): void {
  const figures = withFigures(readFigures(readFileSync(file, 'utf8')), measured)
  writeFileSync(file, `${JSON.stringify({ figures }, null, 2)}\n`)
}
