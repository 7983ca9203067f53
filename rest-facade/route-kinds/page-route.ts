import type { z } from 'zod'
import { send } from '../http/respond.ts'
import { limitAddress } from '../middleware/rate-limit.ts'
import type { Page } from '../sign-in/consent-pages/page.ts'
import type { RouteOf } from './kind.ts'
import type { RouteRow } from './route.ts'

/** A page behind a link of a mail: the link is the permission. Its POST takes no body. */
interface PageRow extends RouteRow {
  readonly method: 'get' | 'post'
  readonly query: z.ZodObject
  readonly pageOf: (result: unknown) => Page
}

export function pageRoute(row: PageRow): RouteOf<'page', PageRow> {
  const kind = 'page'
  const { pageOf } = row
  return {
    ...row,
    kind,
    steps: (tools) => [
      limitAddress(tools),
      tools.run({
        ...row,
        kind,
        present(result, _req, res) {
          const { status, html, headers } = pageOf(result)
          send(res, status, html, headers)
          return true
        },
      }),
      tools.browser.renderFailure,
    ],
    openapi: {
      security: [],
      success: { texts: ['text/html'] },
      refusesWithPage: true,
      refusals: ['NOT_FOUND', 'CONFLICT'],
    },
  }
}
