import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { graphCaller } from '../../callers/graph-caller.ts'
import {
  askCookie,
  knownCookie,
  readAskCookie,
  readKnownCookie,
  readSessionCookie,
  sessionCookie,
} from '../../callers/session-cookie.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { callOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { type InputSchemas, parseInput } from '../../http/input.ts'
import { sendJson } from '../../http/respond.ts'

interface MailOptions {
  readonly execute: Execute
  readonly environment: Environment
  readonly keyPrefix: string
}

/** The steps that sign a browser in by a mail that it has asked for. */
export interface MailSteps {
  readonly ask: (input: InputSchemas) => RequestHandler
  readonly signIn: (input: InputSchemas) => RequestHandler
}

const asked = z.object({ email: z.string() })
const proof = z.object({
  mail_token: z.string().optional(),
  mail_code: z.string().optional(),
  account_id: z.string().optional(),
})

export function mailSteps({ execute, environment, keyPrefix }: MailOptions): MailSteps {
  return {
    ask: (input) =>
      async function askForMail(req, res) {
        parseInput(input, req)
        const { email } = asked.parse(req.body)
        const secret = newOAuthSecret(keyPrefix, 'oak')
        const known = readKnownCookie(req)
        const variables = { email, ask_hash: sha256(secret), known_browser: known }
        const kept = await execute('AskForMail', variables, graphCaller(callOf(res)))
        sendJson(res, 202, kept, { 'Set-Cookie': askCookie(secret) })
      },
    signIn: (input) =>
      async function signInByMail(req, res) {
        parseInput(input, req)
        const { mail_token: token = null, mail_code: code = null, ...rest } = proof.parse(req.body)
        const secret = readAskCookie(req, keyPrefix)
        // Nothing is to be found for a browser that has not asked.
        if (!secret) throw notAsked()
        const cookie = readSessionCookie(req, environment, keyPrefix)
        const variables = {
          ...{ mail_token: token, mail_code: code, account_id: rest.account_id ?? null },
          ...{ ask_hash: sha256(secret), cookie_hash: cookie && sha256(cookie) },
        }
        const caller = graphCaller(callOf(res))
        const signedIn = await execute('SignInByMail', variables, caller)
        const { session, accounts, known_browser: known } = signedIn
        // The person chooses within the time that is left: the request keeps its end.
        if (!session) {
          return sendJson(res, 200, { session, accounts }, { 'Set-Cookie': askCookie(secret) })
        }
        const { secret: opened, ...shown } = session
        const cookies = [sessionCookie(environment, opened)]
        if (known) cookies.push(knownCookie(known))
        sendJson(res, 200, { session: shown, accounts }, { 'Set-Cookie': cookies })
      },
  }
}

/** The same words as those of the subgraph: no answer tells why a link or code does not work. */
function notAsked(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'This link or code does not work here. Use the browser in which you asked for it, or ask for another one.',
  )
}
