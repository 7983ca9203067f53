import { type InputSchemas, problemsBesideBody } from '../../http/input.ts'
import { readBody, readBodyAnd } from '../../http/read-body.ts'
import { mailSteps } from '../../pages/sign-in/mail-steps.ts'
import { isRefusedPasskey, passkeySteps } from '../../pages/sign-in/passkey-steps.ts'
import { isWrongProof, noteWrongProof, portalSteps } from '../../pages/sign-in/portal-steps.ts'
import { countGuesses } from '../../pages/sign-in/session-steps.ts'
import { limitAddress } from '../../steps/rate-limit.ts'
import type { Route, RouteOf } from './kind.ts'
import { callerRefusals } from './openapi/security.ts'
import type { RouteRow } from './route.ts'

interface ProofRow extends RouteRow, Pick<InputSchemas, 'body'> {
  readonly method: 'post'
  readonly portalStep: 'preview' | 'sign-in'
}

interface HandoverRow extends RouteRow {
  readonly method: 'post'
  readonly portalStep: 'hand-over'
}

interface MailRow extends RouteRow, Pick<InputSchemas, 'body'> {
  readonly method: 'post'
  readonly portalStep: 'ask-for-mail' | 'mail'
}

interface PasskeyRow extends RouteRow, Pick<InputSchemas, 'body'> {
  readonly method: 'post'
  readonly portalStep: 'begin-passkey' | 'passkey' | 'prove-by-passkey'
}

type PortalRow = ProofRow | MailRow | PasskeyRow | HandoverRow

/** A step of a person on the way into the console: only its pages take it. */
export function portalRoute(row: PortalRow): RouteOf<'portal', PortalRow> {
  return { ...row, kind: 'portal', ...partsOf(row) }
}

function partsOf(row: PortalRow): Pick<Route, 'status' | 'steps' | 'openapi'> {
  switch (row.portalStep) {
    case 'hand-over':
      return handOver(row)
    case 'ask-for-mail':
    case 'mail':
      return signInByMail(row)
    case 'begin-passkey':
    case 'passkey':
      return signInByPasskey(row)
    case 'prove-by-passkey':
      return proveByPasskey(row)
    default:
      return useProof(row)
  }
}

/** Only the console's page may send the link or code, in the body. */
function useProof({ body, portalStep }: ProofRow): Pick<Route, 'status' | 'steps' | 'openapi'> {
  const isSignIn = portalStep === 'sign-in'
  return {
    status: isSignIn ? 201 : 200,
    steps: (tools) => {
      const portal = portalSteps(tools)
      return [
        limitAddress(tools),
        portal.requireOwnPage,
        readBodyAnd(readBody, (req) => problemsBesideBody({ body }, req)),
        isSignIn ? portal.signIn({ body }) : portal.preview({ body }),
        noteWrongProof(tools.trail),
        countGuesses(tools.failures, isWrongProof),
      ]
    },
    openapi: {
      // A request with the cookie of the same person gives the session a fresh proof.
      security: [{ SessionCookie: [] }, {}],
      requestBody: { required: true, content: { 'application/json': {} } },
      success: isSignIn
        ? { headers: ['Set-Cookie'], json: { withheld: ['secret', 'known_browser'] } }
        : { json: { withheld: ['is_usable', 'key', 'key_id'], leavesOutNull: ['invited_by'] } },
      refusals: ['FORBIDDEN', 'NOT_FOUND'],
    },
  }
}

/**
 * Hands the session of a browser over to the other listener. An API key has no session, and the
 * graph refuses it.
 */
function handOver(row: HandoverRow): Pick<Route, 'status' | 'steps' | 'openapi'> {
  const run = { ...row, kind: 'portal', status: 201 } as const
  // Every key and role has this scope.
  const protection = { scope: 'openid', keysOnly: true }
  return {
    status: 201,
    steps: (tools) => [...tools.admission(protection, 'free'), tools.run(run)],
    openapi: { security: [{ SessionCookie: [] }], success: { json: {} }, refusals: callerRefusals },
  }
}

/** Only the console's page may ask for a mail, and send what the mail has. */
function signInByMail({ body, portalStep }: MailRow): Pick<Route, 'status' | 'steps' | 'openapi'> {
  const isAsking = portalStep === 'ask-for-mail'
  return {
    status: isAsking ? 202 : 200,
    steps: (tools) => {
      const { ask, signIn } = mailSteps(tools)
      return [
        limitAddress(tools),
        portalSteps(tools).requireOwnPage,
        readBodyAnd(readBody, (req) => problemsBesideBody({ body }, req)),
        isAsking ? ask({ body }) : signIn({ body }),
        noteWrongProof(tools.trail),
      ]
    },
    openapi: {
      // With the cookie of the same member, the session is proven.
      security: isAsking ? [] : [{ SessionCookie: [] }, {}],
      requestBody: { required: true, content: { 'application/json': {} } },
      success: isAsking
        ? { headers: ['Set-Cookie'], json: {} }
        : { headers: ['Set-Cookie'], json: { withheld: ['secret', 'known_browser'] } },
      refusals: isAsking ? ['FORBIDDEN', 'CONFLICT'] : ['FORBIDDEN', 'NOT_FOUND'],
    },
  }
}

/** Only the console's page may ask for a challenge, and answer it. */
function signInByPasskey({
  body,
  portalStep,
}: PasskeyRow): Pick<Route, 'status' | 'steps' | 'openapi'> {
  const isAnswer = portalStep === 'passkey'
  return {
    status: 200,
    steps: (tools) => {
      const { begin, signIn } = passkeySteps(tools)
      return [
        limitAddress(tools),
        portalSteps(tools).requireOwnPage,
        ...(body ? [readBodyAnd(readBody, (req) => problemsBesideBody({ body }, req))] : []),
        isAnswer ? signIn({ body }) : begin({}),
        ...(isAnswer ? [countGuesses(tools.failures, isRefusedPasskey)] : []),
      ]
    },
    openapi: {
      // With the cookie of the same member, the session is proven.
      security: [{ SessionCookie: [] }, {}],
      requestBody: body && { required: true, content: { 'application/json': {} } },
      success: {
        headers: ['Set-Cookie'],
        json: isAnswer ? { withheld: ['secret', 'known_browser'] } : {},
      },
      refusals: ['FORBIDDEN', 'CONFLICT'],
    },
  }
}

/** Proves the session that calls: everything else about it stays, but its cookie. */
function proveByPasskey({ body }: PasskeyRow): Pick<Route, 'status' | 'steps' | 'openapi'> {
  const protection = { scope: 'openid', keysOnly: true }
  return {
    status: 200,
    steps: (tools) => [
      ...tools.admission(protection, 'free'),
      readBodyAnd(readBody, (req) => problemsBesideBody({ body }, req)),
      tools.authenticateAgain,
      passkeySteps(tools).prove({ body }),
    ],
    openapi: {
      security: [{ SessionCookie: [] }],
      requestBody: { required: true, content: { 'application/json': {} } },
      success: { headers: ['Set-Cookie'], json: { withheld: ['secret'] } },
      refusals: [...callerRefusals, 'NOT_FOUND', 'CONFLICT'],
    },
  }
}
