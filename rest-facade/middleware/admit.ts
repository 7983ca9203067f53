import type { RequestHandler } from 'express'
import { unavailable } from '../errors.ts'
import type { UsageRecorder } from '../usage-recorder.ts'

/** Lets nobody in whose request could not be recorded: back-pressure before loss. */
export function admit(recorder: UsageRecorder): RequestHandler {
  return function admit(_req, _res, next) {
    if (recorder.isSaturated()) throw unavailable('Too many requests are waiting to be recorded.')
    next()
  }
}
