import type { OperationWith } from '../../../schema/generated/operations.ts'
import { type Call, callerOf, callOf } from '../../http/call.ts'
import type { InputSchemas } from '../../http/input.ts'
import { send } from '../../http/respond.ts'
import type { SendResult } from '../../http/send-result.ts'
import type { Protection } from '../../steps/require-scope.ts'
import type { RouteOf } from './kind.ts'
import { scopePart } from './openapi/security.ts'
import type { RouteRow } from './route.ts'

interface Pdf {
  readonly number: string
  readonly status: string
  /** base64 */
  readonly content: string
}

/** A document of an account. */
interface PdfRow extends RouteRow<OperationWith<Pdf>>, Protection, Pick<InputSchemas, 'params'> {
  readonly method: 'get'
}

export function pdfRoute(row: PdfRow): RouteOf<'pdf', PdfRow> {
  const kind = 'pdf'
  return {
    ...row,
    kind,
    steps: (tools) => [
      ...tools.admission(row, 'document'),
      tools.run({ ...row, kind, sendResult: sendPdf }),
    ],
    openapi: {
      ...scopePart(row),
      success: { headers: ['Content-Disposition'], binaries: ['application/pdf'] },
    },
  }
}

const sendPdf: SendResult<Pdf> = function sendPdf({ number, status, content }, _req, res) {
  send(res, 200, Buffer.from(content, 'base64'), {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="${number}.pdf"`,
    'Cache-Control': cachingOf(status, callOf(res)),
  })
  return true
}

/**
 * How long a browser may keep the PDF. It must not show the PDF after the sign-out, and only an open
 * invoice is printed anew, once it is paid.
 */
function cachingOf(status: string, call: Call): string {
  if (callerOf(call).session) return 'no-store'
  return status === 'open' ? 'private, no-cache' : 'private, max-age=3600'
}
