import type { FieldError } from './error-codes.ts'

/** The most bytes that the usage log keeps of one failure, as JSON in UTF-8. */
export const maxDetailsBytes = 256

/** A field that a request failed by, without any word of the request. */
export interface LoggedField {
  /** Its name in the schema, without positions of lists; `?` if the schema has no such name. */
  readonly name: string
  /** The keyword of JSON Schema that it failed by; `custom` for a rule that has none. */
  readonly rule: string
}

/** What the usage log keeps of a failure beside its code (docs/contract.md §2). */
export interface LoggedDetails {
  /** Who refused: `balance`, the layer of a budget, `max_credits` of a call, or `module`; null where the code says it. */
  readonly layer: string | null
  /** The limit in credits of the budget that refused, or `max_credits`. */
  readonly limit: number | null
  /** The scope that the caller lacked. */
  readonly scope: string | null
  readonly fields: readonly LoggedField[]
}

/** A problem with the rule behind it. Without the rule it counts as a rule of its own. */
export interface Problem extends FieldError {
  readonly rule?: string
  /** The name of the field in the schema; absent: the schema has none. */
  readonly known?: string
}

const unknownName = '?'

/** The most problems of which anything can be kept, since each takes at least 27 bytes. */
export const maxLoggedFields = 8

/** What may be kept of problems: names and rules that are ours, whatever the client has sent. */
export function loggedFields(problems: readonly Problem[]): LoggedField[] {
  return problems.slice(0, maxLoggedFields).map(({ known, rule = 'custom', field, in: where }) => {
    const isPart = where === 'body' && field === 'body'
    return { name: known ?? (isPart ? field : unknownName), rule }
  })
}

/** The details as the log stores them, cut at whole fields; null: nothing is left to tell. */
export function detailsText(details: Partial<LoggedDetails> | undefined): string | null {
  if (!details) return null
  const { layer = null, limit = null, scope = null, fields = [] } = details
  if (fields.length === 0 && layer === null && limit === null && scope === null) return null
  for (let kept = Math.min(fields.length, maxLoggedFields); kept >= 0; kept -= 1) {
    const text = JSON.stringify({ layer, limit, scope, fields: fields.slice(0, kept) })
    if (Buffer.byteLength(text) <= maxDetailsBytes) return text
  }
  return null
}
