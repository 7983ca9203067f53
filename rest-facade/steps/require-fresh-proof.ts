import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import type { CallerSession, Environment } from '../../schema/credentials/caller.ts'
import type { StepUpDetail } from '../../schema/vocabulary/error-codes.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { callerOf, callOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { StepUp } from './step-up/step-up.ts'

interface FreshProofOptions {
  readonly trail: Pick<RefusedCallers, 'note'>
}

/**
 * Refuses a session whose proof is too old. An API key proves itself with every call. Where the body
 * decides, this step runs after the body has been read.
 */
export function requireFreshProof(
  { isAsked: asked }: StepUp,
  { trail }: FreshProofOptions,
): RequestHandler {
  const isAsked = (req: Request) => (typeof asked === 'function' ? asked(Object(req.body)) : asked)

  return function requireFreshProof(req, res, next) {
    const call = callOf(res)
    const { session } = callerOf(call)
    if (!session || session.isProofFresh || !isAsked(req)) return next()
    trail.note(call, 'STEP_UP_REQUIRED')
    next(stepUpRequired(call.environment, session))
  }
}

/** Completes the refusal of a subgraph with the methods by which the session can be proven. */
export const explainStepUp: ErrorRequestHandler = function explainStepUp(error, _req, res, next) {
  const { caller, environment } = callOf(res)
  const session = caller?.session
  const isAsked = error instanceof ApiError && error.code === 'STEP_UP_REQUIRED'
  next(isAsked && session ? stepUpRequired(environment, session, error) : error)
}

function stepUpRequired(
  environment: Environment,
  session: CallerSession,
  cause?: ApiError,
): ApiError {
  const message = 'Prove again who is at the browser: the last proof is too old for this.'
  return new ApiError('STEP_UP_REQUIRED', message, {
    stepUp: { methods: methodsOf(environment, session), return_url: session.returnUrl },
    cause,
  })
}

/**
 * The methods that prove a session. A session of the sandbox whose key is a live key has none: the sandbox
 * does not accept that key, so the person must step up in live.
 */
function methodsOf(environment: Environment, session: CallerSession): StepUpDetail['methods'] {
  const { role, memberId, provenAt } = session
  if (memberId) return methodsOfMember(environment, session)
  if (role !== null) return ['portal_link']
  const isHandedOver = environment === 'sandbox' && provenAt === null
  return isHandedOver ? [] : ['api_key']
}

/**
 * A member is proven in live, where mails and passkeys sign in. With a passkey, a mail is no proof, and nobody mails a code
 * to an address that is not confirmed.
 */
function methodsOfMember(
  environment: Environment,
  { hasPasskey = false, isUnconfirmed = false }: CallerSession,
): StepUpDetail['methods'] {
  if (environment !== 'live') return []
  if (hasPasskey) return ['passkey']
  return isUnconfirmed ? [] : ['mail_code']
}
