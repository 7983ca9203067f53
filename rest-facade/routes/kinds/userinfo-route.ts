import { audiences } from '../../../schema/vocabulary/audiences.ts'
import type { InputSchemas } from '../../http/input.ts'
import { readTokenForm } from '../../steps/read-token-form.ts'
import type { RouteOf } from './kind.ts'
import { formType, type RequestBody } from './openapi/openapi-part.ts'
import { scopePart } from './openapi/security.ts'
import type { RouteRow } from './route.ts'

/** The UserInfo endpoint (OpenID Connect Core §5.3): GET and POST, both only read. */
interface UserinfoRow extends RouteRow, Pick<InputSchemas, 'query'> {
  readonly scope: 'openid'
  /** The name of the route in the documentation, because the operation serves two routes. */
  readonly operationId?: string
}

/** RFC 6750 §2.2 */
const tokenForm: RequestBody = {
  description: 'The access token, where it is not in the header.',
  required: false,
  content: {
    [formType]: {
      schema: {
        type: 'object',
        properties: { access_token: { type: 'string', description: 'The access token.' } },
      },
    },
  },
}

export function userinfoRoute(row: UserinfoRow): RouteOf<'userinfo', UserinfoRow> {
  const kind = 'userinfo'
  const takesForm = row.method === 'post'
  const leavesOutNull = true
  return {
    ...row,
    kind,
    cors: 'any-client',
    steps: (tools) => [
      ...(takesForm ? [readTokenForm(tools.idempotency.keyPrefix)] : []),
      // Who the account holder is, an app may ask with any token that was granted to it.
      ...tools.admission({ ...row, audiences }, null),
      tools.run({ ...row, kind, leavesOutNull }),
    ],
    openapi: {
      ...scopePart(row),
      notes: ['Any API key will do; an access token needs the scope `openid`.'],
      requestBody: takesForm ? tokenForm : undefined,
      success: { json: { leavesOutNull } },
    },
  }
}
