import { hasAtMost } from '../../../schema/vocabulary/characters.ts'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { invalidRequest } from './errors.ts'

/**
 * One rule of an internal input: the field, whether the rule holds, and the message when it does
 * not.
 */
export type Check = readonly [field: string, holds: boolean, message: string]

/** Throws INVALID_REQUEST that names every field whose rule does not hold. */
export function requireAll(checks: readonly Check[]): void {
  const details: FieldError[] = checks
    .filter(([, holds]) => !holds)
    .map(([field, , message]) => ({ field, in: 'body', message }))
  if (details.length > 0) throw invalidRequest(details)
}

/** PostgreSQL text cannot hold NUL; a caller may write every other character. */
export function isText(text: string, maxLength: number): boolean {
  return text.trim().length > 0 && hasAtMost(text, maxLength) && !text.includes('\0')
}

export function isCredits(credits: number): boolean {
  return Number.isSafeInteger(credits) && credits >= 0
}
