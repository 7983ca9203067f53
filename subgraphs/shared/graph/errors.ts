import type { ErrorCode, FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { describeProblems } from '../../../schema/vocabulary/field-problems.ts'
import { internalTextIn } from '../../../schema/vocabulary/internal-text.ts'

interface DomainErrorOptions extends ErrorOptions {
  /** For the log alone: what the caller must not learn. It never has a secret. */
  readonly internal?: string
  readonly details?: readonly FieldError[]
  /** Further members of the error envelope, as REST writes them. */
  readonly members?: Readonly<Record<string, string>>
  /** The scope that the caller lacks, for the usage log. */
  readonly scope?: string | undefined
  /** The seconds after which another try makes sense, for a temporary failure. */
  readonly retryAfterSeconds?: number
  /** True when the failed statement was not sent. */
  readonly isUnsent?: true
  /** True when another transaction held a lock for too long: nothing was changed. */
  readonly isLockTimeout?: true
}

/** An expected failure. Its code and message are safe to show to the caller. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  /** graphql-js copies this onto the error it reports. */
  readonly extensions: { readonly code: ErrorCode } & Pick<
    DomainErrorOptions,
    'details' | 'members' | 'scope' | 'retryAfterSeconds' | 'isUnsent' | 'isLockTimeout'
  >

  constructor(
    code: ErrorCode,
    message: string,
    { cause, internal, ...shown }: DomainErrorOptions = {},
  ) {
    super(message, { cause })
    this.extensions = { code, ...shown, ...internalTextIn(internal) }
  }
}

/** A 422 whose cause is in the data; the message names every field that is wrong. */
export function invalidRequest(
  problems: readonly FieldError[],
  options: Pick<DomainErrorOptions, 'members' | 'internal'> = {},
): DomainError {
  const { message, details } = describeProblems(problems)
  return new DomainError('INVALID_REQUEST', message, { ...options, details })
}
