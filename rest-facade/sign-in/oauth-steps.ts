import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import type { AccessTrail } from '../callers/refused-callers.ts'
import type { VerifiedClients } from '../callers/verified-clients.ts'
import { findSessions } from '../callers/verified-sessions.ts'
import type { Execute } from '../graph/graph-client.ts'
import { type Call, callOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { isForm, readForm } from '../http/form.ts'
import { parseInput, problemsBesideBody } from '../http/input.ts'
import { readBody, readBodyAnd } from '../http/read-body.ts'
import type { IdempotencyOptions } from '../metering/idempotency.ts'
import { admit } from '../middleware/admit.ts'
import { authenticateClient } from '../middleware/authenticate-client.ts'
import { identifyOwner } from '../middleware/identify-owner.ts'
import {
  type AnonymousLimit,
  limitAccount,
  limitAddress,
  tooManyInMinute,
} from '../middleware/rate-limit.ts'
import { clientBlock } from '../rate-limit/client-block.ts'
import type { MinuteLimit } from '../rate-limit/minute-limits.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Present, Route } from '../route-kinds/route.ts'
import type { UsageRecorder } from '../usage-log/usage-recorder.ts'
import { type BrowserFlow, browserFlow } from './browser-flow.ts'

type Handler = RequestHandler | ErrorRequestHandler

/** The steps of a route of the provider that is open to everybody, and yet asks who calls; null for any other route. */
export type OAuthSteps = (
  route: Route,
  run: (present?: Present) => RequestHandler,
  admission: readonly RequestHandler[],
) => readonly Handler[] | null

interface OAuthStepsOptions extends AnonymousLimit {
  readonly environment: Environment
  readonly execute: Execute
  /** `{base_url}/v1` */
  readonly issuer: string
  readonly clients: VerifiedClients
  readonly limiter: RateLimiter
  readonly failures: MinuteLimit
  readonly trail: AccessTrail
  readonly recorder: UsageRecorder
  readonly firstPartyOrigins: ReadonlySet<string>
  readonly oauthUiUrl: string | null
  readonly idempotency: IdempotencyOptions
  /** Of API keys and access tokens. */
  readonly authenticate: RequestHandler
}

/** What is different about the provider's endpoints: who calls is an app, or an owner who may have a browser. */
export function oauthSteps(options: OAuthStepsOptions): OAuthSteps {
  const { idempotency, execute, environment } = options
  const keyPrefix = idempotency.keyPrefix
  const flow = browserFlow({ ...options, keyPrefix })
  const owner = identifyOwner({
    ...options,
    keyPrefix,
    limitAccount: limitAccount(options.limiter),
    limitAddress: limitAddress(options),
    findSession: findSessions(execute, environment),
  })
  // Whoever turns out to be known is recorded, as on any route that asks for a key.
  const admitted = [admit(options.recorder), ...owner]
  const noteFailure = (call: Call) => options.trail.note(call, 'invalid_client')

  return function stepsOf(route, run, admission) {
    if (route.caller === 'client') {
      return [readForm, authenticateClient(route, { ...options, noteFailure }), run()]
    }
    switch (route.page) {
      case 'authorize':
        return [flow.leadToScreen, ...admitted, run(flow.presentScreen), flow.renderFailure]
      case 'consent':
        return [...admitted, run(flow.presentOutcome), flow.renderFailure]
      case 'sign-in':
        return signInSteps(route, flow, admission, options)
      case 'sign-out':
        return [limitAddress(options), checkShape(route), flow.signOut]
      case undefined:
        return null
    }
  }
}

/**
 * Whoever tries keys here is counted by the minute too (docs/oauth-rules.md 116). What is refused then is
 * the guess, once it proved wrong: a good key signs in, whatever others at its address do.
 */
function signInSteps(
  route: Route,
  flow: BrowserFlow,
  admission: readonly RequestHandler[],
  { failures }: OAuthStepsOptions,
): Handler[] {
  const count: ErrorRequestHandler = async function countFailure(error, _req, res, next) {
    const isGuess = error instanceof ApiError && error.code === 'INVALID_API_KEY'
    if (!isGuess) return next(error)
    const call = callOf(res)
    const waitSeconds = await failures.count(`sign-in ${clientBlock(call.address)}`)
    next(waitSeconds === null ? error : tooManyInMinute(call, failures.perMinute, waitSeconds))
  }

  const read = readBodyAnd(readBody, (req) => problemsBesideBody(route, req))
  const readJson: RequestHandler = function readJson(req, res, next) {
    return isForm(req) ? next() : read(req, res, next)
  }

  const admitted = [flow.readSignIn, ...admission, count]
  return [...admitted, readJson, checkShape(route), flow.signIn, flow.renderFailure]
}

/** A form is our own page's. */
function checkShape(route: Route): RequestHandler {
  return function checkShape(req, _res, next) {
    const { params, query, body } = req
    if (!isForm(req)) parseInput(route, { params, query, body })
    next()
  }
}
