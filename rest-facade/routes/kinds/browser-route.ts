import type { RequestHandler } from 'express'
import type { z } from 'zod'
import { isForm, readForm } from '../../http/form.ts'
import { problemsBesideBody } from '../../http/input.ts'
import { readBodyAnd } from '../../http/read-body.ts'
import type { Route, RouteOf } from './kind.ts'
import { formType } from './openapi/openapi-part.ts'
import { callerRefusals } from './openapi/security.ts'
import type { OperationRun, RouteRow } from './route.ts'
import { minuteLimit } from './route-tools.ts'
import { type SignInRow, type SignOutRow, signIn, signOut } from './session-routes.ts'

/** The request of an app, and the decision of the account holder. */
interface ApprovalRow extends RouteRow, Pick<OperationRun, 'derived'> {
  readonly browserStep: 'authorize' | 'consent'
  readonly query: z.ZodObject
  /** The fields of the form on a page. */
  readonly body?: z.ZodObject
}

type BrowserRow = ApprovalRow | SignInRow | SignOutRow

/**
 * A step of a browser on its way to an app: it gets a page or a redirect where programs get JSON.
 */
export function browserRoute(row: BrowserRow): RouteOf<'browser', BrowserRow> {
  return { ...row, kind: 'browser', cors: 'first-party', ...partsOf(row) }
}

function partsOf(row: BrowserRow): Pick<Route, 'status' | 'keysOnly' | 'steps' | 'openapi'> {
  switch (row.browserStep) {
    case 'sign-in':
      return signIn(row)
    case 'sign-out':
      return signOut
    default:
      return approval(row)
  }
}

/**
 * The account holder comes with a key or a session; an anonymous caller learns what the app asks.
 */
function approval(row: ApprovalRow): Pick<Route, 'steps' | 'openapi'> {
  const isScreen = row.browserStep === 'authorize'
  const run = { ...row, kind: 'browser', leavesOutNull: true } as const
  return {
    steps: (tools) => {
      const { browser, identifyResourceOwner } = tools
      const sendResult = isScreen ? browser.sendScreen : browser.sendOutcome
      return [
        ...minuteLimit('authorize', tools),
        ...(isScreen ? [browser.leadToScreen] : []),
        ...identifyResourceOwner,
        ...(row.body ? [readFormIfSent(row), tools.identifyResourceOwnerAgain] : []),
        tools.run({ ...run, sendResult }),
        browser.renderFailure,
      ]
    },
    openapi: {
      security: [{ ApiKeyBearer: [] }, { SessionCookie: [] }, {}],
      success: { json: { leavesOutNull: true }, texts: isScreen ? ['text/html'] : [] },
      requestBody: row.body && {
        description: 'The consent page sends this form. The query may have its fields too.',
        required: false,
        content: { [formType]: { example: { budgets: 'day:500,month:5000' } } },
      },
      redirect: ['Location'],
      refusals: callerRefusals,
      refusesWithPage: true,
      isAuthorization: true,
    },
  }
}

/** Clients that send no form need no body. */
function readFormIfSent(row: ApprovalRow): RequestHandler {
  const read = readBodyAnd(readForm, (req) => problemsBesideBody(row, req))
  return function readFormIfSent(req, res, next) {
    return isForm(req) ? read(req, res, next) : next()
  }
}
