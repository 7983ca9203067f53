import type { RequestHandler } from 'express'
import type { Backend } from '../backends/backend-client.ts'
import { callerOf, callOf } from '../http/call.ts'
import { unavailable } from '../http/errors.ts'
import type { UsageRecorder } from '../usage-log/usage-recorder.ts'

/** Lets nobody in whose request could not be recorded: back-pressure before loss. */
export function admit(recorder: UsageRecorder): RequestHandler {
  return function admit(_req, _res, next) {
    if (recorder.isSaturated()) throw unavailable('Too many requests are waiting to be recorded.')
    next()
  }
}

/** Lets nobody in while the module has no place at all: finding out who asks would cost more than the refusal. */
export function requirePlace(backend: Pick<Backend, 'requirePlace'>): RequestHandler {
  return function requirePlace(_req, _res, next) {
    backend.requirePlace()
    next()
  }
}

/** Refuses whose account has no place left before their body is read. */
export function requireOwnPlace(backend: Pick<Backend, 'requirePlace'>): RequestHandler {
  return function requireOwnPlace(_req, res, next) {
    backend.requirePlace(callerOf(callOf(res)).accountId)
    next()
  }
}
