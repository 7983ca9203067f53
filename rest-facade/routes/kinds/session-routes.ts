import type { RequestHandler } from 'express'
import { z } from 'zod'
import { readSessionCookie } from '../../callers/session-cookie.ts'
import { callOf } from '../../http/call.ts'
import {
  checkUnlessForm,
  countWrongKeys,
  readJsonUnlessForm,
} from '../../pages/sign-in/session-steps.ts'
import { countAddress, refusalOf } from '../../steps/rate-limit.ts'
import type { Route } from './kind.ts'
import { formType, type RequestBody } from './openapi/openapi-part.ts'
import { scopePart } from './openapi/security.ts'
import type { RouteRow } from './route.ts'
import type { RouteTools } from './route-tools.ts'

export interface SignInRow extends RouteRow {
  readonly browserStep: 'sign-in'
  readonly scope: string
  readonly body: z.ZodObject
}

export interface SignOutRow extends RouteRow {
  readonly browserStep: 'sign-out'
}

/** Only our own page sends the form. */
const signInBody: RequestBody = {
  description: 'Empty; or the form of the sign-in page.',
  required: false,
  content: {
    'application/json': {},
    [formType]: {
      schema: {
        type: 'object',
        properties: {
          api_key: { type: 'string', description: 'The key, in place of the header.' },
          return_to: { type: 'string', description: 'The query of the screen to return to.' },
        },
      },
      example: {
        api_key: 'svc_live_00000000000000000000000000000000EXAMPLE',
        return_to: 'response_type=code&client_id=app_01kf0x4v2e5n8p0q3r5s7t9w10',
      },
    },
  },
}

/**
 * Signs a browser in with an API key. An access token cannot sign in (docs/oauth-rules.md §1.10).
 */
export function signIn({ scope, body }: SignInRow) {
  const protection = { scope, keysOnly: true }
  const parts: Pick<Route, 'status' | 'keysOnly' | 'steps' | 'openapi'> = {
    keysOnly: true,
    status: 201,
    steps: (tools) => [
      tools.browser.readSignIn,
      ...tools.admission(protection, null),
      countWrongKeys(tools.failures),
      readJsonUnlessForm({ body }),
      checkUnlessForm({ body }),
      tools.browser.signIn,
      tools.browser.renderFailure,
    ],
    openapi: {
      ...scopePart(protection),
      requestBody: signInBody,
      // The secret goes into the cookie alone.
      success: { headers: ['Set-Cookie'], json: { withheld: ['secret'] } },
      redirect: ['Location', 'Set-Cookie'],
      refusesWithPage: true,
    },
  }
  return parts
}

/**
 * Limits anonymous callers by address. A browser that is signed in may always sign out: requests of others
 * at its address do not count.
 */
function limitUnlessSignedIn(tools: RouteTools): RequestHandler {
  const { environment, keyPrefix, findSession } = tools
  return async function limitUnlessSignedIn(req, res, next) {
    const call = callOf(res)
    await countAddress(call, tools)
    const tooMany = refusalOf(call)
    const secret = tooMany && readSessionCookie(req, environment, keyPrefix)
    const found = secret && (await findSession(secret, call.address))
    next(found ? undefined : tooMany)
  }
}

/** Ends the session of the browser, if it has one: it is open to anonymous callers. */
export const signOut: Pick<Route, 'steps' | 'openapi'> = {
  steps: (tools) => [limitUnlessSignedIn(tools), checkUnlessForm({}), tools.browser.signOut],
  openapi: {
    security: [],
    success: { headers: ['Set-Cookie', 'Clear-Site-Data'], json: { schema: z.strictObject({}) } },
    refusals: ['FORBIDDEN'],
  },
}
