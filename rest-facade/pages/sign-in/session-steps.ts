import type { ErrorRequestHandler, RequestHandler } from 'express'
import { clientBlock } from '../../../schema/vocabulary/client-block.ts'
import { callOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { isForm } from '../../http/form.ts'
import { type InputSchemas, parseInput, problemsBesideBody } from '../../http/input.ts'
import { readBody, readBodyAnd } from '../../http/read-body.ts'
import type { MinuteLimit } from '../../rate-limit/minute-limits.ts'
import { tooManyInMinute } from '../../steps/rate-limit.ts'

/**
 * Counts the wrong keys of a client address in each minute (docs/oauth-rules.md 116). The limit
 * refuses a key only after the key proved wrong. So a good key signs in, whatever other callers at
 * its address do.
 */
export function countWrongKeys(failures: MinuteLimit): ErrorRequestHandler {
  return countGuesses(
    failures,
    (error) => error instanceof ApiError && error.code === 'INVALID_API_KEY',
  )
}

/**
 * Counts wrong links and codes as wrong keys are counted. `isGuess` tells the refusal of a guess from
 * others.
 */
export function countGuesses(
  failures: MinuteLimit,
  isGuess: (error: unknown) => boolean,
): ErrorRequestHandler {
  return async function countFailure(error, _req, res, next) {
    if (!isGuess(error)) return next(error)
    const call = callOf(res)
    const waitSeconds = await failures.count(`sign-in ${clientBlock(call.address)}`)
    next(waitSeconds === null ? error : tooManyInMinute(call, failures.perMinute, waitSeconds))
  }
}

/** Reads a body in JSON; an earlier step has read a form. */
export function readJsonUnlessForm(schemas: InputSchemas): RequestHandler {
  const read = readBodyAnd(readBody, (req) => problemsBesideBody(schemas, req))
  return function readJson(req, res, next) {
    return isForm(req) ? next() : read(req, res, next)
  }
}

/** Checks the input, unless it is a form: only our own pages send one. */
export function checkUnlessForm(schemas: InputSchemas): RequestHandler {
  return function checkShape(req, _res, next) {
    const { params, query, body } = req
    if (!isForm(req)) parseInput(schemas, { params, query, body })
    next()
  }
}
