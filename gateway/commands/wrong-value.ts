import type { Command } from 'commander'
import { ApiError } from '../../rest-facade/http/errors.ts'
import { isFieldError } from '../../schema/vocabulary/error-codes.ts'

/**
 * The line about values that the gateway does not accept, by the names of the options that they were given
 * in; null for other errors.
 */
export function wrongValue(error: unknown, command: Command | undefined): string | null {
  if (!(error instanceof ApiError) || error.code !== 'INVALID_REQUEST') return null
  const problems = (error.details ?? []).filter(isFieldError)
  if (problems.length === 0) return `error: ${error.message}`
  const lines = problems.map(({ field, message }) => `${optionOf(field, command)}: ${message}`)
  return `error: ${lines.join('; ')}`
}

/**
 * The option that gives a field, such as `--expires-at` for `expiresAt`; without such an option, the
 * name of the field.
 */
function optionOf(field: string, command: Command | undefined): string {
  const words = field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const name = `--${words.replaceAll('_', '-')}`
  return command?.options.some(({ long }) => long === name) ? name : field
}
