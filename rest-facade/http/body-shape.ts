import type { FieldError } from '../../schema/vocabulary/error-codes.ts'

/** The values in a body, itself included. */
const maxMembers = 20_000
const maxItems = 10_000
/** Of objects and arrays inside the body. */
const maxDepth = 64

const noObject = 'must be an object'
const tooMuch = 'has too many or too deep members'

/** The mistake in a body, whatever its route expects. `bytes` is its length, if that is known. */
export function bodyProblem(body: unknown, bytes = Number.NaN): FieldError | null {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) return inBody(noObject)
  // Each level has a bracket at its beginning and its end.
  if (bytes <= 2 * maxDepth) return null
  return isWithinLimits(body) ? null : inBody(tooMuch)
}

function inBody(message: string): FieldError {
  return { field: 'body', in: 'body', message }
}

/** Whether the body is cheap to check with any schema. */
function isWithinLimits(body: unknown): boolean {
  let members = 0
  let level: unknown[] = [body]
  for (let depth = 0; level.length > 0; depth += 1) {
    members += level.length
    if (members > maxMembers || depth > maxDepth) return false
    if (level.some((value) => Array.isArray(value) && value.length > maxItems)) return false
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return true
}

/**
 * The mistake that `bodyProblem` would find once the JSON is parsed, if its text shows it. Parsed, a body
 * beyond the limits takes up to twenty times its bytes. Most other mistakes the text does not show.
 */
export function textProblem(text: string): FieldError | null {
  const { commas, containers, depth, isBalanced } = sizeOf(text)
  // There are more members than commas.
  const isBeyond = commas >= maxMembers || containers > maxMembers || depth > maxDepth + 1
  if (!isBeyond || !isBalanced) return null
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

/** Counts commas, containers and depth of a JSON text, without the contents of its strings. */
function sizeOf(text: string) {
  let commas = 0
  let containers = 0
  let open = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case codeOf.quote:
        at = endOfString(text, at)
        break
      case codeOf.comma:
        commas += 1
        break
      case codeOf.openBracket:
      case codeOf.openBrace:
        containers += 1
        open += 1
        depth = Math.max(depth, open)
        break
      case codeOf.closeBracket:
      case codeOf.closeBrace:
        open -= 1
        break
      default:
    }
  }
  return { commas, containers, depth, isBalanced: open === 0 }
}

/** The position of the quote that ends the string which begins here; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === codeOf.quote) return at
    // What follows is part of the string, a quote too.
    if (code === codeOf.backslash) at += 1
  }
  return text.length
}
