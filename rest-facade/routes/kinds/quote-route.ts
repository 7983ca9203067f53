import { quoteAnswer } from '../../charge/quotes/quote-body.ts'
import { quoteCalls, quoteInput } from '../../charge/quotes/quote-calls.ts'
import { problemsBesideBody } from '../../http/input.ts'
import { readBody, readBodyAnd } from '../../http/read-body.ts'
import type { RouteOf } from './kind.ts'
import { callerRefusals } from './openapi/security.ts'
import type { RouteRow } from './route.ts'

/** Answers what calls would cost. Every API key and access token may ask. */
export function quoteRoute(row: RouteRow): RouteOf<'quote', RouteRow> {
  return {
    ...row,
    ...quoteInput,
    kind: 'quote',
    steps: (tools) => [
      ...tools.admission(null, 'free'),
      readBodyAnd(readBody, (req) => problemsBesideBody(quoteInput, req)),
      tools.authenticateAgain,
      quoteCalls(tools),
    ],
    openapi: {
      security: [{ ApiKeyBearer: [] }, { OAuth2: [] }],
      notes: ['Needs no scope: every API key and every access token will do.'],
      requestBody: { content: { 'application/json': {} } },
      success: { json: { schema: quoteAnswer } },
      refusals: callerRefusals,
    },
  }
}
