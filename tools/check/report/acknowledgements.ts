import { isDeepStrictEqual } from 'node:util'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import type { Finding } from './finding.ts'

export const acknowledgementsFile = 'schema/acknowledged-breaks.yaml'

const entrySchema = z.strictObject({
  finding: z.string().min(1),
  reason: z.string().trim().min(20, 'must say why in at least 20 characters'),
  acknowledged_by: z.string().trim().min(1),
  date: z.iso.date(),
  expires: z.iso.date().optional(),
})

/** An intended break: `finding` is its id. */
export type Acknowledgement = z.infer<typeof entrySchema>

interface Entry {
  readonly line: number
  readonly value: unknown
}

export interface Acknowledged {
  /** Id of a finding → its acknowledgement. */
  readonly byFinding: ReadonlyMap<string, Acknowledgement>
  /** The mistakes of the acknowledgements themselves. */
  readonly findings: readonly Finding[]
}

interface Texts {
  /** The file in this tree and in the base; null if it does not exist. */
  readonly now: string | null
  readonly atBase: string | null
  /** An ISO 8601 date, in UTC. */
  readonly today: string
  /** Whether the findings are complete. If not, an entry without a finding is not an error. */
  readonly isWhole?: boolean
}

/**
 * Finds the acknowledged findings. An entry is valid for the change that adds it. An entry of the
 * base is spent and should be deleted. A new entry without a finding is an error.
 */
export function acknowledge(
  findings: readonly Finding[],
  { now, atBase, today, isWhole = true }: Texts,
): Acknowledged {
  const { entries, problems } = readEntries(now)
  const spent = readEntries(atBase).entries
  const breaks = new Set(findings.flatMap(({ id, severity }) => (severity === 'error' ? [] : [id])))
  const byFinding = new Map<string, Acknowledgement>()
  const found = [...problems]
  for (const { line, value } of entries) {
    const parsed = entrySchema.safeParse(value)
    if (!parsed.success) {
      const { issues } = parsed.error
      found.push(...issues.map(({ path, message }) => malformed(line, path.join('.'), message)))
      continue
    }
    const { finding, expires } = parsed.data
    const isSpent = spent.some((other) => isDeepStrictEqual(other.value, value))
    if (expires !== undefined && expires < today) found.push(remark(line, 'expired', finding))
    else if (isSpent) found.push(remark(line, 'spent', finding))
    else if (breaks.has(finding)) byFinding.set(finding, parsed.data)
    else if (isWhole) found.push(remark(line, 'stale', finding))
  }
  return { byFinding, findings: found }
}

const remarks = {
  expired: { severity: 'error', text: 'has expired; delete it' },
  stale: { severity: 'error', text: 'matches no finding: correct it or delete it' },
  spent: { severity: 'dangerous', text: 'is in the base already and has no effect; delete it' },
} as const

function remark(line: number, kind: keyof typeof remarks, finding: string): Finding {
  const { severity, text } = remarks[kind]
  const id = `acknowledgement/${kind}/${finding}`
  return { id, severity, file: acknowledgementsFile, line, message: `${finding} ${text}` }
}

function malformed(line: number, member: string, message: string): Finding {
  const id = `acknowledgement/malformed/${line}${member && `.${member}`}`
  const text = member === '' ? message : `${member}: ${message}`
  return { id, severity: 'error', file: acknowledgementsFile, line, message: text }
}

function readEntries(text: string | null): { entries: Entry[]; problems: Finding[] } {
  const lines = new LineCounter()
  const document = parseDocument(text ?? '', { lineCounter: lines })
  const problems = document.errors.map(({ message, pos }) =>
    malformed(lines.linePos(pos[0]).line, '', message),
  )
  const list: unknown = document.toJS()
  if (problems.length > 0 || list === null || list === undefined) return { entries: [], problems }
  if (!Array.isArray(list)) {
    return { entries: [], problems: [malformed(1, '', 'the file must hold a list')] }
  }
  return { entries: list.map((value, index) => ({ value, line: lineAt(index) })), problems }

  function lineAt(index: number): number {
    const node: unknown = document.getIn([index], true)
    const range = typeof node === 'object' && node && 'range' in node ? node.range : null
    return Array.isArray(range) ? lines.linePos(Number(range[0])).line : 1
  }
}
