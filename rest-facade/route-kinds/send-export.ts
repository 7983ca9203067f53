import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ErrorRequestHandler } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { AccessTrail } from '../callers/refused-callers.ts'
import { callOf, logFieldsOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { isGone, startStream } from '../http/respond.ts'
import type { Present } from './route.ts'

/** Where results of exports are. */
export interface ExportFiles {
  /** Null when there is none of this name. */
  open(name: string): Promise<{ readonly bytes: number; readonly stream: Readable } | null>
}

const result = z.object({ file: z.string(), fileName: z.string() })

/** Who takes nothing for so long has gone, and holds what others could use. */
const idleMs = 60_000

/** Sends the file as fast as it is taken; whoever hangs up lets go of everything. */
export function sendExport(files: ExportFiles | null, log: Logger): Present {
  return async function sendExport(value, req, res) {
    const { file, fileName } = result.parse(value)
    const opened = (await files?.open(file)) ?? null
    if (!opened) throw new ApiError('NOT_FOUND', 'The result has been deleted.')
    const { bytes, stream } = opened
    if (req.method === 'HEAD' || isGone(res)) stream.destroy()
    startStream(res, {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Length': String(bytes),
      'Content-Disposition': `attachment; filename="${fileName}"`,
    })
    if (stream.destroyed) {
      res.end()
      return true
    }
    res.setTimeout(idleMs, () => res.destroy())
    try {
      await pipeline(stream, res)
    } catch (error) {
      // Half a file shows by its length. The answer has begun, so only the log can be told.
      if (!isHangUp(error)) {
        log.warn(
          { err: error, ...logFieldsOf(callOf(res)), file },
          'A result could not be sent whole',
        )
      }
    }
    return true
  }
}

function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** A link that is refused is counted, as any caller that nobody knows. */
export function noteRefusedLink(trail: AccessTrail): ErrorRequestHandler {
  return function noteRefusedLink(error, _req, res, next) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') {
      trail.note(callOf(res), 'FORBIDDEN')
    }
    next(error)
  }
}
