import { RefusedUnsent } from '../database/health/silence-watch.ts'
import { isLockTimeout } from '../database/wire-statements.ts'
import { DomainError } from './errors.ts'

const unreachable = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // PostgreSQL: the transaction lost a race for locks, and may win the next one.
  '40001',
  '40P01',
  '55P03',
  '57014',
  // PostgreSQL: the transaction was idle for too long.
  '25P03',
  // PostgreSQL: the server has become a standby, which takes no changes.
  '25006',
  // PostgreSQL: shutting down, crashed, starting up, too many connections, disk full.
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '53300',
])

const lostConnection =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Query read timeout|timeout expired|not queryable/i

/**
 * The public error for a failure of the database, or null. Only "the database is unavailable" and
 * "PostgreSQL cannot store this text" are expected; any other SQL error is a bug.
 */
export function databaseFailure(error: unknown): DomainError | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? error.code : undefined
  if (typeof code === 'string' && unreachable.has(code)) return unavailable(error)
  if (lostConnection.test(error.message)) return unavailable(error)
  if (code === '22021' || code === '22P05') {
    return new DomainError('INVALID_REQUEST', 'Text must not contain NUL.', { cause: error })
  }
  return null
}

function unavailable(cause: Error): DomainError {
  const isUnsent = cause instanceof RefusedUnsent || undefined
  const code = 'code' in cause ? `${String(cause.code)}: ` : ''
  const internal = `${code}${cause.message}`
  const options = { cause, internal, isUnsent, isLockTimeout: isLockTimeout(cause) || undefined }
  return new DomainError(
    'SERVICE_UNAVAILABLE',
    'The database is unavailable at the moment.',
    options,
  )
}
