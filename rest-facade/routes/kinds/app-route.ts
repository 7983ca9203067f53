import { z } from 'zod'
import type { OAuthErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import type { Call } from '../../http/call.ts'
import { readForm } from '../../http/form.ts'
import { sendJson } from '../../http/respond.ts'
import type { SendResult } from '../../http/send-result.ts'
import { authenticateClient } from '../../steps/authenticate-client.ts'
import type { RouteOf } from './kind.ts'
import { formType } from './openapi/openapi-part.ts'
import type { OperationRun, RouteRow } from './route.ts'
import { type LimitedByMinute, minuteLimit, type RouteTools } from './route-tools.ts'

/** An endpoint of the OAuth protocol: an app calls it with a form (RFC 6749 §2.3). */
interface AppRow extends RouteRow, Pick<OperationRun, 'headers'> {
  readonly method: 'post'
  /** The fields of the form, beside those that name the app. */
  readonly body: z.ZodObject
  readonly minuteLimit: LimitedByMinute
  /** Protocol errors besides `invalid_client` (RFC 6749 §5.2): for the documentation. */
  readonly oauthErrors?: readonly OAuthErrorCode[]
  /**
   * Only an app with a secret may call. A page in a browser has none, so no page may read the
   * answer.
   */
  readonly confidentialOnly?: boolean
  /** The answer is `{}`, whatever the operation found. */
  readonly answersNothing?: boolean
}

/** A form endpoint ignores the query of its address (RFC 6749 §2.3.1, §3.2). */
const query = z.object({})

const nothing = z.strictObject({})
const sendNothing: SendResult = (_result, _req, res) => {
  sendJson(res, 200, {})
  return true
}

/** How an app that does not use the header names itself (RFC 6749 §2.3.1). */
const clientFields = {
  client_id: { type: 'string', description: 'The app, where the header does not name it.' },
  client_secret: {
    type: 'string',
    description: 'The secret of a confidential app that does not use the header.',
  },
}

export function appRoute(row: AppRow): RouteOf<'app', AppRow> {
  const { headers = {}, confidentialOnly, answersNothing, oauthErrors = [] } = row
  const kind = 'app'
  const sendResult = answersNothing ? sendNothing : undefined
  return {
    ...row,
    kind,
    query,
    cors: confidentialOnly ? 'nobody' : 'clients',
    steps: (tools) => [
      ...minuteLimit(row.minuteLimit, tools),
      readForm,
      authenticateClient(row, { ...tools, noteFailure: noteFailure(tools) }),
      tools.run({ ...row, kind, query, leavesOutNull: true, sendResult }),
    ],
    openapi: {
      security: [{ ClientSecretBasic: [] }, {}],
      requestBody: { content: { [formType]: { moreMembers: clientFields } } },
      success: {
        headers: Object.keys(headers),
        json: answersNothing ? { schema: nothing } : { leavesOutNull: true },
      },
      oauthErrors: ['invalid_client', ...oauthErrors],
    },
  }
}

function noteFailure({ trail }: RouteTools) {
  return (call: Call) => trail.note(call, 'invalid_client')
}
