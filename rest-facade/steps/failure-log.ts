import type { Logger } from 'pino'
import { type Call, callOf, logFieldsOf } from '../http/call.ts'
import type { ApiError, OAuthError } from '../http/errors.ts'
import type { NoteLateFailure } from './dispatch/steps.ts'

/** Logs an answer of 500 and above, and each that has an internal text. */
export type NoteFailure = (failure: ApiError | OAuthError, call: Call) => void

/**
 * The most lines of a level in a second, except about failures of the gateway itself: more say nothing new,
 * and a line would cost more than the refusal.
 */
const maxLinesPerSecond = 20

/**
 * A failure of the gateway itself is an error, with its cause. An unavailable or overloaded service
 * is a warning, and a refusal that has an internal text is information; the next line of the level says how
 * many were left out before it.
 */
export function createFailureLog(log: Logger): NoteFailure {
  const warnings = createSampler()
  const refusals = createSampler()
  return (failure, call) => {
    const { code, message, status, internal } = failure
    const fields = { ...logFieldsOf(call), code, internal }
    if (status < 500) return refusals(fields, (line) => log.info(line, message))
    const failed = { err: failure.cause ?? failure, ...fields }
    if (code === 'INTERNAL_ERROR') return log.error(failed, message)
    warnings(failed, (line) => log.warn(line, message))
  }
}

/** Writes the first lines of each second. */
function createSampler(): (fields: object, write: (line: object) => void) => void {
  let second = 0
  let said = 0
  let leftOut = 0
  return (fields, write) => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) [second, said] = [now, 0]
    said += 1
    if (said > maxLinesPerSecond) {
      leftOut += 1
      return
    }
    write(leftOut > 0 ? { ...fields, leftOut } : fields)
    leftOut = 0
  }
}

/** A step that fails after its turn is a mistake in our code, whatever it throws. */
export function lateFailureLog(log: Logger): NoteLateFailure {
  return (failure, res) =>
    log.error(
      { err: failure, ...logFieldsOf(callOf(res)) },
      'A step failed after its turn; the request went on without it',
    )
}
