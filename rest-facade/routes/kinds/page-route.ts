import type { z } from 'zod'
import type { BodyOf, OperationName } from '../../../schema/generated/operations.ts'
import { readForm } from '../../http/form.ts'
import { problemsBesideBody } from '../../http/input.ts'
import { readBodyAnd } from '../../http/read-body.ts'
import { send } from '../../http/respond.ts'
import type { Page } from '../../pages/sign-in/consent-pages/page.ts'
import { limitAddress } from '../../steps/rate-limit.ts'
import type { RouteOf } from './kind.ts'
import { formType } from './openapi/openapi-part.ts'
import type { RouteRow } from './route.ts'

/** A page behind a link that we signed: the link is the permission. */
interface PageRow<Name extends OperationName> extends RouteRow<Name> {
  readonly method: 'get' | 'post'
  readonly query: z.ZodObject
  /** The fields of the page's form. Without them a POST takes no body. */
  readonly body?: z.ZodObject
  /** A valid form, for the documentation. */
  readonly formExample?: Readonly<Record<string, unknown>>
  /** The path is not below /v1, because people see it. */
  readonly isRooted?: boolean
  /** Some answers send the browser on: 303. */
  readonly leadsOn?: boolean
  readonly pageOf: (result: BodyOf<Name>) => Page
}

export function pageRoute<Name extends OperationName>(
  row: PageRow<Name>,
): RouteOf<'page', PageRow<Name>> {
  const kind = 'page'
  const { pageOf } = row
  return {
    ...row,
    kind,
    steps: (tools) => [
      limitAddress(tools),
      ...(row.body ? [readBodyAnd(readForm, (req) => problemsBesideBody(row, req))] : []),
      tools.run({
        ...row,
        kind,
        sendResult(result: BodyOf<Name>, _req, res) {
          const { status, html, headers } = pageOf(result)
          send(res, status, html, headers)
          return true
        },
      }),
      tools.browser.renderFailure,
    ],
    openapi: {
      security: [],
      requestBody: row.body && { content: { [formType]: { example: row.formExample } } },
      success: { texts: ['text/html'] },
      redirect: row.leadsOn ? ['Location'] : undefined,
      refusesWithPage: true,
      refusals: ['NOT_FOUND', 'CONFLICT'],
    },
  }
}
