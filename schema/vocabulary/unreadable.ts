import type { FieldError } from './error-codes.ts'

const unreadable = new WeakMap<object, readonly FieldError[]>()

/** Keeps what is no text in a parsed query or body, so that its check names it with all else. */
export function noteUnreadable(parsed: unknown, problems: readonly FieldError[]): void {
  if (isObject(parsed) && problems.length > 0) unreadable.set(parsed, problems)
}

/** What is no text in a query or body, and what is `found` wrong with its other members. */
export function withUnreadable(
  parsed: unknown,
  found: readonly FieldError[] = [],
): readonly FieldError[] {
  const problems = isObject(parsed) ? unreadable.get(parsed) : undefined
  if (!problems) return found
  const named = new Set(problems.map(({ field }) => field))
  return [...problems, ...found.filter(({ field }) => !named.has(field.toWellFormed()))]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
