import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { z } from 'zod'
import { type Environment, serviceCaller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { addressMatcher } from '../../../schema/vocabulary/ip-allowlist.ts'
import { isOfOwnPage } from '../../callers/cookie-use.ts'
import { graphCaller } from '../../callers/graph-caller.ts'
import type { RefusedCallers } from '../../callers/refused-callers.ts'
import { knownCookie, readSessionCookie, sessionCookie } from '../../callers/session-cookie.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { type Call, callOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { type InputSchemas, parseInput } from '../../http/input.ts'
import { sendJson } from '../../http/respond.ts'

interface PortalOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly keyPrefix: string
  /** `{base_url}/v1` of this listener. */
  readonly issuer: string
}

/** The steps that sign a browser in by a portal link, or by the code of a handover. */
export interface PortalSteps {
  readonly requireOwnPage: RequestHandler
  /** Says whom the link or code would sign in; changes nothing. */
  readonly preview: (input: InputSchemas) => RequestHandler
  readonly signIn: (input: InputSchemas) => RequestHandler
}

const proof = z.object({
  portal_token: z.string().optional(),
  handover_code: z.string().optional(),
  invitation_token: z.string().optional(),
})

export function portalSteps(options: PortalOptions): PortalSteps {
  const { execute, environment, keyPrefix } = options
  const ownOrigin = new URL(options.issuer).origin

  function variablesOf(req: Request, input: InputSchemas): Record<string, string | null> {
    parseInput(input, req)
    const { portal_token: token, handover_code: code, ...rest } = proof.parse(req.body)
    const cookie = readSessionCookie(req, environment, keyPrefix)
    return {
      portal_token_hash: token === undefined ? null : sha256(token),
      handover_code_hash: code === undefined ? null : sha256(code),
      invitation_token: rest.invitation_token ?? null,
      cookie_hash: cookie && sha256(cookie),
    }
  }

  /**
   * Finds whom a secret would sign in. A key that is not accepted, or not from this address, opens
   * no session.
   */
  async function find(call: Call, variables: Record<string, string | null>) {
    const { requestId, traceId } = call
    const asService = serviceCaller({ environment, requestId, traceId })
    const found = await execute('GetSignInPreview', variables, asService).catch(rethrow)
    if (!found) throw wrongProof
    const { is_usable: isUsable, key, key_id: keyId, invited_by: invitedBy, ...rest } = found
    const preview = invitedBy === null ? rest : { ...rest, invited_by: invitedBy }
    const allowed = key?.ip_allowlist ?? []
    const isAllowed = allowed.length === 0 || addressMatcher(allowed)(call.address)
    if (!isUsable || (keyId !== null && !(key && isAllowed))) throw refusal()
    return preview
  }

  return {
    requireOwnPage: function ownPageOnly(req, _res, next) {
      next(isOfOwnPage(req, ownOrigin) ? undefined : foreignPage)
    },
    preview: (input) =>
      async function previewSignIn(req, res) {
        sendJson(res, 200, await find(callOf(res), variablesOf(req, input)))
      },
    signIn: (input) =>
      async function openProvenSession(req, res) {
        const call = callOf(res)
        const variables = variablesOf(req, input)
        await find(call, variables)
        const opened = await execute('OpenProvenSession', variables, graphCaller(call)).catch(
          rethrow,
        )
        const { secret, known_browser: known, ...session } = opened
        const cookies = [sessionCookie(environment, secret)]
        if (known) cookies.push(knownCookie(known))
        sendJson(res, 201, session, { 'Set-Cookie': cookies })
      },
  }
}

const foreignPage = new ApiError('FORBIDDEN', 'Only a page of this gateway may ask this.')

/** The one answer to all links and codes that do not sign in: it tells nothing about them. */
function refusal(): ApiError {
  return new ApiError('NOT_FOUND', 'This link is invalid or no longer works. Ask for another one.')
}

/** Refuses a link or code that another request has used, or that a later one has replaced. */
function rethrow(error: unknown): never {
  throw error instanceof ApiError && error.code === 'NOT_FOUND' ? refusal() : error
}

/** The refusal of a link or code that nobody has made. */
const wrongProof = refusal()

/** Whether the caller has guessed: a link that was used before is not a guess. */
export function isWrongProof(error: unknown): boolean {
  return error === wrongProof
}

/** Counts a link or code that does not sign in like any other failure of an anonymous caller. */
export function noteWrongProof(trail: RefusedCallers): ErrorRequestHandler {
  return function noteWrongProof(error, _req, res, next) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') {
      trail.note(callOf(res), 'NOT_FOUND')
    }
    next(error)
  }
}
