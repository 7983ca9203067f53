import type { OperationWith } from '../../../schema/generated/operations.ts'
import type { InputSchemas } from '../../http/input.ts'
import { limitAddress } from '../../steps/rate-limit.ts'
import type { RouteOf } from './kind.ts'
import type { RouteRow } from './route.ts'
import { type NamedFile, noteRefusedLink, sendExport } from './send-export.ts'

/** A signed link to a file: any caller who has the link may follow it. */
interface FileRow
  extends RouteRow<OperationWith<NamedFile>>,
    Pick<InputSchemas, 'params' | 'query'> {
  readonly method: 'get'
}

export function fileRoute(row: FileRow): RouteOf<'file', FileRow> {
  const kind = 'file'
  return {
    ...row,
    kind,
    steps: (tools) => [
      limitAddress(tools),
      tools.run({ ...row, kind, sendResult: sendExport(tools.exportFiles, tools.log) }),
      noteRefusedLink(tools.trail),
    ],
    openapi: {
      security: [],
      success: { headers: ['Content-Disposition'], texts: ['text/csv'] },
      refusals: ['FORBIDDEN'],
    },
  }
}
