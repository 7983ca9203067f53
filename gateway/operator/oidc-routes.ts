import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Logger } from 'pino'
import { type Call, callOf, headerOf, logFieldsOf } from '../../rest-facade/http/call.ts'
import { type Headers, send } from '../../rest-facade/http/respond.ts'
import { methodNotAllowed } from '../../rest-facade/http/unknown-route.ts'
import type { Page } from '../../rest-facade/pages/sign-in/consent-pages/page.ts'
import { nameRoute } from '../../rest-facade/routes/kinds/route.ts'
import * as pages from './oidc/failure-pages.ts'
import type { Identity } from './oidc/identity.ts'
import { IssuerFailure, issuerFailure, NoNewLogin } from './oidc/issuer-failure.ts'
import { type Arrival, arrive, type Departure, depart, type OidcClient } from './oidc/sign-in.ts'
import { endedStateCookie, type SignInState, stateOf } from './oidc/sign-in-state.ts'
import type { Operator, OperatorSessions } from './operator-sessions.ts'

interface OidcRouteOptions {
  readonly oidc: OidcClient
  readonly sessions: OperatorSessions
  readonly log: Logger
  /** Headers of all answers below /operator. */
  readonly headers: Headers
}

/** Sign-in at an issuer: `GET /operator/sign-in` leads there, and `GET /operator/callback` is where it leads back. */
export function oidcRoutes(options: OidcRouteOptions): Router {
  const { headers } = options
  const routes = Router({ caseSensitive: true, strict: true })
  const named = (route: string) => nameRoute({ route, headers })
  routes.get('/operator/sign-in', named('/operator/sign-in'), beginSignIn(options))
  routes.get('/operator/callback', named('/operator/callback'), finishSignIn(options))
  routes.all(['/operator/sign-in', '/operator/callback'], methodNotAllowed(['GET', 'HEAD']))
  return routes
}

/**
 * Leads to the issuer. `return`: a path of the page; `step_up=1`: the person must sign in there again. Who comes from a
 * page elsewhere is led to the page itself, which has a button.
 */
function beginSignIn({ oidc, sessions, log }: OidcRouteOptions): RequestHandler {
  const { baseUrl, issuer } = oidc.settings
  return async function beginSignIn(req, res) {
    const call = callOf(res)
    const returnTo = returnPathOf(req.query.return, baseUrl)
    if (!isOwnWish(req)) return send(res, 303, '', { Location: returnTo })
    const previousHash = sessions.hashOf(req)
    const isStepUp = req.query.step_up === '1'
    const departure = await depart(oidc, { returnTo, previousHash, isStepUp }).catch(issuerFailure)
    if (!(departure instanceof IssuerFailure)) return leave(res, departure)
    note(log, call, departure)
    show(res, pages.unavailablePage(issuer))
  }
}

/**
 * Whether no page of another origin asks. The issuer may sign a browser in without a question, and from elsewhere the
 * browser does not send the cookie of the session that would end. Every browser that the page supports sends
 * `Sec-Fetch-Site`; without it, a program asks, which no page can mislead.
 */
function isOwnWish(req: Request): boolean {
  return ['', 'none', 'same-origin'].includes(headerOf(req, 'sec-fetch-site'))
}

/** Signs in whom the issuer names, in the browser that it was begun in. */
function finishSignIn({ oidc, sessions, log }: OidcRouteOptions): RequestHandler {
  const { baseUrl, issuer, key, roles } = oidc.settings

  /** Opens the session; returns its cookie, or a page that says why there is none. */
  async function open(
    {
      req,
      call,
      state,
    }: { readonly req: Request; readonly call: Call; readonly state: SignInState },
    { identity, refreshToken }: Arrival,
  ): Promise<string | Page> {
    const { subject, name, role, authTime } = identity
    if (role === null) {
      log.warn(
        { ...logFieldsOf(call), subject },
        'A person without a role has signed in at the issuer',
      )
      return pages.noRolePage(roles.claim, subject)
    }
    const { previousHash } = state
    const previous = previousHash === null ? null : await sessions.find(previousHash, call)
    const refusal = state.isStepUp ? refusedStepUp(previous, identity) : null
    if (refusal) return refusal
    // A confirmation with another name or role is a sign-in.
    const isStepUp = state.isStepUp && previous?.name === name && previous.role === role
    // An issuer that does not say when somebody has signed in proves no fresh sign-in.
    const provenAt = authTime ?? new Date(0)
    const proof = { name, role, provenAt, oidc: { sub: subject, refreshToken } }
    return sessions.open(req, call, proof, { isStepUp, previousHash })
  }

  return async function finishSignIn(req, res) {
    const call = callOf(res)
    const state = stateOf(req, key)
    if (!state) return show(res, pages.unknownSignInPage())
    const { searchParams } = new URL(req.originalUrl, baseUrl)
    const arrived = await arrive(oidc, searchParams, state).catch(issuerFailure)
    if (arrived instanceof IssuerFailure) {
      note(log, call, arrived)
      return show(res, failurePageOf(arrived, issuer))
    }
    if ('url' in arrived) return leave(res, arrived)
    const opened = await open({ req, call, state }, arrived)
    if (typeof opened !== 'string') return show(res, opened)
    const cookies = [opened, endedStateCookie]
    send(res, 303, '', { Location: state.returnTo, 'Set-Cookie': cookies })
  }
}

/** Why a step-up does not confirm the session of before; null: it does, or there is none any more. */
function refusedStepUp(previous: Operator | null, { subject, authTime }: Identity): Page | null {
  if (!previous?.oidc) return null
  if (previous.oidc.sub !== subject) return pages.otherPersonPage()
  const isNewer = authTime !== null && authTime.getTime() > Date.parse(previous.provenAt)
  return isNewer ? null : pages.noNewLoginPage()
}

function failurePageOf(failure: IssuerFailure, issuer: string): Page {
  if (failure instanceof NoNewLogin) return pages.noNewLoginPage()
  return failure.kind === 'unavailable' ? pages.unavailablePage(issuer) : pages.refusedPage(issuer)
}

function note(log: Logger, call: Call, { reason }: IssuerFailure): void {
  log.warn(
    { ...logFieldsOf(call), internal: reason },
    'An operator could not sign in at the issuer',
  )
}

function leave(res: Response, { url, cookie }: Departure): void {
  send(res, 303, '', { Location: url, 'Set-Cookie': cookie })
}

/** A sign-in that has failed is over: the code is of no use, so the browser keeps no state of it. */
function show(res: Response, { status, html, headers }: Page): void {
  send(res, status, html, { ...headers, 'Set-Cookie': endedStateCookie })
}

const longestReturn = 500
/** These are no screens. */
const noScreens = new Set(['/operator/api', '/operator/sign-in', '/operator/callback'])

/** A path of the page, with its query; `/operator` for everything else. */
function returnPathOf(value: unknown, baseUrl: string): string {
  const text = typeof value === 'string' && value.length <= longestReturn ? value : ''
  const url = URL.parse(text, baseUrl)
  const isOwn = url?.origin === baseUrl && /^\/operator(\/|$)/.test(url.pathname)
  return isOwn && !noScreens.has(url.pathname) ? url.pathname + url.search : '/operator'
}
