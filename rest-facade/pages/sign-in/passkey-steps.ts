import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { graphCaller } from '../../callers/graph-caller.ts'
import {
  knownCookie,
  passkeyCookie,
  readPasskeyCookie,
  readSessionCookie,
  sessionCookie,
} from '../../callers/session-cookie.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { callerOf, callOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { type InputSchemas, parseInput } from '../../http/input.ts'
import { sendJson } from '../../http/respond.ts'

interface PasskeyOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly keyPrefix: string
}

/** The steps by which a passkey signs a browser in, or proves its session. */
export interface PasskeySteps {
  /** Gives the browser a challenge, and a cookie that goes with it. */
  readonly begin: (input: InputSchemas) => RequestHandler
  readonly signIn: (input: InputSchemas) => RequestHandler
  /** Proves the session that calls: its cookie is new. */
  readonly prove: (input: InputSchemas) => RequestHandler
}

const signed = z.object({
  credential: z.looseObject({}).optional(),
  account_id: z.string().optional(),
})

export function passkeySteps({ execute, environment, keyPrefix }: PasskeyOptions): PasskeySteps {
  return {
    begin: (input) =>
      async function beginPasskeySignIn(req, res) {
        parseInput(input, req)
        const secret = newOAuthSecret(keyPrefix, 'opk')
        const variables = { challenge_hash: sha256(secret) }
        const asked = await execute('BeginPasskeySignIn', variables, graphCaller(callOf(res)))
        sendJson(res, 200, asked, { 'Set-Cookie': passkeyCookie(secret) })
      },
    signIn: (input) =>
      async function signInWithPasskey(req, res) {
        parseInput(input, req)
        const { credential = null, account_id: accountId = null } = signed.parse(req.body)
        const secret = readPasskeyCookie(req, keyPrefix)
        if (!secret) throw notBegun
        const cookie = readSessionCookie(req, environment, keyPrefix)
        const variables = {
          ...{ credential, account_id: accountId, challenge_hash: sha256(secret) },
          cookie_hash: cookie && sha256(cookie),
        }
        const caller = graphCaller(callOf(res))
        const signedIn = await execute('SignInWithPasskey', variables, caller)
        const { session, accounts, known_browser: known } = signedIn
        if (!session) {
          // The same browser chooses next.
          return sendJson(res, 200, { session, accounts }, { 'Set-Cookie': passkeyCookie(secret) })
        }
        const { secret: opened, ...shown } = session
        const cookies = [sessionCookie(environment, opened)]
        if (known) cookies.push(knownCookie(known))
        sendJson(res, 200, { session: shown, accounts }, { 'Set-Cookie': cookies })
      },
    prove: (input) =>
      async function proveWithPasskey(req, res) {
        const call = callOf(res)
        parseInput(input, req)
        const { credential = {} } = signed.parse(req.body)
        const cookie = readSessionCookie(req, environment, keyPrefix)
        if (!cookie) throw new ApiError('NOT_FOUND', 'An API key proves itself with every call.')
        const variables = { credential, cookie_hash: sha256(cookie) }
        const opened = await execute('ProveWithPasskey', variables, callerOf(call))
        const { secret, ...shown } = opened
        sendJson(res, 200, shown, { 'Set-Cookie': sessionCookie(environment, secret) })
      },
  }
}

const notBegun = new ApiError(
  'FORBIDDEN',
  'This browser has not begun to sign in with a passkey. Try again.',
)

/** Whether a passkey was refused: repeated tries from an address are slowed down. */
export function isRefusedPasskey(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'FORBIDDEN'
}
