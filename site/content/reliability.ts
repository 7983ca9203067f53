import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../schema/process/project-root.ts'
import { table } from '../markup/plain-text.ts'

/** One row of docs/promises.md. */
export interface GuaranteedPromise {
  /** `M1` */
  readonly id: string
  readonly section: string
  /** Markdown, as the next. */
  readonly promise: string
  readonly limit: string
  readonly proof: string
}

const figures = z.strictObject({
  figures: z.array(
    z.strictObject({
      /** The id of a promise in docs/promises.md, or of a goal in docs/performance.md. */
      id: z.string(),
      what: z.string(),
      goal: z.string(),
      value: z.string(),
      verdict: z.enum(['met', 'missed', '–']),
      measured_on: z.iso.date(),
      machine: z.string(),
      command: z.string(),
    }),
  ),
})

export type Figure = z.infer<typeof figures>['figures'][number]

function read(name: string): string {
  return readFileSync(join(projectRoot, 'docs', name), 'utf8')
}

const row = /^\| <a id="\w+"><\/a>(\w+) \| (.+) \| (.+) \| (.+) \|$/

/** Throws for a row that has another form: a page with a part of the promises must not be served. */
export function readPromises(text = read('promises.md')): readonly GuaranteedPromise[] {
  let section = ''
  const promises: GuaranteedPromise[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3)
    if (!line.startsWith('| <a id=')) continue
    const [, id, promise, limit, proof] = row.exec(line) ?? []
    if (!(id && promise && limit && proof)) {
      throw new Error(`docs/promises.md has a row of another form: ${line.slice(0, 80)}`)
    }
    promises.push({ id, section, promise, limit, proof })
  }
  if (promises.length === 0) throw new Error('docs/promises.md has no promise.')
  return promises
}

export function readFigures(text = read('figures.json')): readonly Figure[] {
  return figures.parse(JSON.parse(text)).figures
}

/** One table for each section. Readers have no repository: links to tests become their paths. */
export function promiseTables(promises = readPromises(), measured = readFigures()): string {
  const sections = [...new Set(promises.map(({ section }) => section))]
  return sections
    .map((section) => {
      const rows = promises
        .filter((promise) => promise.section === section)
        .map(({ id, promise, limit, proof }) => [
          id,
          promise,
          limit,
          [withPaths(proof), ...figuresOf(id, measured)].join('<br>'),
        ])
      return `## ${section}\n\n${table(['Id', 'We promise', 'Not included', 'Proved by'], rows)}`
    })
    .join('\n\n')
}

const link = /\[([^\]]+)\]\(\.\.\/([^)]+)\)/g

function withPaths(proof: string): string {
  return proof.replaceAll(link, '`$2`')
}

function figuresOf(id: string, measured: readonly Figure[]): string[] {
  return measured
    .filter((figure) => figure.id === id)
    .map(({ what, value, measured_on }) => `${what}: ${value} (${measured_on})`)
}

/** The figures of benchmarks, missed goals too. */
export function figureTable(promises = readPromises(), measured = readFigures()): string {
  const ids = new Set(promises.map(({ id }) => id))
  const rows = measured
    .filter(({ id }) => !ids.has(id))
    .map(({ what, goal, value, verdict, measured_on, machine, command }) => [
      ...[what, goal, value, verdict],
      `${measured_on}, ${machine}: \`${command}\``,
    ])
  return table(['What', 'Goal', 'Measured', 'Verdict', 'When and how'], rows)
}
