import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { enoughProblems, nameOf } from '../../../schema/vocabulary/field-problems.ts'

/** Half of a surrogate pair would be stored and hashed as another character than the client sent. */
const message = 'must be well-formed Unicode'

/**
 * An object or list of a body whose members are looked at. Only the member of a mistake gets the name of its place: a
 * client chooses how long names are, and a list can have thousands of members.
 */
interface Container {
  readonly members: Readonly<Record<PropertyKey, unknown>>
  /** The names of the members; null for a list, whose members have numbers. */
  readonly names: readonly string[] | null
  readonly length: number
  /** The number of the member that is looked at, or comes next. */
  at: number
}

/**
 * Names the members of a JSON body with half a surrogate pair in their text or their name, as many as a
 * refusal can name.
 */
export function wellFormedProblems(text: string, body: unknown): readonly FieldError[] {
  // UTF-8 has no halves: only an escape can write one.
  if (!/\\u[dD][89a-fA-F]/.test(text)) return []
  const fields: string[] = []
  const open = [containerOf({ body })]
  for (let last = open.at(-1); last && fields.length < enoughProblems; last = open.at(-1)) {
    if (last.at === last.length) {
      open.pop()
      const around = open.at(-1)
      if (around) around.at += 1
      continue
    }
    const name = last.names?.[last.at]
    const value = last.members[name ?? last.at]
    if (isHalf(name) || isHalf(value)) fields.push(fieldOf(open))
    if (typeof value === 'object' && value !== null) open.push(containerOf(value))
    else last.at += 1
  }
  return [...new Set(fields)].map((field) => ({ field, in: 'body', message }))
}

function isHalf(value: unknown): boolean {
  return typeof value === 'string' && !value.isWellFormed()
}

function containerOf(value: object): Container {
  const names = Array.isArray(value) ? null : Object.keys(value)
  const length = Array.isArray(value) ? value.length : (names?.length ?? 0)
  return { members: Object(value), names, length, at: 0 }
}

/**
 * The name of the member that is looked at in the innermost container. The outermost container has
 * nothing but the body.
 */
function fieldOf(open: readonly Container[]): string {
  const path = open.slice(1).map(({ names, at }) => names?.[at] ?? String(at))
  return nameOf(path).toWellFormed() || 'body'
}
