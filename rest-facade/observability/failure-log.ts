import type { Logger } from 'pino'
import { type Call, logFieldsOf } from '../http/call.ts'
import type { ApiError } from '../http/errors.ts'

/** Notes an answer of 500 and above. */
export type NoteFailure = (failure: ApiError, call: Call) => void

/** So many outages in a second say enough: to tell of each would cost more than to refuse it. */
const maxOutagesPerSecond = 20

/**
 * Our own failures are errors, each with its cause; what is away or overloaded is a warning, of which a
 * line says how many before it were left out.
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
