import { type InputSchemas, problemsBesideBody } from '../../http/input.ts'
import { readBody, readBodyAnd } from '../../http/read-body.ts'
import { limitAddress } from '../../middleware/rate-limit.ts'
import { isWrongProof, noteWrongProof, portalSteps } from '../../sign-in/portal-steps.ts'
import { countGuesses } from '../../sign-in/session-steps.ts'
import type { RouteOf } from '../kind.ts'
import type { RouteRow } from '../route.ts'

/** A page of this listener shows a link or code, which stands in the body: nobody else may. */
interface PortalRow extends RouteRow, Pick<InputSchemas, 'body'> {
  readonly method: 'post'
  readonly portalStep: 'preview' | 'sign-in'
}

export function portalRoute(row: PortalRow): RouteOf<'portal', PortalRow> {
  const { body, portalStep } = row
  const isSignIn = portalStep === 'sign-in'
  return {
    ...row,
    kind: 'portal',
    status: isSignIn ? 201 : 200,
    steps: (tools) => {
      const { keyPrefix } = tools.idempotency
      const portal = portalSteps({ ...tools, keyPrefix })
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
      // With the cookie of the same person it proves his session anew.
      security: [{ SessionCookie: [] }, {}],
      requestBody: { required: true, content: { 'application/json': {} } },
      success: isSignIn
        ? { headers: ['Set-Cookie'], json: { withheld: ['secret'] } }
        : { json: { withheld: ['is_usable', 'key', 'key_id'] } },
      refusals: ['FORBIDDEN', 'NOT_FOUND'],
    },
  }
}
