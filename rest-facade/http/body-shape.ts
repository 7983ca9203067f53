import type { FieldError } from '../../schema/vocabulary/error-codes.ts'

/** The values in a body, itself included. */
const maxMembers = 20_000
/**
 * The values of one array, and the names of one object: names are several times as dear to parse as other
 * values.
 */
const maxItems = 10_000
const maxNames = 1000
/** How deep objects and arrays may lie in each other. */
const maxDepth = 64

const noObject = 'must be an object'
const tooMuch = 'has too many or too deep members'

/** The problem that the body is no object; null if it is one. */
export function kindProblem(body: unknown): FieldError | null {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? null : inBody(noObject)
}

/** The mistake in a body, whatever its route expects. `bytes` is its length, if that is known. */
export function bodyProblem(body: unknown, bytes = Number.NaN): FieldError | null {
  const problem = kindProblem(body)
  if (problem) return problem
  // Each level has a bracket at its beginning and its end.
  if (bytes <= 2 * maxDepth) return null
  return isWithinLimits(body) ? null : inBody(tooMuch)
}

/** A problem of the body as a whole. */
export function inBody(message: string): FieldError {
  return { field: 'body', in: 'body', message }
}

/** Whether the body is cheap to check with any schema. */
function isWithinLimits(body: unknown): boolean {
  let members = 0
  let level: unknown[] = [body]
  for (let depth = 0; level.length > 0; depth += 1) {
    members += level.length
    if (members > maxMembers || depth > maxDepth) return false
    const inside = level.filter((value) => typeof value === 'object' && value !== null)
    const lists = inside.map((value): unknown[] => Object.values(value ?? {}))
    if (lists.some(({ length }, at) => length > mostOf(Array.isArray(inside[at])))) return false
    level = lists.flat()
  }
  return true
}

function mostOf(isArray: boolean): number {
  return isArray ? maxItems : maxNames
}

/**
 * The mistake that `bodyProblem` would find once the JSON is parsed, as its text shows it. A name that an
 * object has several times counts each time. Parsed, a body beyond the limits takes up to twenty times its bytes.
 * A text whose brackets do not match is left to the parser.
 */
export function textProblem(text: string): FieldError | null {
  if (!isTextBeyondLimits(text)) return null
  return inBody(/^\s*\{/.test(text) ? tooMuch : noObject)
}

const codeOf = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/** Counts values and depth of a JSON text, without the contents of its strings. */
function isTextBeyondLimits(text: string): boolean {
  let isBeyond = false
  let values = 1
  let open = 0
  /** The commas of each container that is open, by its depth. */
  const commas: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    switch (code) {
      case codeOf.quote:
        at = endOfString(text, at)
        break
      case codeOf.comma:
        commas[open] = (commas[open] ?? 0) + 1
        break
      case codeOf.openBracket:
      case codeOf.openBrace:
        open += 1
        if (open > maxDepth + 1) isBeyond = true
        else commas[open] = 0
        break
      case codeOf.closeBracket:
      case codeOf.closeBrace: {
        const own = isEmptyUntil(text, at) ? 0 : (commas[open] ?? 0) + 1
        const isTooDeep = own > 0 && open > maxDepth
        values += own
        if (isTooDeep || own > mostOf(code === codeOf.closeBracket)) isBeyond = true
        open -= 1
        if (open < 0) return false
        break
      }
      default:
    }
  }
  return open === 0 && (isBeyond || values > maxMembers)
}

/** Whether the container that ends here has nothing in it. */
function isEmptyUntil(text: string, end: number): boolean {
  let at = end - 1
  while (at > 0 && text.charCodeAt(at) <= 0x20) at -= 1
  const code = text.charCodeAt(at)
  return code === codeOf.openBracket || code === codeOf.openBrace
}

/** Most strings are shorter, and to begin a search takes as long as to read these. */
const charactersRead = 32

/** The position of the quote that ends the string which begins here; the end of the text without one. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    for (const until = at + charactersRead; at < until; at += 1) {
      const code = text.charCodeAt(at)
      if (code === codeOf.quote) return at
      // What follows is part of the string, a quote too.
      if (code === codeOf.backslash) at += 1
    }
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    if (!isEscaped(text, quote, at)) return quote
    at = quote + 1
  }
}

/** Whether the character has an odd number of backslashes before it, of which none stands before `from`. */
function isEscaped(text: string, at: number, from: number): boolean {
  let first = at
  while (first > from && text.charCodeAt(first - 1) === codeOf.backslash) first -= 1
  return (at - first) % 2 === 1
}
