import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'

/** Half of a surrogate pair would be stored and hashed as another character than the client sent. */
const message = 'must be well-formed Unicode'

/** Names the members of a JSON body with half a surrogate pair in their text or their name. */
export function wellFormedProblems(text: string, body: unknown): readonly FieldError[] {
  // UTF-8 has no halves: only an escape can write one.
  if (!/\\u[dD][89a-fA-F]/.test(text)) return []
  const fields: string[] = []
  const waiting: (readonly [field: string, value: unknown])[] = [['', body]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [field, value] = next
    if (typeof value === 'string' && !value.isWellFormed()) fields.push(field || 'body')
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value).reverse()) {
      const below = field === '' ? name : `${field}.${name}`
      if (!name.isWellFormed()) fields.push(below.toWellFormed())
      waiting.push([below.toWellFormed(), member])
    }
  }
  return [...new Set(fields)].map((field) => ({ field, in: 'body', message }))
}
