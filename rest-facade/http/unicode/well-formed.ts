import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { enoughProblems, nameOf } from '../../../schema/vocabulary/field-problems.ts'

/** Half of a surrogate pair would be stored and hashed as another character than the client sent. */
const message = 'must be well-formed Unicode'

/** A value in a body. Only that of a mistake gets the name of its place: a client chooses how long it is. */
interface Place {
  readonly name: string
  readonly within: Place | null
  readonly value: unknown
}

/**
 * Names the members of a JSON body with half a surrogate pair in their text or their name, as many as a
 * refusal can name.
 */
export function wellFormedProblems(text: string, body: unknown): readonly FieldError[] {
  // UTF-8 has no halves: only an escape can write one.
  if (!/\\u[dD][89a-fA-F]/.test(text)) return []
  const wrong: Place[] = []
  const waiting: Place[] = [{ name: '', within: null, value: body }]
  for (let place = waiting.pop(); place && wrong.length < enoughProblems; place = waiting.pop()) {
    const { name, value } = place
    const isWrong = !name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())
    if (isWrong) wrong.push(place)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value).reverse()) {
      waiting.push({ name, within: place, value: member })
    }
  }
  return [...new Set(wrong.map(fieldOf))].map((field) => ({ field, in: 'body', message }))
}

function fieldOf(place: Place): string {
  const path: string[] = []
  for (let { name, within } = place; within; { name, within } = within) path.unshift(name)
  return nameOf(path).toWellFormed() || 'body'
}
