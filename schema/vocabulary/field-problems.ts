import type { FieldError } from './error-codes.ts'
import type { Problem } from './logged-details.ts'

/** The most problems that a refusal names: nobody reads more. */
const maxProblems = 100
/** One more than a refusal names is enough to know that there are more. */
export const enoughProblems = maxProblems + 1
/** The longest that a problem repeats of a name, or of words that a client chose. */
const maxNameLength = 200
/** The longest message of a problem. The longest messages list every value that is allowed. */
const maxMessageLength = 1000
/** A message that is longer is told once: another field refers to the first that has it. */
const maxRepeatedLength = 200
/** The bytes of all problems in an answer, where each is told twice. The rest of the envelope has 4 KiB. */
const maxBytes = 60 * 1024

/** Reported for a missing member, whatever it should be. */
export const required = 'is required'

/** Reported for a missing body, beside its missing members. */
export const bodyIsNeeded: Problem = {
  ...{ field: 'body', in: 'body', message: 'is needed' },
  rule: 'required',
}

/** The text, or its beginning if it is longer than a refusal may quote. */
export function cut(text: string, maxLength = maxNameLength): string {
  if (text.length <= maxLength) return text
  // Half of a surrogate pair is no character.
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

/**
 * The name of a place in a body, with dots between levels. A client chooses how long its parts are, so
 * what is cut off is never joined.
 */
export function nameOf(path: readonly PropertyKey[]): string {
  let name = ''
  for (const [index, part] of path.entries()) {
    const text = String(part).slice(0, enoughCharacters)
    name += index === 0 ? text : `.${text}`
    if (name.length > maxNameLength) break
  }
  return cut(name)
}

const enoughCharacters = maxNameLength + 1

/**
 * The details of a 422, and the message that names each. Names and messages are cut, and the whole is
 * bounded, whatever a client has sent (docs/contract.md §2).
 */
export function describeProblems(problems: readonly FieldError[]) {
  const details: FieldError[] = []
  const told: string[] = []
  const tellers = new Map<string, string>()
  let bytes = 0
  for (const { field: whole, in: where, message: said } of problems.slice(0, maxProblems)) {
    const field = cut(whole)
    const teller = said.length > maxRepeatedLength ? tellers.get(said) : undefined
    if (teller === undefined) tellers.set(said, field)
    const words =
      teller === undefined ? cut(said, maxMessageLength) : `has the problem of ${teller}`
    const detail = { field, in: where, message: words }
    const text = `${detail.field}: ${detail.message}`
    bytes += sizeOf(detail) + sizeOf(text)
    if (bytes > maxBytes) break
    details.push(detail)
    told.push(text)
  }
  if (problems.length > details.length) told.push('and more')
  return { message: told.join('; '), details }
}

/** The bytes of a value as JSON in an answer. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
