import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { BodyOf } from '../../../schema/generated/operations.ts'
import { isFieldError } from '../../../schema/vocabulary/error-codes.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { requireFirstParty } from '../../callers/first-party.ts'
import { graphCaller } from '../../callers/graph-caller.ts'
import {
  endedSessionCookie,
  readSessionCookie,
  sessionCookie,
} from '../../callers/session-cookie.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { setBearer } from '../../http/authorization.ts'
import { callOf, headerOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { isForm, readForm } from '../../http/form.ts'
import { send, sendJson } from '../../http/respond.ts'
import type { SendResult } from '../../http/send-result.ts'
import { createFailureLog } from '../../steps/failure-log.ts'
import { type AnonymousLimit, countAddress } from '../../steps/rate-limit.ts'
import { askOwnerPage } from './consent-pages/ask-owner-page.ts'
import { consentPage } from './consent-pages/consent-page.ts'
import { continuePage } from './consent-pages/continue-page.ts'
import { errorPage } from './consent-pages/error-page.ts'
import type { Page } from './consent-pages/page.ts'
import { signInPage } from './consent-pages/sign-in-page.ts'

/**
 * Serves a browser with pages in place of JSON: the pages of sign-in and consent, and the redirects
 * between them and back to the app. There is no script, only forms and redirects. Every redirect is
 * a 303, so that no form is sent twice (RFC 9700 §4.12).
 */
export interface BrowserFlow {
  readonly sendScreen: SendResult<BodyOf<'Authorize'>>
  readonly sendOutcome: SendResult<BodyOf<'Consent'>>
  /** Is the first step of a screen, and may send the browser to another page first. */
  readonly leadToScreen: RequestHandler
  /** Runs before authentication, and takes the key from a form instead of the header. */
  readonly readSignIn: RequestHandler
  readonly signIn: RequestHandler
  readonly signOut: RequestHandler
  /** A browser gets the failure as a page; all other clients get the envelope. */
  readonly renderFailure: ErrorRequestHandler
}

interface BrowserFlowOptions extends AnonymousLimit {
  readonly execute: Execute
  readonly environment: Environment
  readonly keyPrefix: string
  /** `{base_url}/v1` */
  readonly issuer: string
  readonly firstPartyOrigins: ReadonlySet<string>
  /** The address of the operator's own pages, where these replace ours. */
  readonly oauthUiUrl: string | null
  /** Whether this gateway serves the console. */
  readonly hasConsole: boolean
  readonly log: Logger
}

/** The fields of the consent page. */
const budgetFields = ['budgets', 'budget_credits', 'budget_period']

const authorizePath = '/v1/oauth/authorize'

export function browserFlow(options: BrowserFlowOptions): BrowserFlow {
  const { issuer, oauthUiUrl } = options

  const leadToScreen: RequestHandler = async function leadToScreen(req, res, next) {
    // A navigation from another site brings no cookie of ours. A page of ours that asks again
    // brings it.
    const isFromElsewhere = headerOf(req, 'sec-fetch-site') === 'cross-site'
    if (!wantsPage(req) || (oauthUiUrl === null && !isFromElsewhere)) return next()
    await countAddress(callOf(res), options)
    const query = queryOf(req)
    if (oauthUiUrl !== null) return void redirect(res, withQuery(oauthUiUrl, query))
    sendPage(res, continuePage({ query }))
  }

  const sendScreen: BrowserFlow['sendScreen'] = (screen, req, res) => {
    if (!wantsPage(req)) return false
    // With `prompt=none` there must be no page: neither a question nor any other.
    if (screen.redirect_to !== null) return redirect(res, screen.redirect_to)
    const query = queryOf(req)
    const { caller } = callOf(res)
    const mayApprove = !caller || coversScope(caller.scopes, 'oauth:consent')
    // A request that asks for a sign-in of its own may get another person.
    if (!mayApprove && screen.continue_token === null) {
      const { client, account_name: accountName } = screen
      const request = requestOf(req)
      sendPage(res, askOwnerPage({ issuer, request, client, accountName }))
      return true
    }
    const mustSignIn = screen.login_required || caller?.session === undefined
    sendPage(
      res,
      mustSignIn
        ? signInPage({
            query,
            client: screen.client,
            continueToken: screen.continue_token,
            isByLink: (caller?.session?.role ?? null) !== null,
            consoleRequest: consoleRequestOf(requestOf(req), screen.continue_token, options),
            message: null,
            status: 200,
          })
        : consentPage({ query, screen }),
    )
    return true
  }

  const sendOutcome: BrowserFlow['sendOutcome'] = (outcome, req, res) => {
    if (!wantsPage(req)) return false
    const { status, redirect_to: location } = outcome
    if (location !== null) return redirect(res, location)
    // The session has ended meanwhile, or the request is refused: the screen says which of the two.
    if (status !== 'approved') return redirect(res, `${authorizePath}?${requestOf(req)}`)
    return false
  }

  return {
    ...{ leadToScreen, sendScreen, sendOutcome },
    ...sessionPages(options),
    renderFailure: failurePages(options),
  }
}

function redirect(res: Response, location: string, headers = {}): true {
  send(res, 303, '', { Location: location, ...headers })
  return true
}

/** Signs a browser in and out. */
function sessionPages({
  execute,
  environment,
  keyPrefix,
  firstPartyOrigins,
}: BrowserFlowOptions): Pick<BrowserFlow, 'readSignIn' | 'signIn' | 'signOut'> {
  const readSignIn: RequestHandler = function readSignIn(req, res, next) {
    if (!isForm(req)) return next()
    requireFirstParty(req, firstPartyOrigins)
    readForm(req, res, (error?: unknown) => {
      if (error !== undefined) return next(error)
      const { api_key: key = '' } = req.body
      setBearer(req, String(key).trim())
      next()
    })
  }

  const signIn: RequestHandler = async function signIn(req, res) {
    const call = callOf(res)
    const earlier = readSessionCookie(req, environment, keyPrefix)
    const { continue_token: continueToken = null } = Object(req.body)
    const variables = { previous: earlier && sha256(earlier), continue_token: continueToken }
    const opened = await execute('OpenSession', variables, graphCaller(call))
    const { secret, ...session } = opened
    const headers = { 'Set-Cookie': sessionCookie(environment, secret) }
    if (!isForm(req)) return sendJson(res, 201, session, headers)
    redirect(res, `${authorizePath}?${returnTo(req)}`, headers)
  }

  const signOut: RequestHandler = async function signOut(req, res) {
    const secret = readSessionCookie(req, environment, keyPrefix)
    if (secret) {
      requireFirstParty(req, firstPartyOrigins)
      await execute('EndSession', { secret: sha256(secret) }, graphCaller(callOf(res)))
    }
    sendJson(
      res,
      200,
      {},
      {
        'Set-Cookie': endedSessionCookie(environment),
        // Cookies are never cleared: the cookies of the other listener would go too.
        'Clear-Site-Data': '"cache", "storage"',
      },
    )
  }

  return { readSignIn, signIn, signOut }
}

function failurePages(options: BrowserFlowOptions): ErrorRequestHandler {
  const noteFailure = createFailureLog(options.log)
  const signInAgain = (req: Request) => {
    const isSignIn = req.path === '/v1/oauth/session'
    const query = isSignIn ? returnTo(req) : requestOf(req)
    const continueToken = continueTokenOf(req)
    const consoleRequest = consoleRequestOf(query, continueToken, options)
    return { query, continueToken, consoleRequest, client: null }
  }
  return async function renderPage(error, req, res, next) {
    const isSignIn = req.method === 'POST' && isForm(req) && req.path === '/v1/oauth/session'
    // `renderError` logs and answers the failures of the gateway itself.
    const isOurs = !(error instanceof ApiError) || error.status >= 500
    if (isOurs || !(isSignIn || wantsPage(req))) return next(error)
    const call = callOf(res)
    if (!call.rateWindow) await countAddress(call, options)
    if (error.internal !== undefined) noteFailure(error, call)
    call.failure = error
    const { status, code, message, members, headers } = error
    // Whoever is signed in to a suspended account may sign in to another one.
    const page =
      isSignIn || code === 'ACCOUNT_SUSPENDED'
        ? signInPage({
            ...signInAgain(req),
            message: signInProblem(error),
            status,
          })
        : errorPage({
            ...{ status, message, code, requestId: call.requestId },
            returnTo: members.redirect_to ?? null,
            answerAgain: isAnswerWrong(error) ? `${authorizePath}?${requestOf(req)}` : null,
          })
    sendPage(res, { ...page, headers: { ...headers, ...page.headers } })
  }
}

/** A person typed the key, so the message speaks of the key and not of a header. */
function signInProblem({ code, message }: ApiError): string {
  return code === 'AUTHENTICATION_REQUIRED' ? 'This API key is not valid here.' : message
}

/** The request of the app is right: the person has written something wrong on the consent page. */
function isAnswerWrong({ details = [] }: ApiError): boolean {
  return (
    details.length > 0 &&
    details.every((detail) => isFieldError(detail) && budgetFields.includes(detail.field))
  )
}

/** Whether the client prefers a page. The default is JSON. */
function wantsPage(req: Request): boolean {
  return req.accepts(['application/json', 'text/html']) === 'text/html'
}

function sendPage(res: Response, { status, html, headers }: Page): void {
  send(res, status, html, headers)
}

/** The query as the client wrote it. */
function queryOf(req: Request): string {
  const start = req.originalUrl.indexOf('?')
  return start < 0 ? '' : req.originalUrl.slice(start + 1)
}

/** The request of the app, without the parameters that a decision adds. */
function requestOf(req: Request): string {
  const parameters = new URLSearchParams(queryOf(req))
  parameters.delete('consent_token')
  parameters.delete('decision')
  parameters.delete('continue_token')
  for (const name of budgetFields) parameters.delete(name)
  return parameters.toString()
}

/**
 * The request for which a sign-in to the console counts; null: for none. People belong to live, and the console does not
 * sign in for one request alone.
 */
function consoleRequestOf(
  query: string,
  continueToken: string | null,
  { hasConsole, environment }: Pick<BrowserFlowOptions, 'hasConsole' | 'environment'>,
): string | null {
  return hasConsole && environment === 'live' && continueToken === null ? query : null
}

/** The query to return to, never an address: a forged form cannot lead the browser to another site. */
function returnTo(req: Request): string {
  const { return_to: query = '' } = Object(req.body)
  const parameters = new URLSearchParams(String(query))
  const token = continueTokenOf(req)
  // The token of an earlier sign-in has ended, whether or not this sign-in needs one.
  parameters.delete('continue_token')
  if (token !== null) parameters.set('continue_token', token)
  return parameters.toString()
}

/** The continue token of the sign-in form: it names the request that the sign-in is for. */
function continueTokenOf(req: Request): string | null {
  const { continue_token: token = '' } = Object(req.body)
  return String(token) || null
}

function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}
