import type { Logger } from 'pino'
import { type Call, callOf, logFieldsOf } from '../http/call.ts'
import type { ApiError } from '../http/errors.ts'
import type { NoteLateFailure } from './dispatch/steps.ts'

/** Logs an answer of 500 and above. */
export type NoteFailure = (failure: ApiError, call: Call) => void

/**
 * The most lines about outages in a second: more say nothing new, and a line would cost more than the
 * refusal.
 */
const maxOutagesPerSecond = 20

/**
 * A failure of the gateway itself is an error, with its cause. An unavailable or overloaded service
 * is a warning; the next line says how many warnings were left out before it.
 */
export function createFailureLog(log: Logger): NoteFailure {
  let second = 0
  let said = 0
  let leftOut = 0
  return (failure, call) => {
    const { code, message, cause = failure } = failure
    const fields = { err: cause, ...logFieldsOf(call), code }
    if (code === 'INTERNAL_ERROR') return log.error(fields, message)
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) [second, said] = [now, 0]
    said += 1
    if (said > maxOutagesPerSecond) {
      leftOut += 1
      return
    }
    log.warn(leftOut > 0 ? { ...fields, leftOut } : fields, message)
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
