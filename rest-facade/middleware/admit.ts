import type { RequestHandler } from 'express'
import type { Backend } from '../backends/backend-client.ts'
import { callerOf, callOf } from '../http/call.ts'
import { unavailable } from '../http/errors.ts'
import type { UsageRecorder } from '../usage-log/usage-recorder.ts'

/** Refuses requests that could not be recorded: callers wait rather than entries are lost. */
export function admit(recorder: UsageRecorder): RequestHandler {
  return function admit(_req, _res, next) {
    if (recorder.isSaturated()) throw unavailable('Too many requests are waiting to be recorded.')
    next()
  }
}

/** Refuses calls while the module has no place: authentication would cost more than the refusal. */
export function requirePlace(backend: Pick<Backend, 'requirePlace'>): RequestHandler {
  return function requirePlace(_req, _res, next) {
    backend.requirePlace()
    next()
  }
}

/** Refuses a call before its body is read, if its account has no place left. */
export function requireOwnPlace(backend: Pick<Backend, 'requirePlace'>): RequestHandler {
  return function requireOwnPlace(_req, res, next) {
    backend.requirePlace(callerOf(callOf(res)).accountId)
    next()
  }
}
