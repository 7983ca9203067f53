import { productScopes } from '../../../schema/vocabulary/scopes.ts'
import { quoteAnswer } from '../../charge/quotes/quote-body.ts'
import { quoteCalls, quoteInput } from '../../charge/quotes/quote-calls.ts'
import { problemsBesideBody } from '../../http/input.ts'
import { readBody, readBodyAnd } from '../../http/read-body.ts'
import { requireProductScope } from '../../steps/require-scope.ts'
import type { RouteOf } from './kind.ts'
import { callerRefusals } from './openapi/security.ts'
import type { RouteRow } from './route.ts'

/** Answers what calls would cost. Every caller who may call some product may ask. */
export function quoteRoute(row: RouteRow): RouteOf<'quote', RouteRow> {
  return {
    ...row,
    ...quoteInput,
    kind: 'quote',
    steps: (tools) => [
      ...tools.admission(null, 'free'),
      requireProductScope(tools),
      readBodyAnd(readBody, (req) => problemsBesideBody(quoteInput, req)),
      tools.authenticateAgain,
      quoteCalls(tools),
    ],
    openapi: {
      security: [{ ApiKeyBearer: [] }, ...productScopes.map((scope) => ({ OAuth2: [scope] }))],
      notes: [
        'Needs one of the scopes of products, such as `contacts:read`. `available` and `budget_remaining` are null without `account:read` and without the scope of one of the calls.',
      ],
      requestBody: { content: { 'application/json': {} } },
      success: { json: { schema: quoteAnswer } },
      refusals: callerRefusals,
    },
  }
}
