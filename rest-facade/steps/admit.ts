import type { RequestHandler } from 'express'
import type { Backend } from '../backends/backend.ts'
import type { UsageRecorder } from '../charge/usage-log/usage-recorder.ts'
import { callOf } from '../http/call.ts'
import { unavailable } from '../http/errors.ts'

/** Refuses requests that could not be recorded: back-pressure before loss. */
export function admit(recorder: UsageRecorder): RequestHandler {
  return function admit(_req, _res, next) {
    if (recorder.isSaturated()) {
      const internal = `${recorder.waiting()} usage entries wait for the database.`
      throw unavailable('Too many requests are waiting to be recorded.', { internal })
    }
    next()
  }
}

/**
 * Refuses a request while the module has no place for it. Before the caller is known it asks for any place,
 * because authentication would cost more than the refusal; before the body is read, for one of the account.
 */
export function requirePlace(backend: Pick<Backend, 'requirePlace'>): RequestHandler {
  return function requirePlace(_req, res, next) {
    backend.requirePlace(callOf(res).caller?.accountId)
    next()
  }
}
